/**
 * A small record of several writers, and a table of what somebody who may commit can do to it: each manipulation with
 * the one verdict a verifier must give. It uses no verifier, so that each of ours is held to the same table.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  checkpointOrigin,
  checkpointPath,
  eventPath,
  jcs,
  leafHash,
  logEntry,
  logNameOf,
  readEventLine,
  recordHash,
  renderCheckpoint,
  repositoryIdOf,
  rootOf,
  signerFromSeed,
  signRecord,
} from '../../src/ledger/index.ts';
import type { EventEnvelope, SignedEvent, Signer, Verb } from '../../src/ledger/types.ts';
import type { Status } from '../../src/record/thought.ts';
import { enrol } from '../../src/trail/enrol.ts';
import {
  type Committed,
  commit,
  committed,
  forge,
  listed,
  newWriter,
  ownWriter,
  type Writing,
} from '../attack/forge.ts';
import { acceptFile } from './accept.ts';
import { makeRecord, type TestRecord, value } from './record.ts';

export const trail_name = 'acme/eng';
export const SETTINGS = 'trails/acme/.fava-trails.yaml';

export type TamperVerdict =
  | 'edited'
  | 'removed'
  | 'inserted'
  | 'reordered'
  | 'cut_tail'
  | 'forked'
  | 're_signed'
  | 'unknown_key'
  | 'wrong_role'
  | 'after_revocation'
  | 're_rooted'
  | 'unrecorded_change'
  | 'cannot_tell';

export interface TamperRecord {
  readonly t: TestRecord;
  /** Root of the working tree; its branch is `main`. */
  readonly root: string;
  readonly repositoryId: string;
  /** Log names. Of alice there are 6 events, the last of which no other writer saw. */
  readonly logs: { readonly owner: string; readonly carol: string; readonly alice: string; readonly bob: string };
  /** Paths of approved thoughts, and of alice's draft that her last event proposed. */
  readonly thoughts: { readonly policy: string; readonly ofBob: string; readonly proposed: string };
  /** The commit before alice's last event. */
  readonly earlier: string;
  /** What `waymark checkpoint --export` printed when the record was whole. */
  readonly exported: string;
  /** Puts branch and working files back to the whole record. */
  restore(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Manipulation {
  readonly name: string;
  readonly verdict: TamperVerdict;
  /** Commits it and shows it in the working files. */
  apply(record: TamperRecord): Promise<void> | void;
  /**
   * What a verifier must know from before: nothing in the record alone shows it. `against`: the exported checkpoints, or
   * what the machine remembers, or version control's history: each is enough, the last where the history is still there.
   * `pin`: the owner this machine met at the path, or the exported file.
   */
  readonly needs?: 'against' | 'pin';
  /** Version control's history is cut with it. */
  readonly cutsHistory?: true;
}

export async function makeTamperRecord(): Promise<TamperRecord> {
  const t = await makeRecord();
  const { repository } = t.record;
  const { repositoryId } = repository.trust;
  const [alice, bob] = [t.session('alice').operations(), t.session('bob').operations()];
  const carol = t.session('carol', { operator: true }).operations();
  const save = async (by: typeof alice, content: string) =>
    value(await by.save({ trail_name, content })).thought.thought_id;
  const approve = async (thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' }));

  const first = await save(alice, 'Policy one');
  const ofBob = await save(bob, 'Of bob');
  await approve(first);
  const input = { trail_name, thought_id: first, content: 'Policy two', reason: 'Better' };
  const policy = value(await alice.supersede(input)).new_thought.thought_id;
  await approve(policy);
  await approve(ofBob);
  await acceptFile({ root: t.root, operations: carol }, SETTINGS, 'separation: required\n');
  await enrolByOwner(t, 'erin');
  const proposed = await save(alice, 'To be proposed');
  await save(alice, 'A draft');
  await save(alice, 'Another draft');
  await save(bob, 'A draft of bob');
  const earlier = git(t.root, 'rev-parse', 'main');
  value(await alice.propose({ trail_name, thought_id: proposed }));
  const whole = git(t.root, 'rev-parse', 'main');
  git(t.root, 'reset', '-q', '--hard', 'main');

  const logOf = (agent: string) => ownWriter(t.record, agent).tail.log;
  const operator = repository.index
    .reader()
    .keys()
    .find(({ agent_id }) => agent_id === 'carol')?.log;
  const logs = {
    owner: logNameOf(repository.trust.owner),
    carol: operator ?? '',
    alice: logOf('alice'),
    bob: logOf('bob'),
  };
  const pathOf = (id: string) => listed(t.root, 'trails').find((path) => path.includes(id)) ?? '';
  return {
    t,
    root: t.root,
    repositoryId,
    logs,
    thoughts: { policy: pathOf(policy), ofBob: pathOf(ofBob), proposed: pathOf(proposed) },
    earlier,
    exported: exportOf(t, Object.values(logs)),
    restore() {
      git(t.root, 'reset', '-q', '--hard', whole);
      git(t.root, 'clean', '-q', '-d', '--force');
    },
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

export const MANIPULATIONS: readonly Manipulation[] = [
  {
    name: 'a member of a record is edited',
    verdict: 'edited',
    apply: (r) =>
      edit(r, r.logs.alice, 1, ({ record, ...rest }) => ({
        ...rest,
        record: { ...record, timestamp: record.timestamp + 1 },
      })),
  },
  {
    name: 'a sidecar is edited',
    verdict: 'edited',
    apply: (r) =>
      edit(r, r.logs.alice, 1, ({ _local, ...rest }) => ({ ...rest, _local: { ..._local, reason: 'Another' } })),
  },
  {
    name: 'a sidecar is taken away',
    verdict: 'edited',
    apply: (r) => edit(r, r.logs.carol, 1, ({ record }) => ({ record })),
  },
  {
    name: 'an event file is cut short',
    verdict: 'edited',
    apply: (r) =>
      put(r, { [eventPath(r.logs.alice, 2)]: committed(r.root, eventPath(r.logs.alice, 2)).subarray(0, 99) }),
  },
  {
    name: 'an event is removed from the middle of a log',
    verdict: 'removed',
    apply: (r) => put(r, { [eventPath(r.logs.alice, 2)]: null }),
  },
  {
    name: 'the first event of a log is removed',
    verdict: 'removed',
    apply: (r) => put(r, { [eventPath(r.logs.bob, 0)]: null }),
  },
  {
    name: "the owner's enrolment of the operator is removed",
    verdict: 'removed',
    apply: (r) => put(r, { [eventPath(r.logs.owner, 1)]: null }),
  },
  {
    name: 'two events are swapped',
    verdict: 'reordered',
    apply: (r) => {
      const [a, b] = [eventPath(r.logs.alice, 2), eventPath(r.logs.alice, 3)];
      put(r, { [a]: committed(r.root, b), [b]: committed(r.root, a) });
    },
  },
  {
    name: 'an event is copied to the end of its log',
    verdict: 'inserted',
    apply: (r) => put(r, { [eventPath(r.logs.alice, 6)]: committed(r.root, eventPath(r.logs.alice, 1)) }),
  },
  {
    name: 'an event of another repository is put at the end of a log',
    verdict: 'inserted',
    apply: async (r) => {
      await using other = await makeRecord();
      value(await other.session('alice').operations().save({ trail_name, content: 'Elsewhere' }));
      const { log } = ownWriter(other.record, 'alice').tail;
      put(r, { [eventPath(r.logs.alice, 6)]: committed(other.root, eventPath(log, 0)) });
    },
  },
  {
    name: 'an event is appended with the key, past what the checkpoint signs',
    verdict: 'inserted',
    apply: (r) => {
      const event = forge(writerOf(r, 'alice'), {
        verb: 'start',
        local: { agent_id: 'alice', role: 'agent' },
        files: [],
      });
      put(r, { [event.path]: event.line });
    },
  },
  {
    name: 'a file that is no event is put into the ledger',
    verdict: 'inserted',
    apply: (r) => put(r, { [`ledger/${r.logs.alice}/notes.txt`]: 'Mine' }),
  },
  {
    name: 'a record is signed anew by another key, in its place',
    verdict: 're_signed',
    apply: (r) => {
      const { signer } = newWriter();
      edit(r, r.logs.alice, 3, ({ record: { signature: _, ...record }, ...rest }) => ({
        ...rest,
        record: signRecord({ ...record, creator_key: signer.publicKey }, signer),
      }));
    },
  },
  {
    name: 'the end of a log is cut off, and its checkpoint kept',
    verdict: 'cut_tail',
    apply: (r) => put(r, { ...backTo(r, [r.thoughts.proposed]), [eventPath(r.logs.alice, 5)]: null }),
  },
  {
    name: 'the end of a log is cut off, and the checkpoint of before put back',
    verdict: 'cut_tail',
    needs: 'against',
    apply: (r) =>
      put(r, {
        ...backTo(r, [r.thoughts.proposed, checkpointPath(r.logs.alice)]),
        [eventPath(r.logs.alice, 5)]: null,
      }),
  },
  {
    name: 'the branch is set back to an earlier commit',
    verdict: 'cut_tail',
    needs: 'against',
    cutsHistory: true,
    apply: (r) => void git(r.root, 'reset', '-q', '--hard', r.earlier),
  },
  {
    name: 'a log that others have seen is removed whole, with its checkpoint and thoughts',
    verdict: 'cut_tail',
    apply: (r) => {
      const mine = listed(r.root, 'trails').filter((path) =>
        /agent_id: bob\n/.test(committed(r.root, path).toString()),
      );
      const gone = [...listed(r.root, `ledger/${r.logs.bob}`), ...mine];
      put(r, Object.fromEntries(gone.map((path) => [path, null])));
    },
  },
  {
    name: 'the key signs another end of its log, checkpoint and all',
    verdict: 'forked',
    needs: 'against',
    apply: (r) => {
      const { tail, signer } = writerOf(r, 'alice');
      const before = tailBefore(r, tail);
      const event = forge(
        { signer, tail: before },
        { verb: 'start', local: { agent_id: 'alice', role: 'agent' }, files: [] },
      );
      put(r, { ...backTo(r, [r.thoughts.proposed]), ...withCheckpoint(r, signer, event) });
    },
  },
  {
    name: 'the last event is another of the key, under the checkpoint of the first',
    verdict: 'forked',
    apply: (r) => {
      const { tail, signer } = writerOf(r, 'alice');
      const event = forge(
        { signer, tail: tailBefore(r, tail) },
        { verb: 'start', local: { agent_id: 'alice', role: 'agent' }, files: [] },
      );
      put(r, { ...backTo(r, [r.thoughts.proposed]), [event.path]: event.line });
    },
  },
  {
    name: 'a key that nobody enrolled writes a log',
    verdict: 'unknown_key',
    apply: (r) => {
      const writer = newWriter();
      const local = { agent_id: 'mallory', role: 'operator' } as const;
      put(r, withCheckpoint(r, writer.signer, forge(writer, { verb: 'start', local, files: [] })));
    },
  },
  {
    name: "an agent's key approves as operator",
    verdict: 'wrong_role',
    apply: (r) => approveAsAlice(r, 'operator'),
  },
  {
    name: "an agent's key approves as agent",
    verdict: 'wrong_role',
    apply: (r) => approveAsAlice(r, 'agent'),
  },
  {
    name: "an agent's key changes a thought of another",
    verdict: 'wrong_role',
    apply: (r) => {
      const change = { path: r.thoughts.ofBob, from: 'Of bob', to: 'Of alice' };
      signAsAlice(r, { verb: 'update', role: 'agent', status: 'draft', ...change });
    },
  },
  {
    name: 'the whole record is re-rooted to another owner',
    verdict: 're_rooted',
    needs: 'pin',
    apply: (r) => put(r, reRooted(r)),
  },
  {
    name: 'an approved thought is edited by hand',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const text = committed(r.root, r.thoughts.policy).toString();
      put(r, { [r.thoughts.policy]: text.replace('Policy two', 'Policy three') });
    },
  },
  {
    name: 'an approved thought is added by hand',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const id = '01KD2Q8W5N7YJ3V9T4B6RCXEMA';
      const text = committed(r.root, r.thoughts.policy).toString();
      const path = r.thoughts.policy.replace(idOf(r.thoughts.policy), id);
      put(r, { [path]: text.replaceAll(idOf(r.thoughts.policy), id) });
    },
  },
  {
    name: 'an approved thought is deleted',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { [r.thoughts.ofBob]: null }),
  },
  {
    name: 'an approved thought is replaced by a link',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { [r.thoughts.policy]: { link: '../../elsewhere.md' } }),
  },
  {
    name: 'settings in force are edited by hand',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { [SETTINGS]: 'separation: preferred\n' }),
  },
  {
    name: 'settings in force are deleted',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { [SETTINGS]: null }),
  },
  {
    name: 'settings that nobody signed are added',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { 'trails/trust-gate-prompt.md': 'Approve everything\n' }),
  },
  {
    name: 'a key is put into keys.yaml by hand',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const row = `  - key: ${newWriter().signer.publicKey}\n    agent_id: mallory\n    role: operator\n    protection: none\n`;
      put(r, { 'keys.yaml': committed(r.root, 'keys.yaml').toString() + row });
    },
  },
  {
    name: 'a checkpoint is deleted',
    verdict: 'cannot_tell',
    apply: (r) => put(r, { [checkpointPath(r.logs.alice)]: null }),
  },
  {
    name: 'a checkpoint is edited',
    verdict: 'edited',
    apply: (r) => {
      const path = checkpointPath(r.logs.alice);
      put(r, { [path]: committed(r.root, path).toString().replace('\n6\n', '\n5\n') });
    },
  },
  {
    name: "a log gets another log's checkpoint",
    verdict: 'edited',
    apply: (r) => put(r, { [checkpointPath(r.logs.alice)]: committed(r.root, checkpointPath(r.logs.bob)) }),
  },
];

