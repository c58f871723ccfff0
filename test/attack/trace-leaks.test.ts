/**
 * What is withheld leaves no trace in a trace: the same record answers an agent byte for byte alike with and without all
 * that it must not see, whatever it asks, from the record, a mirror or a service.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { eventPath, type Hash, LINK_KINDS, recordHash } from '../../src/ledger/index.ts';
import type { EventEnvelope } from '../../src/ledger/types.ts';
import { type Arguments, connect } from '../cases/caller.ts';
import { eventsOf } from '../cases/evidence.ts';
import { type FakeAtrib, json, startAtrib } from '../fakes/atrib-log.ts';
import { CONTEXT } from '../ledger/support.ts';
import { observation } from '../store/mirrors/support.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const SCOPE = { trail_name: 'acme/api' };
const UNKNOWN: Hash = `sha256:${'cd'.repeat(32)}`;

/** Everything about bob's thoughts is withheld from alice, and all that is bob's own; her own and the approved are not. */
async function setUp(t: TestRecord) {
  const operator = t.session('carol', { operator: true });
  const [alice, bob, carol] = [
    await connect(t.session('alice')),
    await connect(t.session('bob')),
    await connect(operator),
  ];
  const approve = (thought_id: string) => carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  const first = await alice.save({ ...SCOPE, content: 'seen by all' });
  await approve(first);

  await bob.ok('start_thought', { ...SCOPE, description: 'a line of work' });
  const draft = await bob.save({ ...SCOPE, content: 'a draft', parent_id: first });
  const proposed = await bob.save({ ...SCOPE, content: 'proposed', parent_id: first });
  await bob.ok('propose_truth', { ...SCOPE, thought_id: proposed });
  const rejected = await bob.save({ ...SCOPE, content: 'rejected', informed_by: [draft] });
  await bob.ok('propose_truth', { ...SCOPE, thought_id: rejected });
  value(await operator.operations().decide({ ...SCOPE, thought_id: rejected, verdict: 'reject', reason: 'no' }));
  const forgotten = await bob.save({ ...SCOPE, content: 'forgotten', parent_id: first });
  await approve(forgotten);
  await carol.ok('forget', { ...SCOPE, thought_id: forgotten, reason: 'out' });
  await bob.refused('forget', { ...SCOPE, thought_id: draft, reason: 'not allowed' });

  const secret = [draft, proposed, rejected, forgotten];
  const isWithheld = ({ _local: local }: EventEnvelope) =>
    local === undefined ||
    secret.includes(local.thought_id ?? '') ||
    (['start', 'deny'].includes(local.verb) && local.agent_id === 'bob');
  const hidden = eventsOf(t.root).filter(isWithheld);
  const decision = await alice.save({ ...SCOPE, content: 'follows', informed_by: [...hidden.map(hashOf), UNKNOWN] });
  await approve(decision);
  const own = await alice.save({ ...SCOPE, content: 'own draft', parent_id: decision, informed_by: secret });
  return { first, decision, own, secret, hidden };
}

/** One event of each kind: what is done to each is alike. */
function oneOfEach(events: readonly EventEnvelope[]): readonly Hash[] {
  return [...new Map(events.map((event) => [event._local?.verb, hashOf(event)])).values()];
}

function hashOf({ record }: EventEnvelope): Hash {
  return recordHash(record);
}

const paged = z.looseObject({ cursor: z.string().optional() });

/** Asks a new process of alice's everything; the answers as they came, by the question, with what the services saw. */
async function askAll(t: TestRecord, { fake, starts, contexts }: Asking): Promise<ReadonlyMap<string, string>> {
  const session = t.session('alice');
  const alice = await connect(session);
  const answers = new Map<string, string>();
  const ask = async (tool: string, args: Arguments) => {
    const asked = fake.asked.length;
    const answer = await alice.raw(tool, args);
    const text = JSON.stringify([answer, fake.asked.slice(asked).toSorted()]);
    const fence = /stored-data id=\W*([0-9a-f]+)/.exec(text)?.[1] ?? 'none';
    answers.set(JSON.stringify([tool, args]), text.replaceAll(fence, 'FENCE'));
    return paged.parse(answer.structuredContent ?? {}).cursor;
  };
  for (const record_hash of starts) {
    for (const direction of ['backward', 'forward', 'both']) {
      const every = { record_hash, direction, depth: 10, follow: LINK_KINDS };
      await ask('trace', { ...every, include_content: true });
      for (const more of [{ depth: 0 }, { max_nodes: 2 }]) {
        for (let cursor = await ask('trace', { ...every, ...more }); cursor !== undefined; ) {
          cursor = await ask('trace', { ...every, ...more, cursor });
        }
      }
    }
    await ask('trace', { record_hash, compact: false });
    await ask('trace', { record_hash: record_hash.slice(0, record_hash.startsWith('sha256:') ? 15 : 20) });
    await ask('summarize', { from: record_hash });
    const path = { record_hash, path_to: starts[0] ?? '', follow: LINK_KINDS };
    answers.set(JSON.stringify(path), JSON.stringify(await session.operations().tracePath(path)));
  }
  for (const context_id of contexts) {
    await ask('summarize', { context_id });
    await ask('trace', { record_hash: starts[1], context_id, direction: 'both', depth: 10, follow: LINK_KINDS });
  }
  await ask('summarize', { record_hashes: starts.filter((start) => start.startsWith('sha256:')), max_records: 3 });
  return answers;
}

