/** `waymark key show | list | protect | enrol` */
import type { Enrolment } from '../../ledger/index.ts';
import { refuse } from '../../record/outcome.ts';
import type { Role } from '../../record/principal.ts';
import { enrolKey, type KeyList, listKeys, type OwnKey, showKeys } from '../../trail/keys.ts';
import { type ProtectedKey, protectKeys } from '../../trail/protect-keys.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { askNewPassphrase, askPassphrase, terminalPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { openTerminal } from '../terminal.ts';
import { withSettledRecord } from '../with-record.ts';

/** Makes the person's operator key if there is none; it counts once somebody enrols it. */
export async function show(invocation: Invocation): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const person = personOf(record);
    const shown = showKeys(record, person);
    if (!shown.ok) return fail(invocation, shown);
    printResult(invocation, { status: 'ok', agent_id: person, keys: shown.value }, ({ keys }) => [
      ...columns(keys.map(ownRow)),
      ...keys.filter((key) => key.enrolled_as === null).map((key) => howToEnrol(key, person)),
    ]);
    return EXIT.ok;
  });
}

export async function list(invocation: Invocation): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    printResult(invocation, { status: 'ok', ...listKeys(record) }, renderList);
    return EXIT.ok;
  });
}

export async function protect(invocation: Invocation): Promise<ExitCode> {
  const terminal = openTerminal();
  if (terminal === null) {
    const refusal = refuse('authority', 'A passphrase is asked on a terminal only', { next: 'Run it in a terminal' });
    return fail(invocation, refusal);
  }
  try {
    return await withSettledRecord(invocation, async (record) => {
      const done = await protectKeys(record, {
        person: personOf(record),
        newPassphrase: () => askNewPassphrase(terminal),
        askPassphrase: (key) => askPassphrase(terminal, key),
      });
      if (!done.ok) return fail(invocation, done, done.code === 'invalid' ? { exit: EXIT.refused } : {});
      printResult(invocation, { status: 'ok', keys: done.value }, ({ keys }) => columns(keys.map(protectedRow)));
      return EXIT.ok;
    });
  } finally {
    terminal.close();
  }
}

export interface EnrolOptions {
  readonly agent: string;
  readonly role: Role | 'service';
  readonly name?: string;
}

export async function enrol(invocation: Invocation, publicKey: string, options: EnrolOptions): Promise<ExitCode> {
  const { agent: agentId, role, name } = options;
  return withSettledRecord(invocation, async (record) => {
    const input = { publicKey, agentId, role, ...(name === undefined ? {} : { name }) };
    const done = await enrolKey(record, input, { person: personOf(record), askPassphrase: terminalPassphrase });
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, { status: 'ok', enrolment: done.value }, ({ enrolment }) => [enrolledLine(enrolment)]);
    return EXIT.ok;
  });
}

function ownRow({ public_key, kind, agent_id = '', protection, enrolled_as, revoked }: OwnKey): readonly string[] {
  const end = revoked === undefined ? '' : `revoked (${revoked})`;
  return [
    public_key,
    kind,
    agent_id,
    `passphrase ${protection}`,
    enrolled_as === null ? 'not enrolled' : `enrolled as ${enrolled_as}`,
    end,
  ];
}

function howToEnrol({ public_key }: OwnKey, person: string): string {
  return `To let it decide, an operator of this record runs: waymark key enrol ${public_key} --agent ${person} --role operator`;
}

function renderList({ keys, problems }: KeyList): readonly string[] {
  const rows = keys.map(({ public_key, agent_id, role, name = '', protection, log, here, revoked }) => [
    public_key,
    role,
    agent_id,
    name,
    // Whether its file has one now is nothing the record is told.
    role === 'recovery' ? '' : `passphrase ${protection}`,
    `log ${log}`,
    here ? 'on this machine' : '',
    revoked === undefined ? '' : `revoked (${revoked.reason}), ${revoked.size} events stand`,
  ]);
  return [...columns(rows), ...problems];
}

function protectedRow({ public_key, kind, agent_id = '', already }: ProtectedKey): readonly string[] {
  return [public_key, kind, agent_id, already ? 'had a passphrase' : 'has a passphrase now'];
}

function enrolledLine({ key, agent_id, role }: Enrolment): string {
  return `Key ${key} is enrolled for ${agent_id} as ${role}`;
}