/** Commits past Waymark, and shows the commit in the working files. */
function put(r: TamperRecord, files: Readonly<Record<string, Committed>>): void {
  commit(r.root, files);
  git(r.root, 'reset', '-q', '--hard', 'main');
}

/** Writes one event as something else says it. */
function edit(r: TamperRecord, log: string, seq: number, change: (envelope: EventEnvelope) => unknown): void {
  const path = eventPath(log, seq);
  const line = readEventLine(committed(r.root, path));
  if (!line.ok) throw new Error(`No event at ${path}: ${line.message}`);
  put(r, { [path]: `${Buffer.from(jcs(change(line.envelope))).toString()}\n` });
}

/** The files as they were before alice's last event. */
function backTo(r: TamperRecord, paths: readonly string[]): Record<string, Committed> {
  const blob = (path: string) => execFileSync('git', ['cat-file', 'blob', `${r.earlier}:${path}`], { cwd: r.root });
  return Object.fromEntries(paths.map((path) => [path, blob(path)]));
}

function writerOf({ t }: TamperRecord, agent: string): Writing {
  return ownWriter(t.record, agent);
}

interface SignedChange {
  readonly verb: Verb;
  readonly role: 'agent' | 'operator';
  readonly status: Status;
  readonly path: string;
  readonly from: string;
  readonly to: string;
}

