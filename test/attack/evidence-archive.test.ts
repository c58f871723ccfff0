/** What somebody can do to an unpacked archive of evidence before an auditor looks at it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { repositoryIdOf } from '../../src/ledger/index.ts';
import { ok } from '../../src/record/outcome.ts';
import { collectEvidence } from '../../src/trail/evidence/evidence.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { makeRecord, value } from '../support/record.ts';
import { tempDir } from '../support/temp-dir.ts';
import { makeAuditor } from '../tools/support.ts';
import { commit, committed, listed, newWriter } from './forge.ts';

const trail_name = 'acme/eng';
const VERIFIER = new URL('../../tools/verify.mjs', import.meta.url);

type Files = Readonly<Record<string, string>>;
/** Texts by name, `null` for a file taken away. */
type Change = (files: Files) => Readonly<Record<string, string | null>>;

/** A decision of alice, whose key was handed over, about an observation of bob, whose key was ended. */
async function makeArchive() {
  await using t = await makeRecord();
  const [alice, bob] = [t.session('alice').operations(), t.session('bob').operations()];
  const carol = t.session('carol', { operator: true }).operations();
  const observed = value(await bob.save({ trail_name, content: 'It was the disk' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: observed, verdict: 'approve' }));
  const publicKey =
    t.record.repository.index
      .reader()
      .keys()
      .find(({ agent_id }) => agent_id === 'bob')?.key ?? '';
  const input = { publicKey, reason: 'retirement', size: 1 } as const;
  value(await revokeKey(t.record, input, { person: 'carol', confirm: async () => ok(null) }));
  const relationships = [{ type: 'DEPENDS_ON' as const, target_id: observed }];
  const decision = { trail_name, content: 'We cache', source_type: 'decision' as const, relationships };
  const subject = value(await alice.save(decision)).thought.thought_id;
  value(await rotateKey(t.record, { kind: 'agent', agentId: 'alice' }));
  value(await alice.update({ trail_name, thought_id: subject, content: 'We cache for a day' }));
  value(await carol.decide({ trail_name, thought_id: subject, verdict: 'approve' }));
  const context = await t.session('carol', { operator: true }).context();
  const made = value(await collectEvidence(context, { id: subject, verifier: readFileSync(VERIFIER) }));
  const files = Object.fromEntries([...made.files].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]));
  return { files, subject, observed, owner: t.record.repository.trust.owner };
}

function unpack(files: Readonly<Record<string, string | null>>): string {
  const folder = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, dirname(name)), { recursive: true });
    if (text !== null) writeFileSync(join(folder, name), text);
  }
  return folder;
}

const replace =
  (name: string, from: string | RegExp, to: string): Change =>
  (files) => {
    const text = files[name] ?? expect.fail(name);
    expect(text, name).toMatch(from);
    return { [name]: text.replace(from, to) };
  };

const lines = (files: Files) => (files['records.jsonl'] ?? '').trimEnd().split('\n');
const without =
  (verb: string): Change =>
  (files) => ({
    'records.jsonl': `${lines(files)
      .filter((line) => !line.includes(`"verb":"${verb}"`))
      .join('\n')}\n`,
  });
const copied =
  (from: (files: Files) => string, to: string): Change =>
  (files) => ({ [to]: files[from(files)] ?? expect.fail() });

