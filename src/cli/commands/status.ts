/** `waymark status` */
import { announcedAddress } from '../../trail/desk/server-address.ts';
import { machineModelOf } from '../../trail/gate/machine.ts';
import { type GateOverview, gateOverview } from '../../trail/gate/overview.ts';
import { status as readStatus, type Status } from '../../trail/status.ts';
import { age } from '../age.ts';
import { columns } from '../columns.ts';
import { dueLines } from '../due-lines.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { gateLine } from '../gate-line.ts';
import { type Invocation, printResult } from '../invocation.ts';
import { withSession } from '../with-record.ts';

/** Tells what there is, and exits 0 also when not all of it is as it should be: judging is `verify`. */
export async function status(invocation: Invocation): Promise<ExitCode> {
  return withSession(invocation, async ({ record, session }) => {
    const { principal } = await session.identity();
    const { environment, repository } = record;
    const found = await readStatus(record, principal);
    const trust_gate = gateOverview(repository.index.reader(), machineModelOf(environment, invocation.env));
    const server = announcedAddress(record);
    printResult(invocation, { status: 'ok', ...found, trust_gate, server }, (shown) => render(shown, record.now()));
    return EXIT.ok;
  });
}

interface Shown extends Status {
  readonly trust_gate: GateOverview;
  /** Where "waymark serve" of this machine is reached, `null` while none runs. */
  readonly server: string | null;
}

function render(status: Shown, now: number): readonly string[] {
  const { counts, identity, index, trust_gate: gate, server } = status;
  const away = status.wrong_branch === undefined ? '' : `, but ${placeOf(status.wrong_branch)}: writes are refused`;
  return [
    ...columns([
      ['record', status.root],
      ['id', status.repository_id],
      ['branch', `${status.branch} at ${status.head ?? 'no commit'}${away}`],
      ['index', index === 'in_step' ? 'in step' : `${index.behind} or more commits behind`],
      ['you', `${identity.agent_id} (${identity.role})`],
      ['thoughts', `${counts.governed} approved, ${counts.authored} open or rejected, ${counts.retired} retired`],
      ['queue', queueLine(status, now)],
      ['gate', `${gateLine(gate.egress)}${gate.isFault ? ` ${gate.next}.` : ''}`],
      ['events', `${counts.events}, logs ${status.writers.length}`],
      ...(server === null ? [] : [['server', `runs at ${server}`]]),
      ...(status.unknown_settings.length > 0
        ? [['unknown', `in config.yaml: ${status.unknown_settings.join(', ')}`]]
        : []),
    ]),
    ...section(
      'Logs',
      status.writers.map(({ log, agent_id, size, remembered }) => [log, agent_id, `${size}`, remembered]),
    ),
    ...section(
      'Judged otherwise',
      gate.scopes.map(({ scope, policy }) => [scope, policy]),
    ),
    ...section(
      `Settings, ${status.settings.length}`,
      status.settings.map(({ path, state, message, next }) => [path, state, `${message}. ${next}`]),
    ),
    ...section(
      `Stale drafts, ${status.stale_drafts?.count ?? 0}`,
      (status.stale_drafts?.ids ?? []).map((id) => [id]),
    ),
    ...(status.due === undefined ? [] : dueLines(status.due)),
    ...section(
      `Quarantine, ${counts.quarantined}`,
      counts.quarantined === 0 ? [] : [['withheld until decided anew: waymark review']],
    ),
    ...section(
      `Unverified, ${counts.unverified}`,
      status.unverified.map(({ path, reason }) => [path, reason]),
    ),
    ...section(
      `Problems, ${counts.problems}`,
      status.problems.map(({ path, line, code, message }) => [`${path}:${line}`, code, message]),
    ),
  ];
}

function queueLine({ queue, queue_since, queue_over_7_days }: Status, now: number): string {
  if (queue_since === undefined) return '0 waiting for a decision';
  const overdue = queue_over_7_days === 0 ? '' : `, ${queue_over_7_days} for more than 7 d`;
  return `${queue} waiting for a decision, the oldest for ${age(queue_since, now)}${overdue}: waymark review`;
}

/** On no branch is also where jj keeps HEAD. */
function placeOf(branch: string): string {
  return branch === '(detached)'
    ? 'what is checked out is another commit, see "waymark doctor"'
    : `HEAD is on ${branch}`;
}

function section(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ['', title, ...columns(rows).map((line) => `  ${line}`)];
}