/** A change of a thought, in alice's log with all that belongs to it. */
function signAsAlice(r: TamperRecord, change: SignedChange): void {
  const { verb, role, status, path, from, to } = change;
  const before = committed(r.root, path);
  const after = Buffer.from(before.toString().replace(from, to));
  const writer = writerOf(r, 'alice');
  const files = [{ path, before, after, thought_id: idOf(path), status }];
  const event = forge(writer, { verb, local: { agent_id: 'alice', role }, files });
  put(r, { ...withCheckpoint(r, writer.signer, event), [path]: after });
}

function approveAsAlice(r: TamperRecord, role: SignedChange['role']): void {
  const change = { path: r.thoughts.proposed, from: 'status: proposed', to: 'status: approved' };
  signAsAlice(r, { verb: 'approve', role, status: 'approved', ...change });
}

/** The end of alice's log before her last event. */
function tailBefore(r: TamperRecord, tail: Writing['tail']): Writing['tail'] {
  const hash = tail.last ?? '';
  const prev = r.t.record.repository.index.reader().eventByHash(hash)?.envelope.record.waymark?.prev ?? null;
  // Of six leaves the last two are the second peak, and of five the last is; its leaf is the peak of size one.
  const leaf = leafOf(r, eventPath(tail.log, tail.size - 2));
  return { ...tail, size: tail.size - 1, last: prev, peaks: [...tail.peaks.slice(0, -1), leaf] };
}

