/**
 * Every verb signed by every key in every role, with whatever else an event may say, at any date: both verifiers say the
 * same of each, and an index grown by them is the one that is rebuilt.
 */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  genesisChainRoot,
  handOver,
  logNameOf,
  readRecoveryFile,
  renderCheckpoint,
  rootOf,
  type Signer,
} from '../../src/ledger/index.ts';
import { type EventFile, VERBS } from '../../src/ledger/types.ts';
import { KEY_ROLES } from '../../src/record/principal.ts';
import { recoveryFileBesideOwner } from '../../src/trail/recovery-key.ts';
import { serviceSigner } from '../../src/trail/service-key.ts';
import { verify } from '../../src/trail/verify.ts';
import {
  type Committed,
  commit,
  committed,
  listed,
  newWriter,
  operatorWriter,
  ownWriter,
  personWriter,
  type Writing,
} from '../attack/forge.ts';
import { indexState } from '../support/index-state.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { enrolledWriter } from '../support/sign-event.ts';
import { makeAuditor } from '../tools/support.ts';

const trail_name = 'acme/eng';
const SIGNERS = ['stranger', 'alice', 'bob', 'rita', 'carol', 'owner', 'recovery', 'desk'] as const;
const CHUNKS = 4;
const DORA = { agent_id: 'dora', role: 'reviewer', session: 's', method: 'token' } as const;

const forgery = fc.record({
  verb: fc.constantFrom(...VERBS.filter((verb) => verb !== 'recover' && verb !== 'rotate')),
  signer: fc.constantFrom(...SIGNERS),
  as: fc.oneof(
    { weight: 3, arbitrary: fc.constant('its own' as const) },
    { weight: 1, arbitrary: fc.constantFrom(...KEY_ROLES) },
  ),
  kind: fc.constantFrom(undefined, undefined, 'human', 'llm_advisory'),
  /** Whether it names a person when a service signs it, and none else; or the other way round. */
  names: fc.constantFrom('fitting', 'fitting', 'fitting', 'fitting', 'wrong'),
  enrols: fc.constantFrom('nobody', 'nobody', 'nobody', 'itself', 'another', 'recovery'),
  ends: fc.constantFrom('nobody', 'nobody', 'nobody', 'a stranger', 'the owner'),
  file: fc.constantFrom('none', 'none', 'config', 'settings', 'tombstone', 'keys', 'own', 'approved', 'gone'),
  about: fc.constantFrom('own', 'approved'),
  /** Minutes from now, of an event that its key signed then. */
  minutes: fc.integer({ min: -90, max: 0 }),
  chunk: fc.nat(CHUNKS - 1),
});
type Forgery = typeof forgery extends fc.Arbitrary<infer T> ? T : never;

async function prepare() {
  const t = await makeRecord();
  const [alice, bob] = [t.session('alice').operations(), t.session('bob').operations()];
  const carol = t.session('carol', { operator: true }).operations();
  const own = value(await alice.save({ trail_name, content: 'A draft' })).thought.thought_id;
  const approved = value(await bob.save({ trail_name, content: 'To be approved' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: approved, verdict: 'approve' }));
  const rejected = value(await bob.save({ trail_name, content: 'It was the disk' })).thought.thought_id;
  const no = { verdict: 'reject', reason: 'It was not', grounds: 'false' } as const;
  value(await carol.decide({ trail_name, thought_id: rejected, ...no }));
  const desk = value(await serviceSigner(t.record));
  const rita = await enrolledWriter(t, { agent_id: 'rita', role: 'reviewer' });
  const recovery = readRecoveryFile(
    recoveryFileBesideOwner(t.record.environment, t.record.repository.trust.repositoryId),
  );
  const signer = recovery === null ? null : t.record.keys.signerOf(recovery);
  if (signer === null) throw new Error('The recovery key is not here');
  const pathOf = (id: string) => listed(t.root, 'trails').find((path) => path.includes(id)) ?? '';
  const writers = {
    alice: { ...ownWriter(t.record, 'alice'), agent_id: 'alice', role: 'agent' },
    bob: { ...ownWriter(t.record, 'bob'), agent_id: 'bob', role: 'agent' },
    rita: { ...emptyLog(rita.signer), agent_id: 'rita', role: 'reviewer' },
    carol: { ...operatorWriter(t.record, 'carol'), agent_id: 'carol', role: 'operator' },
    owner: { ...personWriter(t.record, 'owner'), agent_id: 'owner', role: 'owner' },
    recovery: { ...emptyLog(signer), agent_id: 'owner', role: 'recovery' },
    desk: { ...emptyLog(desk), agent_id: 'desk', role: 'service' },
  } as const;
  return { t, writers, thoughts: { own, approved }, paths: { own: pathOf(own), approved: pathOf(approved) } };
}
type Prepared = Awaited<ReturnType<typeof prepare>>;

function emptyLog(signer: Signer): Writing {
  const { publicKey } = signer;
  return { signer, tail: { log: logNameOf(publicKey), publicKey, size: 0, last: null, peaks: [] } };
}

