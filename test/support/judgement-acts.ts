/** Random histories through the operations of issue 5: a model's and people's verdicts, tombstones, erasures and the rest. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { ok } from '../../src/record/outcome.ts';
import { recoverOwner } from '../../src/trail/recover-owner.ts';
import { recoveryFileBesideOwner } from '../../src/trail/recovery-key.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { Session, type SessionOperations } from '../../src/trail/session.ts';
import { APPROVES, judges, REJECTS, says } from '../fakes/gate-server.ts';
import { type GateRecord, makeGateRecord } from './gate.ts';
import { operators } from './operators.ts';
import { value } from './record.ts';

/** The policy of each. */
const SCOPES = {
  'acme/one': 'llm-oneshot',
  'acme/two': 'llm-then-human',
  'acme/three': 'quorum',
  'acme/four': 'human',
};
const NAMES = Object.keys(SCOPES);
const TEXTS = [
  'The disk of the build server fills up every Monday before noon',
  'The disk of the build server fills up every Friday before noon',
  'Retry only idempotent charges, at most 3 times',
  'Deploys of the web shop happen on Tuesdays after the checks are green',
];
const VERBS = [
  ...['save', 'save', 'save', 'update', 'propose', 'propose', 'approve', 'approve', 'approve', 'reject', 'reject'],
  ...['changes', 'supersede', 'forget', 'erase', 'quarantine', 'lift', 'merge', 'keep_both', 'rotate', 'tombstone_key'],
  'recover',
] as const;

export const act = fc.record({
  verb: fc.constantFrom(...VERBS),
  scope: fc.nat(NAMES.length - 1),
  /** Which text, thought, agent or answer. */
  which: fc.nat(99),
  other: fc.nat(99),
});
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Who acts: of two sides nobody writes in a log of the other. */
export interface Side {
  readonly agent: SessionOperations;
  readonly people: readonly SessionOperations[];
  readonly agents: readonly string[];
  /** Keys of the repository itself are used on one side. */
  readonly isMain: boolean;
}

