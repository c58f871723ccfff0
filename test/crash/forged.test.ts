/** The ledger under attack by somebody who can commit: what is forged, edited or removed is withheld and named. */

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import { buildEvent, eventPath, genesisChainRoot, logNameOf, signerFromSeed } from '../../src/ledger/index.ts';
import type { EventEnvelope, EventFile, Signer, WriterTail } from '../../src/ledger/types.ts';
import { cloneId } from '../../src/trail/clone.ts';
import { status } from '../../src/trail/status.ts';
import { IS_LONG, inShort } from '../support/long.ts';
import { value } from '../support/record.ts';
import { type Home, makeHome, type Opened } from './home.ts';

const trail_name = 'acme/eng';
const OPERATOR = { agent_id: 'carol', role: 'operator', via: 'library' } as const;

/** A draft of alice's and an approved thought beside it, with git's index in step. */
async function prepare(home: Home, opened: Opened) {
  const alice = opened.as('alice');
  // Her first event also enrols her key.
  value(await alice.save({ trail_name, content: 'First' }));
  const control = value(await alice.save({ trail_name, content: 'Policy, approved' })).thought.thought_id;
  value(await opened.as('carol', { operator: true }).decide({ trail_name, thought_id: control, verdict: 'approve' }));
  const draft = value(await alice.save({ trail_name, content: 'Policy, a draft' })).thought.thought_id;
  await home.untilClean();
  return { alice, control, draft, path: `trails/${trail_name}/thoughts/drafts/${draft}.md` };
}

function write(home: Home, path: string, text: string): void {
  mkdirSync(dirname(join(home.root, path)), { recursive: true });
  writeFileSync(join(home.root, path), text);
}

async function commitAll(home: Home): Promise<void> {
  await home.git('add', '--all');
  await home.git('commit', '--quiet', '-m', 'By hand');
}

async function recalled(opened: Opened): Promise<readonly string[]> {
  const { thoughts } = value(await opened.as('reader').recall({ trail_name, query: 'policy' }));
  return thoughts.map((thought) => thought.thought_id);
}

interface Forgery {
  readonly signer: Signer;
  readonly tail: WriterTail;
  readonly agent_id: string;
  readonly role: 'agent' | 'operator';
  readonly enrol?: boolean;
}

/** Commits the draft as approved, with an event that says so. */
async function approveByHand(home: Home, draft: { readonly id: string; readonly path: string }, by: Forgery) {
  const before = readFileSync(join(home.root, draft.path));
  const after = Buffer.from(before.toString().replace('validation_status: draft', 'validation_status: approved'));
  const file: EventFile = { path: draft.path, before, after, thought_id: draft.id, status: 'approved' };
  const { signer, tail, agent_id, role } = by;
  const context_id = randomBytes(16).toString('hex');
  const enrolment = { key: signer.publicKey, agent_id, role, protection: 'none' } as const;
  const event = buildEvent(
    {
      verb: 'approve',
      annotates: `sha256:${'0'.repeat(64)}`,
      informed_by: [],
      context_id,
      local: {
        agent_id,
        role,
        scope: trail_name,
        thought_id: draft.id,
        status: 'approved',
        kind: 'human',
        ...(by.enrol === true ? { enrolment } : {}),
      },
      files: [file],
    },
    { tail, seen: null, chainRoot: genesisChainRoot(context_id), timestamp: Date.now(), signer, producer: 'forger' },
  );
  write(home, draft.path, after.toString());
  write(home, event.path, event.line);
  await commitAll(home);
}

function stranger(): { signer: Signer; tail: WriterTail } {
  const signer = signerFromSeed(randomBytes(32), { protection: 'none' });
  const log = logNameOf(signer.publicKey);
  return { signer, tail: { log, publicKey: signer.publicKey, size: 0, last: null, peaks: [] } };
}

/** Alice's own key, which she has, with the end of her log. */
function insider(opened: Opened): { signer: Signer; tail: WriterTail } {
  const { keys, repository } = opened.record;
  const clone = cloneId(repository.root);
  const repositoryId = repository.trust.repositoryId;
  const key = keys.find({ kind: 'agent', repository: repositoryId, agent_id: 'alice', clone });
  const signer = key === null ? null : keys.signerOf(key);
  if (signer === null) throw new Error('Alice has no key');
  const tail = repository.index.reader().writerTail(logNameOf(signer.publicKey));
  if (tail === null) throw new Error('Alice has no log');
  return { signer, tail };
}

