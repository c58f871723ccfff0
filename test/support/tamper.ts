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
  skeletonOf,
  strippedLine,
} from '../../src/ledger/index.ts';
import type { EventEnvelope, SidecarSkeleton, SignedEvent, Signer, Verb } from '../../src/ledger/types.ts';
import { DESK_AGENT_ID } from '../../src/record/principal.ts';
import type { Status } from '../../src/record/thought.ts';
import { enrol } from '../../src/trail/enrol.ts';
import {
  type Committed,
  commit,
  committed,
  forge,
  listed,
  newWriter,
  operatorWriter,
  ownWriter,
  serviceWriter,
  type Writing,
} from '../attack/forge.ts';
import { acceptFile } from './accept.ts';
import { signedIn } from './credentials.ts';
import { makeRecord, type TestRecord, value } from './record.ts';

export const trail_name = 'acme/eng';
export const SETTINGS = 'trails/acme/.fava-trails.yaml';
/** Signed before those in force. */
const EARLIER_SETTINGS = 'stale_draft_days: 9\n';

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
  readonly logs: Readonly<Record<'owner' | 'carol' | 'alice' | 'bob' | 'desk', string>>;
  /** Paths of approved thoughts, and of alice's draft that her last event proposed. */
  readonly thoughts: { readonly policy: string; readonly ofBob: string; readonly proposed: string };
  /** The commit before alice's last event. */
  readonly earlier: string;
  /** What `waymark checkpoint --export` printed when the record was whole. */
  readonly exported: string;
  /** Puts the branch back to the whole record. */
  restore(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Manipulation {
  readonly name: string;
  readonly verdict: TamperVerdict;
  /** Commits it. */
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
  for (const text of [EARLIER_SETTINGS, 'separation: required\n']) {
    await acceptFile({ root: t.root, operations: carol }, SETTINGS, text);
  }
  await enrolByOwner(t, 'erin');
  const attested = await save(bob, 'Decided at the desk');
  value(await bob.propose({ trail_name, thought_id: attested }));
  const dora = signedIn(t, { agent_id: 'dora', role: 'reviewer' }).operations();
  value(await dora.decide({ trail_name, thought_id: attested, verdict: 'approve' }));
  const proposed = await save(alice, 'To be proposed');
  await save(alice, 'A draft');
  await save(alice, 'Another draft');
  await save(bob, 'A draft of bob');
  const earlier = git(t.root, 'rev-parse', 'main');
  value(await alice.propose({ trail_name, thought_id: proposed }));
  const whole = git(t.root, 'rev-parse', 'main');
  git(t.root, 'reset', '-q', '--hard', 'main');

  const logOf = (agent: string) => ownWriter(t.record, agent).tail.log;
  const known = repository.index.reader().keys();
  const enrolledLog = (agent: string) => known.find(({ agent_id }) => agent_id === agent)?.log ?? '';
  const logs = {
    owner: logNameOf(repository.trust.owner),
    carol: enrolledLog('carol'),
    desk: enrolledLog(DESK_AGENT_ID),
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
    restore: () => void git(t.root, 'update-ref', 'refs/heads/main', whole),
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
    name: 'an erasure is edited',
    verdict: 'edited',
    apply: (r) => {
      const { path } = erase(r, {});
      const [, log = ''] = path.split('/');
      edit(r, log, writerOf(r, 'carol').tail.size, ({ _local, ...rest }) => ({
        ...rest,
        _local: { ..._local, erased: _local?.erased?.map((skeleton) => ({ ...skeleton, status: 'approved' })) },
      }));
    },
  },
  {
    name: 'an erasure states the sidecar of another thought',
    verdict: 'edited',
    apply: (r) =>
      void erase(r, { stating: (skeleton) => ({ ...skeleton, thought_id: idOf(r.thoughts.ofBob), files: [] }) }),
  },
  {
    name: 'an erasure states another verb than the record allows',
    verdict: 'edited',
    apply: (r) => void erase(r, { stating: (skeleton) => ({ ...skeleton, verb: 'approve' }) }),
  },
  {
    name: 'an erasure states who enrolled a key',
    verdict: 'edited',
    apply: (r) => {
      const { publicKey: key } = newWriter().signer;
      const enrolment = { key, agent_id: 'mallory', role: 'operator', protection: 'none' } as const;
      erase(r, { stating: (skeleton) => ({ ...skeleton, enrolment }) });
    },
  },
  {
    name: 'an erasure states another agent than the key is of',
    verdict: 'wrong_role',
    apply: (r) => void erase(r, { stating: (skeleton) => ({ ...skeleton, agent_id: 'bob' }) }),
  },
  {
    name: 'an event after the erasure brings the text back into the file',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const path = pathOfErased(r);
      const after = Buffer.from(committed(r.root, path).toString().replace('status: draft', 'status: approved'));
      const { tail } = erase(r, {});
      const { signer } = writerOf(r, 'carol');
      const thought_id = idOf(path);
      const event = forge(
        { signer, tail },
        {
          verb: 'approve',
          local: { agent_id: 'carol', role: 'operator', thought_id },
          files: [{ path, before: null, after, thought_id, status: 'approved' }],
        },
      );
      put(r, { ...withCheckpoint(r, signer, event), [path]: after });
    },
  },
  {
    name: "an agent's key erases",
    verdict: 'wrong_role',
    apply: (r) => void erase(r, { by: 'alice', stripped: false }),
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
    apply: (r) => void git(r.root, 'update-ref', 'refs/heads/main', r.earlier),
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
    name: "an agent's key says that a person voted",
    verdict: 'wrong_role',
    apply: (r) => signInOrder(r, { verb: 'vote', role: 'agent', kind: 'human' }),
  },
  {
    name: 'an attested decision loses the person it names',
    verdict: 'edited',
    apply: (r) =>
      edit(r, r.logs.desk, 0, ({ _local, ...rest }) => {
        const { attested: _, ...local } = _local ?? {};
        return { ...rest, _local: local };
      }),
  },
  {
    name: 'an attested decision names another person',
    verdict: 'edited',
    apply: (r) =>
      edit(r, r.logs.desk, 0, ({ _local, ...rest }) => ({
        ...rest,
        _local: { ..._local, attested: { ..._local?.attested, agent_id: 'mallory' } },
      })),
  },
  {
    name: 'a service key approves for nobody',
    verdict: 'wrong_role',
    apply: (r) => approveAtDesk(r),
  },
  {
    name: 'a service key writes a text for a person',
    verdict: 'wrong_role',
    apply: (r) => {
      const local = { agent_id: DESK_AGENT_ID, role: 'service', attested: DORA } as const;
      const { signer, tail } = writerOf(r, DESK_AGENT_ID);
      put(r, withCheckpoint(r, signer, forge({ signer, tail }, { verb: 'start', local, files: [] })));
    },
  },
  {
    name: "an agent's key says that it signs for a person",
    verdict: 'wrong_role',
    apply: (r) => signInOrder(r, { verb: 'start', role: 'agent', attested: DORA }),
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
    name: 'a key signs on after its revocation',
    verdict: 'after_revocation',
    apply: (r) => {
      const writer = writerOf(r, 'alice');
      const { publicKey: key } = writer.signer;
      const local = { agent_id: 'alice', role: 'agent' } as const;
      const revocation = { key, size: writer.tail.size + 1, reason: 'retirement' } as const;
      const end = forge(writer, { verb: 'revoke', local: { ...local, revocation }, files: [] });
      const after = forge({ ...writer, tail: end.tail }, { verb: 'start', local, files: [] });
      const rows = committed(r.root, 'keys.yaml').toString();
      const revoked = `revoked:\n      size: ${revocation.size}\n      reason: retirement\n`;
      const row = new RegExp(`(- key: ${key}\\n(?:    .*\\n)*)`);
      put(r, {
        ...withCheckpoint(r, writer.signer, after),
        [end.path]: end.line,
        'keys.yaml': rows.replace(row, (found) => `${found}    ${revoked}`),
      });
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
    apply: (r) => put(r, { [SETTINGS]: 'separation: preferred # for now\n' }),
  },
  {
    name: 'settings in force are switched back to an earlier signed version',
    verdict: 'unrecorded_change',
    apply: (r) => put(r, { [SETTINGS]: EARLIER_SETTINGS }),
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
  ...['0000/00/06', '0000/00/63', '0100/00/00'].map(
    (place): Manipulation => ({
      name: `an event is moved past the end of its log, to ${place}`,
      verdict: 'reordered',
      apply: (r) => {
        const path = eventPath(r.logs.alice, 2);
        put(r, { [path]: null, [`ledger/${r.logs.alice}/${place}.jsonl`]: committed(r.root, path) });
      },
    }),
  ),
  {
    name: 'a whole log is moved up by one',
    verdict: 'reordered',
    apply: (r) => {
      const all = [0, 1, 2, 3, 4, 5].map((seq) => [eventPath(r.logs.alice, seq + 1), eventPath(r.logs.alice, seq)]);
      const moved = Object.fromEntries(all.map(([to = '', from = '']) => [to, committed(r.root, from)]));
      put(r, { ...moved, [eventPath(r.logs.alice, 0)]: null });
    },
  },
  {
    name: 'a log is copied under another name',
    verdict: 'inserted',
    apply: (r) => {
      const paths = listed(r.root, `ledger/${r.logs.bob}`);
      put(
        r,
        Object.fromEntries(paths.map((path) => [path.replace(r.logs.bob, 'b'.repeat(16)), committed(r.root, path)])),
      );
    },
  },
  {
    name: 'a file lies in a ledger of another spelling',
    verdict: 'inserted',
    apply: (r) => put(r, { [`Ledger/${r.logs.alice}/checkpoint`]: committed(r.root, checkpointPath(r.logs.bob)) }),
  },
  {
    name: 'every log is removed',
    verdict: 'cut_tail',
    apply: (r) => put(r, Object.fromEntries(listed(r.root, 'ledger').map((path) => [path, null]))),
  },
  {
    name: 'the ledger is replaced by a submodule',
    verdict: 'cut_tail',
    apply: (r) => {
      const gone = Object.fromEntries(listed(r.root, 'ledger').map((path) => [path, null]));
      put(r, { ...gone, ledger: { submodule: 'a'.repeat(40) } });
    },
  },
  {
    name: 'an event is replaced by a submodule',
    verdict: 'edited',
    apply: (r) => put(r, { [eventPath(r.logs.alice, 2)]: { submodule: 'a'.repeat(40) } }),
  },
  {
    name: 'an event begins with a byte order mark',
    verdict: 'edited',
    apply: (r) => {
      const path = eventPath(r.logs.alice, 2);
      put(r, { [path]: `\ufeff${committed(r.root, path)}` });
    },
  },
  {
    name: 'a checkpoint that the key signs is of fewer events, which are others',
    verdict: 'forked',
    apply: (r) => {
      const { tail, signer } = writerOf(r, 'alice');
      put(r, checkpointOf(r.repositoryId, signer, { tail: { ...tail, size: 4 } }));
    },
  },
  {
    name: 'an event is dated ahead of time',
    verdict: 'cannot_tell',
    apply: (r) => signInOrder(r, { verb: 'start', role: 'agent', timestamp: Date.now() + 3_600_000 }),
  },
  {
    name: "an agent's key ends an operator's",
    verdict: 'wrong_role',
    apply: (r) => {
      const { key = '' } =
        r.t.record.repository.index
          .reader()
          .keys()
          .find(({ log }) => log === r.logs.carol) ?? {};
      signInOrder(r, { verb: 'revoke', role: 'agent', revocation: { key, size: 0, reason: 'compromise' } });
    },
  },
  {
    name: 'a key that only an agent enrolled signs as operator',
    verdict: 'wrong_role',
    apply: (r) => {
      const writer = newWriter();
      const key = { key: writer.signer.publicKey, agent_id: 'mallory', role: 'operator', protection: 'none' } as const;
      const local = { agent_id: 'mallory', role: 'operator' } as const;
      const event = forge(writer, { verb: 'start', local, files: [] });
      signInOrder(r, { verb: 'enrol', role: 'agent', enrolment: key }, withCheckpoint(r, writer.signer, event));
    },
  },
  {
    name: "an agent declares the loss of an operator's log, whose end is cut",
    verdict: 'cut_tail',
    apply: (r) => {
      const { carol: log } = r.logs;
      const [last = ''] = listed(r.root, `ledger/${log}`)
        .filter((path) => path.endsWith('.jsonl'))
        .slice(-1);
      const restored = { log, size: 99, root: Buffer.alloc(32).toString('base64'), found: 0 };
      signInOrder(r, { verb: 'restored', role: 'agent', restored }, { [last]: null });
    },
  },
  {
    name: 'an approved thought is moved to another scope',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const text = committed(r.root, r.thoughts.policy);
      put(r, { [r.thoughts.policy]: null, [r.thoughts.policy.replace('acme/eng', 'acme/ops')]: text });
    },
  },
  {
    name: 'a thought lies elsewhere than its event says',
    verdict: 'unrecorded_change',
    apply: (r) => {
      const id = '01KD2Q8W5N7YJ3V9T4B6RCXEMA';
      const [, text = ''] = [r, committed(r.root, r.thoughts.proposed).toString()];
      const after = Buffer.from(
        text.replaceAll(idOf(r.thoughts.proposed), id).replace('status: proposed', 'status: draft'),
      );
      const path = r.thoughts.proposed.replace(idOf(r.thoughts.proposed), id);
      const file = { path, before: null, after, thought_id: id, status: 'draft' } as const;
      signInOrder(r, { verb: 'save', role: 'agent', files: [file] }, { [path.replace('acme/eng', 'acme/ops')]: after });
    },
  },
  ...[
    ['a thought that nobody signed is a link', 'trails/acme/eng/thoughts/drafts/01KD2Q8W5N7YJ3V9T4B6RCXEMA.md'],
    ['hooks are a submodule', 'hooks'],
    ['settings that nobody signed are a link', 'trails/acme/trust-gate-prompt.md'],
  ].map(
    ([name = '', path = '']): Manipulation => ({
      name,
      verdict: 'unrecorded_change',
      apply: (r) => put(r, { [path]: path === 'hooks' ? { submodule: 'a'.repeat(40) } : { link: 'elsewhere' } }),
    }),
  ),
  ...['Config.yaml', 'trails/acme/.FAVA-Trails.yaml', 'hooks/before\nsave', 'trails/acme/tombstones/one.yaml'].map(
    (path): Manipulation => ({
      name: `a file is added that nobody signed: ${JSON.stringify(path)}`,
      verdict: 'unrecorded_change',
      apply: (r) => put(r, { [path]: 'separation: preferred\n' }),
    }),
  ),
  {
    name: 'config.yaml names another branch',
    verdict: 'unrecorded_change',
    apply: (r) =>
      put(r, {
        'config.yaml': committed(r.root, 'config.yaml')
          .toString()
          .replace(/branch: .*/, 'branch: other'),
      }),
  },
  {
    name: 'the id of the repository is changed alone',
    verdict: 're_rooted',
    apply: (r) => {
      const config = committed(r.root, 'config.yaml').toString();
      put(r, { 'config.yaml': config.replace(r.repositoryId, '0'.repeat(32)) });
    },
  },
];

/** A well-signed event at the end of alice's log, checkpoint and all, with whatever else. */
function signInOrder(
  r: TamperRecord,
  event: Pick<SignedChange, 'verb' | 'role'> &
    Partial<Pick<Parameters<typeof forge>[1], 'files' | 'timestamp'>> &
    Pick<Parameters<typeof forge>[1]['local'], 'enrolment' | 'revocation' | 'restored' | 'kind' | 'attested'>,
  more: Readonly<Record<string, Committed>> = {},
): void {
  const { verb, files = [], timestamp = Date.now(), ...local } = event;
  const { tail, signer } = writerOf(r, 'alice');
  const signed = forge({ tail, signer }, { verb, files, timestamp, local: { agent_id: 'alice', ...local } });
  put(r, { ...withCheckpoint(r, signer, signed), ...more });
}

/** Commits past Waymark; the working files stay as they were, since nobody verifies them. */
function put(r: TamperRecord, files: Readonly<Record<string, Committed>>): void {
  commit(r.root, files);
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
  if (agent === DESK_AGENT_ID) return serviceWriter(t.record);
  return agent === 'carol' ? operatorWriter(t.record, agent) : ownWriter(t.record, agent);
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

const DORA = { agent_id: 'dora', role: 'reviewer', session: 'token-of-dora', method: 'token' } as const;

/** The desk approves what alice proposed, and names nobody. */
function approveAtDesk(r: TamperRecord): void {
  const path = r.thoughts.proposed;
  const before = committed(r.root, path);
  const after = Buffer.from(before.toString().replace('status: proposed', 'status: approved'));
  const { signer, tail } = writerOf(r, DESK_AGENT_ID);
  const local = { agent_id: DESK_AGENT_ID, role: 'service' } as const;
  const files = [{ path, before, after, thought_id: idOf(path), status: 'approved' as const }];
  const event = forge({ signer, tail }, { verb: 'approve', local, files });
  put(r, { ...withCheckpoint(r, signer, event), [path]: after });
}

interface ErasureByHand {
  readonly by?: 'carol' | 'alice';
  /** What stands for the sidecar, from what would. */
  readonly stating?: (skeleton: SidecarSkeleton) => SidecarSkeleton;
  readonly stripped?: boolean;
}

function pathOfErased(r: TamperRecord): string {
  const line = readEventLine(committed(r.root, eventPath(r.logs.alice, 3)));
  return (line.ok ? line.envelope._local?.files?.[0]?.path : undefined) ?? '';
}

/** Erases a draft of alice, as an operator does it or otherwise. */
export function erase(r: TamperRecord, { by = 'carol', stating = (one) => one, stripped = true }: ErasureByHand) {
  const place = eventPath(r.logs.alice, 3);
  const line = readEventLine(committed(r.root, place));
  const local = line.ok ? line.envelope._local : undefined;
  const [file] = local?.files ?? [];
  if (!line.ok || local === undefined || file?.thought_id === undefined) throw new Error(`No thought at ${place}`);
  const { path, thought_id } = file;
  const writer = writerOf(r, by);
  const skeleton = skeletonOf({
    record: recordHash(line.envelope.record),
    sidecar: local,
    erased: thought_id,
    kept: new Map(),
    nonce: local.nonce,
  });
  const text = committed(r.root, path).toString();
  const after = Buffer.from(
    text.slice(0, text.lastIndexOf('---\n') + 4).replace('status: draft', 'status: tombstoned'),
  );
  const event = forge(writer, {
    verb: 'erase',
    local: {
      agent_id: by,
      role: by === 'carol' ? 'operator' : 'agent',
      thought_id,
      status: 'tombstoned',
      erased: [stating(skeleton)],
    },
    files: [{ path, before: null, after, thought_id, status: 'tombstoned' }],
  });
  put(r, {
    ...withCheckpoint(r, writer.signer, event),
    [path]: after,
    ...(stripped ? { [place]: strippedLine(line.envelope.record) } : {}),
  });
  return event;
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

function checkpointOf(
  repositoryId: string,
  signer: Signer,
  { tail }: Pick<SignedEvent, 'tail'>,
): Record<string, Committed> {
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