interface Asking {
  readonly fake: FakeAtrib;
  /** Hashes and thought ids, a visible thought first. */
  readonly starts: readonly string[];
  readonly contexts: readonly string[];
}

async function verifiedFor(t: TestRecord, agent: string, hashes: readonly Hash[]): Promise<number> {
  const caller = await connect(t.session(agent));
  const answers = await Promise.all(hashes.map((record_hash) => caller.raw('trace', { record_hash, depth: 0 })));
  return answers.filter(({ structuredContent }) => JSON.stringify(structuredContent).includes('"status":"valid"'))
    .length;
}

/** A log that knows of every hash, and an archive whose answers make no sense; nobody without hashes. */
function configure(t: TestRecord, fake: FakeAtrib, hashes: readonly Hash[]): void {
  const facts = { creator_key: 'A'.repeat(43), context_id: CONTEXT, timestamp_ms: 5, event_type: 'observation' };
  for (const hash of hashes) {
    fake.answer('record', hash, json({ not: 'a record' }));
    fake.answer('lookup', hash, json({ ...facts, index: 1 }));
  }
  const folder = join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
  mkdirSync(folder, { recursive: true });
  const text = `atrib_log_url: "${fake.url}"\natrib_archive_url: "${fake.url}"\n`;
  writeFileSync(join(folder, 'config.yaml'), hashes.length === 0 ? '' : text);
}

/** Writes the mirror of this account anew. */
function mirror(t: TestRecord, lines: readonly unknown[]): void {
  const folder = join(t.env['HOME'] ?? '', '.atrib', 'records');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'a.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** In one commit, past Waymark. */
function removeFiles(root: string, isRemoved: (path: string) => boolean): void {
  const env = { ...process.env, GIT_INDEX_FILE: join(root, '.git', 'index-of-person') };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=p', '-c', 'user.email=p@example.com', ...args], { cwd: root, env })
      .toString()
      .trim();
  git('read-tree', 'main');
  git('update-index', '--force-remove', '--', ...git('ls-files').split('\n').filter(isRemoved));
  git('update-ref', 'refs/heads/main', git('commit-tree', git('write-tree'), '-p', 'main', '-m', 'By hand'));
}

test('an agent is answered alike with and without what is withheld from it', async () => {
  await using fake = await startAtrib();
  await using t = await makeRecord();
  const made = await setUp(t);
  const { hidden, secret, own } = made;
  const hashes = [...hidden.map(hashOf), UNKNOWN];
  const foreign = observation('elsewhere', { informed_by: hashes.toSorted() });
  mirror(t, [foreign.record, ...hidden]);
  const starts = [made.first, made.decision, own, ...secret, ...oneOfEach(hidden), foreign.hash, UNKNOWN];

  const contexts = [...new Set(eventsOf(t.root).map(({ record }) => record.context_id))];

  const askEverybody = async () => {
    const here = await askAll(t, { fake, starts, contexts });
    configure(t, fake, hashes);
    const elsewhere = await askAll(t, { fake, starts: [made.decision, ...hashes.slice(-2)], contexts: [] });
    configure(t, fake, []);
    return [...here, ...[...elsewhere].map(([question, answer]) => [`remote ${question}`, answer] as const)];
  };
  const before = await askEverybody();
  // A control: they are there, for whose they are.
  expect(await verifiedFor(t, 'bob', hashes)).toBeGreaterThan(5);
  expect(await verifiedFor(t, 'alice', hashes)).toBe(0);

  const places = hidden.flatMap(({ record: { waymark } }) =>
    waymark === undefined ? [] : [eventPath(waymark.log, waymark.seq)],
  );
  removeFiles(t.root, (path) => places.includes(path) || secret.some((id) => path.includes(id)));
  mirror(t, [foreign.record]);
  await t.record.repository.settleIndex();
  expect(await verifiedFor(t, 'bob', hashes)).toBe(0);
  const after = new Map(await askEverybody());
  expect(fake.asked.length).toBeGreaterThan(10);
  expect(before.length).toBe(after.size);
  const differing = before.filter(([question, answer]) => after.get(question) !== answer);
  expect(differing.map(([question, answer]) => [question, answer, after.get(question)])).toEqual([]);
});