describe.concurrent('an approval', () => {
  const carol = { agent_id: 'carol', role: 'operator' } as const;
  const alice = { agent_id: 'alice', role: 'agent' } as const;
  const alicePosing = { agent_id: 'alice', role: 'operator' } as const;
  const forgeries = [
    ['signed by a key nobody enrolled', stranger, carol, 'event_invalid', 'unknown_key'],
    ["signed by an agent's key as that agent", insider, alice, 'event_invalid', 'wrong_role'],
    [
      'signed by a key that enrols itself as operator',
      stranger,
      { ...carol, enrol: true },
      'event_invalid',
      'wrong_role',
    ],
    ["signed by an agent's key in the role of an operator", insider, alicePosing, 'event_invalid', 'wrong_role'],
    ["signed by an agent's key in another's name", insider, carol, 'event_invalid', 'wrong_agent'],
  ] as const;
  test.for(inShort(forgeries, 2))('%s does not count', async ([, forger, as, reason, problem], { expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const { control, draft, path } = await prepare(home, opened);
    await approveByHand(home, { id: draft, path }, { ...forger(opened), ...as });
    expect(await recalled(opened)).toEqual([control]);
    // It follows nothing it could have followed, so the order of all events is looked at again.
    await opened.record.repository.settleIndex();
    const { problems, unverified } = await status(opened.record, OPERATOR);
    expect(unverified).toMatchObject([{ path, reason }]);
    expect(problems.map(({ code }) => code)).toEqual([problem]);
    for (const { path: named } of problems) expect(named).toMatch(/^ledger\//);
    // The others go on, and so does the record.
    value(await opened.as('bob').save({ trail_name, content: 'Saving goes on' }));
    expect(await recalled(opened)).toEqual([control]);
  });
});

/** The event about a thought, as a file of the working tree. */
function eventOf(
  home: Home,
  opened: Opened,
  thoughtId: string,
): { readonly path: string; readonly envelope: EventEnvelope } {
  const [event] = opened.record.repository.index.reader().eventsOfThought(thoughtId);
  const { log = '', seq = -1 } = event?.envelope.record.waymark ?? {};
  const path = eventPath(log, seq);
  return { path, envelope: JSON.parse(readFileSync(join(home.root, path), 'utf8')) };
}

describe.concurrent('an event file', () => {
  test('whose sidecar was edited withholds what rests on it', { timeout: 60_000 }, async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const { control, draft, path } = await prepare(home, opened);
    const event = eventOf(home, opened, draft);
    const edited = { ...event.envelope, _local: { ...event.envelope._local, agent_id: 'mallory' } };
    write(home, event.path, `${JSON.stringify(edited)}\n`);
    await commitAll(home);
    await opened.record.repository.settleIndex();
    const { problems, unverified } = await status(opened.record, OPERATOR);
    expect(unverified).toMatchObject([{ path, reason: 'event_invalid' }]);
    expect(problems).toMatchObject([{ path: event.path, line: 1, code: 'sidecar_mismatch' }]);
    expect(await recalled(opened)).toEqual([control]);
    await home.git('revert', '--no-edit', 'HEAD');
    await opened.record.repository.settleIndex();
    expect(await status(opened.record, OPERATOR)).toMatchObject({ problems: [], unverified: [] });
  });

  test('removed by hand is named, and its writer does not append over the gap', { timeout: 60_000 }, async ({
    expect,
  }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const { alice, control, draft } = await prepare(home, opened);
    const event = eventOf(home, opened, control);
    await home.git('rm', '--quiet', event.path);
    await home.git('commit', '--quiet', '-m', 'Remove it');
    await opened.record.repository.settleIndex();
    const { problems } = await status(opened.record, OPERATOR);
    const next = eventOf(home, opened, draft);
    expect(problems).toContainEqual(expect.objectContaining({ path: next.path, line: 1, code: 'event_missing_prev' }));
    const head = await home.git('rev-parse', 'main');
    for (const refused of [
      await alice.save({ trail_name, content: 'Over the gap' }),
      await alice.update({ trail_name, thought_id: draft, content: 'Over the gap' }),
    ]) {
      expect(refused).toMatchObject({ ok: false, code: 'repository', next: expect.stringContaining('waymark verify') });
    }
    expect(await home.git('rev-parse', 'main')).toBe(head);
    // Other writers go on, and so does alice when it is back.
    value(await opened.as('bob').save({ trail_name, content: 'Saving goes on' }));
    await home.untilClean();
    await home.git('checkout', `${head.trim()}~1`, '--', event.path);
    await home.git('commit', '--quiet', '-m', 'Bring it back');
    await opened.record.repository.settleIndex();
    expect(await status(opened.record, OPERATOR)).toMatchObject({ problems: [], unverified: [] });
    value(await alice.save({ trail_name, content: 'No gap any more' }));
  });

  // A reset that takes it away comes to the same, see below.
  test.runIf(IS_LONG)(
    'the newest one, removed by hand: its writer does not write it anew, but goes on under a new key',
    {
      timeout: 60_000,
    },
    async ({ expect }) => {
      await using home = await makeHome();
      await using opened = await home.open();
      const { alice, draft } = await prepare(home, opened);
      const event = eventOf(home, opened, draft);
      await home.git('rm', '--quiet', event.path);
      await home.git('commit', '--quiet', '-m', 'Remove it');
      await opened.record.repository.settleIndex();
      const { warning } = value(await alice.save({ trail_name, content: 'Another, not in its place' }));
      expect(warning).toContain('older copy');
      await home.untilClean();
      expect(existsSync(join(home.root, event.path))).toBe(false);
      // Back again it counts as before, beside what was written since.
      await home.git('revert', '--no-edit', 'HEAD~1');
      value(await alice.save({ trail_name, content: 'After it' }));
      value(await alice.get({ trail_name, thought_id: draft, mode: 'authoring' }));
      expect(await status(opened.record, OPERATOR)).toMatchObject({ problems: [], unverified: [] });
    },
  );
});

test('git reset --hard HEAD~1 after a save: its writer goes on under a new key, also when the commit is back', {
  timeout: 60_000,
}, async ({ expect }) => {
  await using home = await makeHome();
  await using opened = await home.open();
  const { alice, draft } = await prepare(home, opened);
  const head = (await home.git('rev-parse', 'main')).trim();
  await home.git('reset', '--quiet', '--hard', 'HEAD~1');
  await opened.record.repository.settleIndex();
  const memories = async () =>
    (await status(opened.record, OPERATOR)).writers
      .filter(({ agent_id }) => agent_id === 'alice')
      .map(({ remembered }) => remembered)
      .sort();
  expect(await memories()).toEqual(['cut']);
  expect(await alice.get({ trail_name, thought_id: draft, mode: 'authoring' })).toMatchObject({ ok: false });
  const saved = value(await alice.save({ trail_name, content: 'On a new log' }));
  expect(saved.warning).toContain('older copy');
  expect(await memories()).toEqual(['ok', 'restored']);
  await home.untilClean();
  await home.git('cherry-pick', '--allow-empty', head);
  value(await alice.save({ trail_name, content: 'Whole again' }));
  expect(await memories()).toEqual(['ok', 'ok']);
  for (const thought_id of [draft, saved.thought.thought_id]) {
    value(await alice.get({ trail_name, thought_id, mode: 'authoring' }));
  }
  expect(await status(opened.record, OPERATOR)).toMatchObject({ problems: [], unverified: [] });
});

test('tampering with a replacement does not bring back what it replaced', { timeout: 60_000 }, async ({ expect }) => {
  await using home = await makeHome();
  await using opened = await home.open();
  const { alice, control } = await prepare(home, opened);
  const carol = opened.as('carol', { operator: true });
  const change = { trail_name, thought_id: control, content: 'Policy, new', reason: 'r' };
  const id = value(await alice.supersede(change)).new_thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: id, verdict: 'approve' }));
  await home.untilClean();
  expect(await recalled(opened)).toEqual([id]);
  const path = `trails/${trail_name}/thoughts/observations/${id}.md`;
  write(home, path, `${readFileSync(join(home.root, path), 'utf8')} edited`);
  await commitAll(home);
  expect(await recalled(opened)).toEqual([]);
  await home.git('revert', '--no-edit', 'HEAD');
  expect(await recalled(opened)).toEqual([id]);
});