/** What the event says of a file, which is not committed with it unless it should be. */
function filesOf({ file }: Forgery, { t, thoughts, paths }: Prepared): readonly EventFile[] {
  const governed = {
    config: 'config.yaml',
    settings: 'trails/acme/.fava-trails.yaml',
    tombstone: listed(t.root, 'trails').find((path) => path.includes('/tombstones/')) ?? '',
    keys: 'tombstone-keys.yaml',
  };
  if (file === 'none') return [];
  if (file === 'gone') return [{ path: paths.own, before: null, after: null }];
  if (file === 'own' || file === 'approved') {
    const after = committed(t.root, paths[file]);
    const status = file === 'own' ? ('draft' as const) : ('approved' as const);
    return [{ path: paths[file], before: null, after, thought_id: thoughts[file], status }];
  }
  const path = governed[file];
  const isThere = listed(t.root, path).length > 0;
  return [{ path, before: null, after: isThere ? committed(t.root, path) : Buffer.from('stale_draft_days: 9\n') }];
}

class Forger {
  readonly #prepared: Prepared;
  readonly #tails = new Map<string, Writing['tail']>();

  constructor(prepared: Prepared) {
    this.#prepared = prepared;
  }

  /** The event's file and the checkpoint after it. */
  filesOf(forged: Forgery): Record<string, Committed> {
    const { t, writers, thoughts } = this.#prepared;
    const { verb, signer: name, as, kind, names, enrols, ends, about, minutes } = forged;
    const by = name === 'stranger' ? { ...newWriter(), agent_id: 'mallory', role: 'agent' as const } : writers[name];
    const { signer } = by;
    const tail = this.#tails.get(signer.publicKey) ?? by.tail;
    const next = newWriter().signer;
    const enrolled =
      enrols === 'itself'
        ? { key: signer.publicKey, agent_id: by.agent_id, role: by.role }
        : {
            key: next.publicKey,
            agent_id: 'owner',
            role: enrols === 'recovery' ? ('recovery' as const) : ('operator' as const),
          };
    const { publicKey: ended } = ends === 'the owner' ? writers.owner.signer : next;
    const context_id = randomBytes(16).toString('hex');
    const isVerdict = verb === 'approve' || verb === 'reject' || verb === 'request_changes';
    const event = buildEvent(
      {
        verb,
        ...(isVerdict ? { annotates: `sha256:${'0'.repeat(64)}` } : {}),
        ...{ informed_by: [], context_id, files: filesOf(forged, this.#prepared) },
        local: {
          ...{ agent_id: by.agent_id, role: as === 'its own' ? by.role : as, thought_id: thoughts[about] },
          ...(kind === undefined ? {} : { kind }),
          ...((name === 'desk') === (names === 'fitting') ? { attested: DORA } : {}),
          ...(enrols === 'nobody' ? {} : { enrolment: { ...enrolled, protection: 'none' as const } }),
          ...(ends === 'nobody'
            ? {}
            : { revocation: { ...handOver(ended, { size: 1, successor: next }), reason: 'retirement' as const } }),
          ...(verb === 'quarantine' ? { quarantine: { agent_id: 'bob', since: 0 } } : {}),
          ...(verb === 'purge' ? { purge: { old_head: '0'.repeat(40), new_head: '1'.repeat(40) } } : {}),
        },
      },
      {
        ...{ tail, seen: null, chainRoot: genesisChainRoot(context_id), signer, producer: 'forger' },
        timestamp: Date.now() + minutes * 60_000,
      },
    );
    this.#tails.set(signer.publicKey, event.tail);
    const origin = checkpointOrigin(t.record.repository.trust.repositoryId, event.tail.log);
    const { size, peaks } = event.tail;
    return {
      [event.path]: event.line,
      [checkpointPath(event.tail.log)]: renderCheckpoint({ origin, size, root: rootOf(peaks) }, signer),
    };
  }
}

type Findings = readonly { readonly verdict?: string | undefined; readonly path?: string | undefined }[];

async function compare(t: TestRecord, said: ReadonlyMap<string, string>) {
  using auditor = makeAuditor();
  const [ours, theirs] = [await verify(t.record), await auditor.verifyOnThread([auditor.clone(t.root)])];
  const told = (findings: Findings) =>
    [
      ...new Set(
        findings.flatMap(({ verdict, path = '' }) =>
          verdict === undefined ? [] : `${verdict} ${path} ${said.get(path) ?? ''}`,
        ),
      ),
    ].sort();
  expect(told(theirs.findings)).toEqual(told(ours.findings));
  return ours.findings;
}

test('forged events of every verb, key and role', async () => {
  const rounds = IS_LONG ? 8 : 1;
  for (let round = 0; round < rounds; round += 1) {
    const prepared = await prepare();
    await using t = prepared.t;
    const said = new Map<string, string>();
    const drawn = fc.sample(forgery, { numRuns: IS_LONG ? 120 : 70, seed: 7 + round });
    const forger = new Forger(prepared);
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
      const files: Record<string, Committed> = {};
      for (const forged of drawn.filter((one) => one.chunk === chunk)) {
        const made = forger.filesOf(forged);
        for (const path of Object.keys(made)) said.set(path, JSON.stringify(forged));
        Object.assign(files, made);
      }
      commit(t.root, files);
      await t.record.repository.settleIndex();
    }
    const findings = await compare(t, said);
    const grown = indexState(t.record.repository.index.reader());
    await t.record.repository.reindex();
    expect(grown).toEqual(indexState(t.record.repository.index.reader()));
    // Many of them are named, and not all.
    const named = new Set(findings.flatMap(({ path = '' }) => (path.endsWith('.jsonl') && said.has(path) ? path : [])));
    expect(named.size).toBeGreaterThan(25);
    expect(named.size).toBeLessThan(drawn.length);
  }
}, 600_000);