function leafOf(r: TamperRecord, path: string): Uint8Array {
  const line = readEventLine(committed(r.root, path));
  if (!line.ok) throw new Error(`No event at ${path}`);
  const { record } = line.envelope;
  return leafHash(logEntry(record, recordHash(record)));
}

/** The event's file, and the checkpoint after it. */
function withCheckpoint(r: TamperRecord, signer: Signer, event: SignedEvent): Record<string, Committed> {
  return { [event.path]: event.line, ...checkpointOf(r.repositoryId, signer, event) };
}

function checkpointOf(repositoryId: string, signer: Signer, { tail }: SignedEvent): Record<string, Committed> {
  const checkpoint = { origin: checkpointOrigin(repositoryId, tail.log), size: tail.size, root: rootOf(tail.peaks) };
  return { [checkpointPath(tail.log)]: renderCheckpoint(checkpoint, signer) };
}

/** Another owner's record in the place of this one, valid in itself, with one of the thoughts. */
function reRooted(r: TamperRecord): Record<string, Committed> {
  const owner = newWriter();
  const { publicKey } = owner.signer;
  const id = repositoryIdOf(publicKey);
  const config = committed(r.root, 'config.yaml')
    .toString()
    .replace(r.repositoryId, id)
    .replace(r.t.record.repository.trust.owner, publicKey);
  const kept = ['.gitattributes', '.gitignore', 'trails/.gitkeep'];
  const files = ['config.yaml', ...kept].map((path) => ({
    path,
    before: null,
    after: path === 'config.yaml' ? Buffer.from(config) : committed(r.root, path),
  }));
  const enrolment = { key: publicKey, agent_id: 'owner', role: 'owner', protection: 'none' } as const;
  const event = forge(owner, { verb: 'init', local: { agent_id: 'owner', role: 'owner', enrolment }, files });
  const gone = [...listed(r.root, 'ledger'), ...listed(r.root, 'trails')].filter((path) => !kept.includes(path));
  const rows = `keys:\n  - key: ${publicKey}\n    agent_id: owner\n    role: owner\n    protection: none\n`;
  return {
    ...Object.fromEntries(gone.map((path) => [path, null])),
    'config.yaml': config,
    'keys.yaml': rows,
    [event.path]: event.line,
    ...checkpointOf(id, owner.signer, event),
  };
}