test('every edit of an unpacked archive is named, whichever file it is in', async () => {
  const archive = await makeArchive();
  const { files, subject, observed, owner } = archive;
  using auditor = makeAuditor();
  const check = (changes: Readonly<Record<string, string | null>>, args: readonly string[] = []) =>
    auditor.verifyOnThread(['--evidence', unpack({ ...files, ...changes }), ...args]);

  const sound = await check({}, ['--owner', owner]);
  expect(sound).toMatchObject({ code: 0, findings: [], checked: { thoughts: 2 } });
  const path = `trails/${trail_name}/thoughts/decisions/${subject}.md`;
  expect(sound.notes.join('\n')).toMatch(
    `about thought ${subject}\n${path}: approved, by "approve" of carol as operator`,
  );
  expect(sound.notes.join('\n')).not.toContain('--owner');
  expect((await check({})).notes.join('\n')).toContain(`${owner}: give the key you know with "--owner KEY"`);
  // Of the owner, carol, bob and both keys of alice.
  expect(sound.checked.logs).toBe(5);

  const other = newWriter().signer.publicKey;
  const checkpoint = Object.keys(files).find((name) => name.startsWith('checkpoints/')) ?? '';
  const text = `thoughts/${subject}.md`;
  const cases: Readonly<Record<string, readonly [verdict: string | null, change: Change]>> = {
    'a reason in a record': ['edited', replace('records.jsonl', '"role":"operator"', '"role":"reviewer"')],
    'a record that is no JSON': ['edited', replace('records.jsonl', '{', '[')],
    'a record taken out': ['removed', without('approve')],
    'the first record and its proof taken out': [
      'removed',
      (all) => ({ ...without('init')(all), ...replace('proofs.json', /\[\s*\{[^}]*\},/, '[')(all) }),
    ],
    'a record twice': ['inserted', (all) => ({ 'records.jsonl': `${all['records.jsonl']}${lines(all).at(-1)}\n` })],
    'records turned around': ['reordered', (all) => ({ 'records.jsonl': `${lines(all).reverse().join('\n')}\n` })],
    'no proofs': ['cannot_tell', () => ({ 'proofs.json': '[]' })],
    'proofs that are none': ['cannot_tell', () => ({ 'proofs.json': '{"a":' })],
    'the place in a proof': ['edited', replace('proofs.json', '"leaf_index": 0', '"leaf_index": 1')],
    'the path of a proof': ['edited', replace('proofs.json', /"inclusion": \[\s*"./, '"inclusion": ["_')],
    'a checkpoint': ['edited', replace(checkpoint, /\n(\d+)\n/, '\n9$1\n')],
    'a checkpoint taken away': ['removed', () => ({ [checkpoint]: null })],
    'a checkpoint of nobody': ['inserted', copied(() => checkpoint, `checkpoints/${'0'.repeat(16)}`)],
    'the name of a key': ['unrecorded_change', replace('keys.json', '"agent_id": "carol"', '"agent_id": "mallory"')],
    'no keys': ['unrecorded_change', () => ({ 'keys.json': '[]' })],
    'keys that are none': ['unrecorded_change', () => ({ 'keys.json': '\u0000' })],
    'a text': ['unrecorded_change', replace(text, 'a day', 'ever')],
    'a text taken away': ['removed', () => ({ [text]: null })],
    'a text more': ['unrecorded_change', copied(() => text, 'thoughts/01KD2Q8W5N7YJ3V9T4B6RCXEMA.md')],
    "two texts in each other's place": [
      'unrecorded_change',
      (all) => ({ [text]: all[`thoughts/${observed}.md`] ?? null, [`thoughts/${observed}.md`]: all[text] ?? null }),
    ],
    'the subject, of another archive': [
      'removed',
      replace('evidence.json', /("subject": \{\s*"thought_id": )"\w+"/, '$1"01KD2Q8W5N7YJ3V9T4B6RCXEMA"'),
    ],
    'the id that a text is said to be of': [
      'unrecorded_change',
      replace(
        'evidence.json',
        `"thought_id": "${observed}",\n      "path"`,
        `"thought_id": "${subject}",\n      "path"`,
      ),
    ],
    'the file that a text is said to be in': [
      'unrecorded_change',
      replace('evidence.json', `"file": "thoughts/${observed}.md"`, `"file": "${text}"`),
    ],
    'the status of a text': [
      'unrecorded_change',
      replace('evidence.json', '"status": "approved"', '"status": "draft"'),
    ],
    'a path out of the folder': ['removed', replace('evidence.json', '"path": "keys.json"', '"path": "../keys.json"')],
    'an owner of another repository': ['re_rooted', replace('evidence.json', owner, other)],
    'another owner and repository': [
      're_rooted',
      (all) => {
        const { repository } = JSON.parse(all['evidence.json'] ?? '');
        const swapped = (all['evidence.json'] ?? '').replace(owner, other).replace(repository, repositoryIdOf(other));
        return { 'evidence.json': swapped };
      },
    ],
    'a statement without a subject': ['cannot_tell', replace('evidence.json', '"subject"', '"about"')],
    'a list of files that is none': ['cannot_tell', replace('evidence.json', '"files": [', '"files": [3,')],
    'a digest in the list': [null, replace('evidence.json', /"sha256": "./, '"sha256": "0')],
    'the file for people': [null, replace('README.txt', 'Check', 'Trust')],
    'a file beside': [null, () => ({ 'report.txt': 'x' })],
  };
  const found: Record<string, unknown> = {};
  for (const [name, [, change]] of Object.entries(cases)) found[name] = (await check(change(files))).verdicts;
  expect(found).toEqual(
    Object.fromEntries(Object.entries(cases).map(([name, [verdict]]) => [name, verdict === null ? [] : [verdict]])),
  );
  const noted = await check({ 'README.txt': 'x', 'report.txt': 'x' });
  expect(noted.notes).toEqual(
    expect.arrayContaining(['README.txt is not the file that was packed', 'report.txt is no part of the evidence']),
  );
  const folder = unpack({ ...files, [text]: null });
  symlinkSync(join(folder, 'records.jsonl'), join(folder, text));
  expect((await auditor.verifyOnThread(['--evidence', folder])).verdicts).toEqual(['removed']);
  expect(execFileSync(process.execPath, ['verify.mjs', '--owner', owner], { cwd: unpack(files) }).toString()).toMatch(
    /\nVerified: events \d+, thoughts 2, logs 5\n$/,
  );
}, 60_000);

test('there is no evidence of a thought that no record is about', async () => {
  await using t = await makeRecord();
  const { thought } = value(await t.session('alice').operations().save({ trail_name, content: 'Signed' }));
  const [path = ''] = listed(t.root, 'trails').filter((name) => name.endsWith('.md'));
  const byHand = '01KD2Q8W5N7YJ3V9T4B6RCXEMA';
  const text = committed(t.root, path).toString().replaceAll(thought.thought_id, byHand);
  commit(t.root, { [path.replace(thought.thought_id, byHand)]: text });
  const context = await t.session('carol', { operator: true }).context();
  const ask = (id: string) => collectEvidence(context, { id, verifier: new Uint8Array() });
  expect((await ask(thought.thought_id)).ok).toBe(true);
  expect(await ask(byHand)).toMatchObject({ ok: false, code: 'repository' });
});