export interface Judged {
  readonly gate: GateRecord;
  readonly sides: readonly [Side, Side];
  /** What was done, and what was answered: a person reads it. */
  readonly told: string[];
  run(acts: readonly Act[], side: Side): Promise<void>;
  git(...args: readonly string[]): string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Carol and dave decide what alice writes, erin what bob does; each key is enrolled before anything else happens. */
export async function makeJudged(): Promise<Judged> {
  const gate = await makeGateRecord();
  const { t } = gate;
  const people = await operators(t, ['carol', 'dave', 'erin']);
  const session = (agentId: string) =>
    new Session(t.record, { via: 'library', agentId, wantsOperator: false, env: { GATE_KEY: 'x' } });
  const [alice, bob] = [session('alice').operations(), session('bob').operations()];
  const settings = NAMES.map((scope) => `  ${scope}: {trust_gate_policy: ${Object(SCOPES)[scope]}}\n`).join('');
  const config = execFileSync('git', ['cat-file', 'blob', 'main:config.yaml'], { cwd: t.root }).toString();
  await gate.accept('config.yaml', `${config}trails:\n${settings}`);
  const carol = people.carol.operations();
  const sides: readonly [Side, Side] = [
    { agent: alice, people: [carol, people.dave.operations()], agents: ['alice', 'bob'], isMain: true },
    { agent: bob, people: [people.erin.operations()], agents: ['alice', 'bob'], isMain: false },
  ];
  const told: string[] = [];
  // Each log, the keys of tombstones and the model's key are there before two sides part.
  for (const { agent } of sides) value(await agent.save({ trail_name: 'acme/four', content: `Begun ${randomUUID()}` }));
  const first = value(await alice.save({ trail_name: 'acme/four', content: 'It is false that pigs fly' })).thought;
  const no = { verdict: 'reject', reason: 'They do not', grounds: 'false' } as const;
  for (const by of [people.erin.operations(), people.dave.operations()]) value(await by.tombstones({}));
  value(await carol.decide({ trail_name: 'acme/four', thought_id: first.thought_id, ...no }));
  return {
    gate,
    sides,
    told,
    async run(acts, side) {
      for (const one of acts) {
        const outcome = await perform(gate, side, one);
        told.push(`${one.verb}: ${outcome}`);
      }
    },
    git: (...args) =>
      execFileSync('git', [...BY, ...args], { cwd: t.root })
        .toString()
        .trim(),
    [Symbol.asyncDispose]: () => gate[Symbol.asyncDispose](),
  };
}

const BY = ['-c', 'user.name=x', '-c', 'user.email=x@example.org'];
const ANSWERS = [judges(APPROVES), judges(APPROVES), judges(REJECTS), says('no verdict')];

function pick<T>(all: readonly T[], which: number): T | undefined {
  return all.length === 0 ? undefined : all[which % all.length];
}

async function perform(gate: GateRecord, side: Side, { verb, scope, which, other }: Act): Promise<string> {
  const { t, fake } = gate;
  const index = t.record.repository.index.reader();
  const trail_name = NAMES[scope] ?? '';
  const rows = index.eventsByPrefix('sha256:', 100_000).flatMap(({ envelope }) => envelope._local?.files ?? []);
  const ids = [...new Set(rows.flatMap(({ thought_id }) => thought_id ?? []))].sort();
  const thoughts = ids.flatMap((id) => index.thoughtById(id)[0] ?? []).filter((row) => row.scope === trail_name);
  const open = thoughts.filter(({ thought }) => ['draft', 'proposed', 'error'].includes(thought.validation_status));
  const current = thoughts.filter(({ facts }) => facts.status === 'approved' && facts.held && !facts.superseded);
  const one = pick(
    verb === 'supersede' || verb === 'merge' || verb === 'keep_both'
      ? current
      : verb === 'forget' || verb === 'erase'
        ? thoughts
        : open,
    which,
  );
  const thought_id = one?.thought.thought_id ?? '0'.repeat(26);
  const content = `${TEXTS[which % TEXTS.length]}${other % 3 === 0 ? '' : ` (${other})`}`;
  const person = pick(side.people, other);
  if (person === undefined) throw new Error('Nobody is there');
  const about = { trail_name, thought_id, reason: 'Looked at' };
  const done = async (): Promise<{ readonly ok: boolean; readonly code?: string }> => {
    switch (verb) {
      case 'save':
        return side.agent.save({ trail_name, content });
      case 'update':
        return side.agent.update({ trail_name, thought_id, content });
      case 'propose':
        fake.answer = ANSWERS[other % ANSWERS.length] ?? fake.answer;
        // The model's key is of one clone.
        return side.isMain
          ? side.agent.propose({ trail_name, thought_id })
          : side.agent.propose({ trail_name: 'acme/four', thought_id });
      case 'approve':
        return person.decide({ ...about, verdict: 'approve' });
      case 'reject':
        return person.decide({ ...about, verdict: 'reject', grounds: other % 2 === 0 ? 'false' : 'outdated' });
      case 'changes':
        return person.decide({ ...about, verdict: 'request_changes' });
      case 'supersede':
        return side.agent.supersede({ ...about, content });
      case 'forget':
        return person.forget(about);
      case 'erase':
        return person.erase({ thought_id, reason: 'Asked for', keep_out: other % 2 === 0 });
      case 'quarantine': {
        const since = new Date(Date.now() - (other % 3) * 2_000).toISOString();
        return person.quarantine({ agent_id: pick(side.agents, which) ?? '', since, reason: 'Misled' });
      }
      case 'lift': {
        const all = value(await person.tombstones({})).tombstones;
        return person.lift({ tombstone: pick(all, which)?.tombstone ?? 'none', reason: 'True after all' });
      }
      case 'merge':
      case 'keep_both': {
        const second = pick(current, which + 1)?.thought.thought_id ?? thought_id;
        const keep = verb === 'keep_both' ? 'both' : other % 2 === 0 ? 'old' : 'new';
        return person.resolveDuplicate({ thought_ids: [thought_id, second], keep, reason: 'Alike' });
      }
      case 'tombstone_key':
        return person.rotateTombstoneKey({ reason: 'Old' });
      case 'rotate':
        return side.isMain ? rotateKey(t.record, { kind: 'owner', agentId: 'owner' }) : ok(null);
      case 'recover': {
        const file = recoveryFileBesideOwner(t.record.environment, t.record.repository.trust.repositoryId);
        return side.isMain ? recoverOwner(t.record, { file }, { confirm: async () => ok(null) }) : ok(null);
      }
    }
  };
  const outcome = await done();
  return outcome.ok ? 'ok' : (outcome.code ?? 'refused');
}