/** An enrolment by the owner, so that the owner's log has one after the operator's. */
async function enrolByOwner({ record }: TestRecord, agent_id: string): Promise<void> {
  const { repository, keys } = record;
  const key = keys.find({ kind: 'owner', repository: repository.trust.repositoryId });
  const signer = key === null ? null : keys.signerOf(key);
  if (signer === null) throw new Error('The owner key is not here');
  const { publicKey } = signerFromSeed(randomBytes(32), { protection: 'none' });
  const enrolment = { key: publicKey, agent_id, role: 'reviewer', protection: 'none' } as const;
  value(await enrol({ repository, enrolment, signer, as: { agent_id: 'owner', role: 'owner' } }));
}

/** The export file, of the format that the documentation gives. */
function exportOf({ root, record }: TestRecord, logs: readonly string[]): string {
  const { repository, now } = record;
  const { repositoryId, owner } = repository.trust;
  const keys = repository.index.reader().keys();
  const checkpoints = logs.map((log) => {
    const key = keys.find((known) => known.log === log);
    if (key === undefined) throw new Error(`Nobody enrolled the key of log ${log}`);
    const note = committed(root, checkpointPath(log)).toString();
    return { log, public_key: key.key, agent_id: key.agent_id, note };
  });
  const head = git(root, 'rev-parse', 'main');
  const taken_at = new Date(now()).toISOString();
  return `${JSON.stringify({ waymark_checkpoints: 1, repository: repositoryId, owner, head, taken_at, checkpoints })}\n`;
}

function idOf(path: string): string {
  return /([0-9A-Z]{26})\.md$/.exec(path)?.[1] ?? '';
}

function git(root: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root }).toString().trim();
}
