/** Members of other types than they should be, signed by a key that counts: both verifiers read the same events. */
import { expect, test } from 'vitest';
import {
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  genesisChainRoot,
  hashOf,
  jcs,
  leafHash,
  logEntry,
  recordHash,
  renderCheckpoint,
  rootOf,
  signRecord,
} from '../../src/ledger/index.ts';
import { verify } from '../../src/trail/verify.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRecord, value } from '../support/record.ts';
import { makeAuditor } from '../tools/support.ts';
import { type Committed, commit, newWriter } from './forge.ts';

const CONTEXT = 'c'.repeat(32);
const HASH = `sha256:${'a'.repeat(64)}`;
const JUNK = [null, 5, -1, '', 'x', HASH, [5], ['x'], {}] as const;

/** Every member of a sidecar that docs/format.md names, and one that nobody knows. */
const SIDECAR = [
  ...['producer', 'verb', 'nonce', 'agent_id', 'role', 'via', 'scope', 'thought_id', 'status', 'reason', 'unresolved'],
  ...['author', 'files', 'claim', 'grounds', 'self', 'kind', 'review', 'protection', 'enrolment', 'revocation'],
  ...['restored', 'quarantine', 'erased', 'erased_by', 'purge', 'denial', 'tombstone', 'near_tombstone', 'beside'],
  ...['idempotency', 'xyzzy'],
];
const RECORD = [
  ...['spec_version', 'content_id', 'chain_root', 'event_type', 'context_id', 'timestamp', 'timestamp_granularity'],
  ...['informed_by', 'annotates', 'revises', 'args_hash', 'args_salt', 'result_hash', 'result_salt', 'tool_name'],
  ...['session_token', 'provenance_token', 'delegation_cert_hash', 'checkpoint', 'signers', 'revoked_key'],
  ...['revocation_reason', 'successor_key', 'waymark', 'xyzzy'],
];
/** Parts of the members that have some: a sound one, and which of it is spoilt. */
const NESTED: Readonly<Record<string, object>> = {
  review: { policy: 'human', model: 'm', prompt: HASH, verdict: 'approve', error: 'x' },
  quarantine: { agent_id: 'bob', since: 5 },
  purge: { old_head: 'a'.repeat(40), new_head: 'b'.repeat(40) },
  denial: { rule: 'x', verb: 'y', field: 'z', count: 1 },
  idempotency: { key: 'x', input: 'a'.repeat(64) },
  restored: { log: 'a'.repeat(16), size: 1, root: `${'A'.repeat(43)}=`, found: 0 },
};
const SKELETON = {
  ...{ record: HASH, verb: 'save', agent_id: 'bob', role: 'agent', via: 'x', scope: 'x', thought_id: 'x' },
  ...{ status: 'draft', kind: 'human', self: true, protection: 'none', files: [{ path: 'x' }] },
};

interface Spoilt {
  readonly local?: Readonly<Record<string, unknown>>;
  readonly record?: Readonly<Record<string, unknown>>;
}

function spoilt(): readonly Spoilt[] {
  const nested = Object.entries(NESTED).flatMap(([member, whole]) => [
    { local: { [member]: whole } },
    ...Object.keys(whole).flatMap((name) =>
      ['x', 5, null].map((junk) => ({ local: { [member]: { ...whole, [name]: junk } } })),
    ),
  ]);
  const skeletons = Object.keys(SKELETON).flatMap((name) =>
    ['x', 5, null].map((junk) => ({ local: { erased: [{ ...SKELETON, [name]: junk }] } })),
  );
  return [
    ...SIDECAR.flatMap((name) => JUNK.map((junk) => ({ local: { [name]: junk } }))),
    ...RECORD.flatMap((name) => JUNK.map((junk) => ({ record: { [name]: junk } }))),
    ...['https:x', 'https://x', 'urn:x', 'x:y#z'].map((event_type) => ({ record: { event_type } })),
    ...['s', 'd', 'ms'].map((timestamp_granularity) => ({ record: { timestamp_granularity } })),
    { record: { event_type: 'https://atrib.dev/v1/types/session_checkpoint', checkpoint: {} } },
    ...nested,
    ...skeletons,
  ];
}

/** The event in a log of its own, and that log's checkpoint. */
function filesOf({ local, record: members }: Spoilt, repositoryId: string): Record<string, Committed> {
  const { signer, tail } = newWriter();
  const enrolment = { key: signer.publicKey, agent_id: 'mallory', role: 'agent', protection: 'none' } as const;
  const draft = {
    ...({ verb: 'start', informed_by: [], context_id: CONTEXT, files: [] } as const),
    local: { agent_id: 'mallory', role: 'agent', enrolment } as const,
  };
  const place = { tail, seen: null, chainRoot: genesisChainRoot(CONTEXT), timestamp: 1_700_000_000_000 };
  const { record: sound, local: sidecar, path } = buildEvent(draft, { ...place, signer, producer: 'forger' });
  const changed = { ...sidecar, ...local };
  const { signature: _, ...unsigned } = sound;
  const record = signRecord({ ...unsigned, args_hash: hashOf(jcs(changed)), ...members }, signer);
  const leaf = leafHash(logEntry(sound, recordHash(record)));
  const origin = checkpointOrigin(repositoryId, tail.log);
  return {
    [path]: `${JSON.stringify({ record, _local: changed })}\n`,
    [checkpointPath(tail.log)]: renderCheckpoint({ origin, size: 1, root: rootOf([leaf]) }, signer),
  };
}

test('an event with a member of another type is the same event to both verifiers', async () => {
  await using t = await makeRecord();
  using auditor = makeAuditor();
  value(await t.session('alice').operations().save({ trail_name: 'acme', content: 'One' }));
  // Some of each kind, and every one in the long run.
  const changes = spoilt().filter((_, at) => IS_LONG || at % 6 === 1);
  const named = new Map<string, string>();
  const files: Record<string, Committed> = {};
  for (const change of changes) {
    const made = filesOf(change, t.record.repository.trust.repositoryId);
    for (const path of Object.keys(made)) named.set(path, JSON.stringify(change));
    Object.assign(files, made);
  }
  commit(t.root, files);
  const ours = await verify(t.record);
  const theirs = await auditor.verifyOnThread([auditor.clone(t.root)]);
  type Findings = readonly { readonly verdict?: string | undefined; readonly path?: string | undefined }[];
  const told = (findings: Findings) =>
    findings.flatMap(({ verdict, path = '' }) =>
      verdict === undefined ? [] : `${verdict}: ${named.get(path) ?? path}`,
    );
  expect([...new Set(told(theirs.findings))].sort()).toEqual([...new Set(told(ours.findings))].sort());
  expect(ours.findings.length).toBeGreaterThan(changes.length / 2);
  expect(ours.findings.length).toBeLessThan(changes.length);
}, 200_000);
