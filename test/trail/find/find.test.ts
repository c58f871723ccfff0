/** What `waymark find --everywhere` and `waymark scan` see, of planted texts (cases.md B49). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type FoundPlace, findEverywhere } from '../../../src/trail/find/find-everywhere.ts';
import { scan } from '../../../src/trail/find/scan.ts';
import { commitFile, git } from '../../cases/evidence.ts';
import { parsed } from '../../cli/support.ts';
import { alnum } from '../../secrets/examples.ts';
import { makeRecord, type TestRecord, value } from '../../support/record.ts';

const SCOPE = { trail_name: 'acme/api' };
const WORDS = 'The grey heron “lands” at noon';
const PERSON = ['-c', 'user.name=p', '-c', 'user.email=p@example.com'];

async function places(t: TestRecord, text: string, exact = false): Promise<readonly FoundPlace[]> {
  const { principal } = await t.session('carol', { operator: true }).context();
  const { repository, environment } = t.record;
  const found = await findEverywhere({ repository, principal }, { text, exact, environment, report: () => undefined });
  return value(found).places;
}

const kinds = (found: readonly FoundPlace[]) => [...new Set(found.map(({ place }) => place))].sort();

test('find names each place of a text: thought, older version, stash, tag, reflog, unreachable object, mirror, working file', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const first = value(await alice.save({ ...SCOPE, content: `# Birds\n\n${WORDS}.` })).thought.thought_id;
  const found = await places(t, WORDS);
  const path = found.find(({ place }) => place === 'committed')?.path;
  expect(found).toContainEqual({ place: 'committed', path, thought_id: first, status: 'draft' });
  expect(kinds(found)).toEqual(['committed', 'history', 'state', 'working']);
  value(await alice.update({ ...SCOPE, thought_id: first, content: 'Nothing is said of birds now' }));
  // Only history is left, and the index's pages or what SQLite has not overwritten yet.
  const later = await places(t, WORDS);
  expect(kinds(later).filter((kind) => kind !== 'state')).toEqual(['history']);
  expect(later.find(({ place }) => place === 'history')).toMatchObject({
    path,
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  // Other case, width, line ends and JSON's escapes are the same words; not where exactly they are asked for.
  const escaped = JSON.stringify({ text: WORDS.toUpperCase().replace(' ', '\n') });
  const mirror = t.record.environment.atribRecords.folder;
  mkdirSync(mirror, { recursive: true });
  writeFileSync(join(mirror, 'copy.jsonl'), escaped);
  expect(kinds(await places(t, WORDS))).toContain('mirrors');
  expect(kinds(await places(t, WORDS, true))).not.toContain('mirrors');
  // Blobs that no branch has.
  const stashed = 'only the stash has this';
  writeFileSync(join(t.root, 'note.txt'), stashed);
  git(t.root, 'add', 'note.txt');
  git(t.root, ...PERSON, 'stash', '--quiet');
  const dangling = 'nothing leads to this at all';
  writeFileSync(join(dirname(t.root), 'loose'), dangling);
  git(t.root, 'hash-object', '-w', join(dirname(t.root), 'loose'));
  expect(await places(t, stashed)).toContainEqual({ place: 'history', path: 'note.txt', commit: expect.any(String) });
  expect(await places(t, dangling)).toContainEqual({ place: 'history', object: expect.any(String) });
  const tagged = 'a tag says this of itself';
  git(t.root, ...PERSON, 'tag', '-a', 'v1', '-m', tagged, 'main');
  expect(kinds(await places(t, tagged))).toEqual(['history']);
  expect(await places(t, 'a text that was never written here')).toEqual([]);
});

test('find is for operators, refuses what is everywhere, and takes the text from stdin or the line', async () => {
  await using t = await makeRecord();
  value(
    await t
      .session('alice')
      .operations()
      .save({ ...SCOPE, content: WORDS }),
  );
  const at = (operator: string) => ({
    cwd: t.root,
    env: { ...t.env, WAYMARK_OPERATOR: operator, WAYMARK_AGENT_ID: 'carol' },
  });
  const refused = await parsed(['find', '--everywhere', WORDS, '--json'], at('0'));
  expect(refused.code).toBe(1);
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'authority' });
  const found = await parsed(['find', '--everywhere', WORDS, '--json'], at('1'));
  expect(found.code).toBe(0);
  expect(found.stderr).toContain('history of your shell');
  expect(JSON.parse(found.stdout)).toMatchObject({ counts: { committed: 1, working: 1 }, refs: ['refs/heads/main'] });
  expect(found.stdout).not.toContain('heron');
  expect(JSON.parse((await parsed(['find', '--everywhere', 'abc', '--json'], at('1'))).stdout)).toMatchObject({
    code: 'invalid',
  });
});

test('scan names rule and place of secrets that came in past Waymark, never the value; a clean record has none', async () => {
  await using t = await makeRecord();
  value(
    await t
      .session('alice')
      .operations()
      .save({ ...SCOPE, content: 'clean' }),
  );
  const subject = { repository: t.record.repository };
  const scanned = async (history: boolean) => value(await scan(subject, { history, report: () => undefined }));
  expect(await scanned(true)).toMatchObject({ status: 'ok', findings: [], unreadable: [] });
  const token = `gh${'p_'}${alnum(36)}`;
  commitFile(t.root, 'trails/acme/notes.md', `mine: ${token}\n`);
  commitFile(t.root, 'trails/acme/notes.md', 'mine is in the vault\n');
  const foreign = `shp${'at_'}${alnum(32)}`;
  writeFileSync(join(t.root, 'trails', 'acme', 'draft.txt'), foreign);
  const now = await scanned(false);
  expect(now.findings).toEqual([{ rule: 'secretlint-rule-shopify', where: 'working', path: 'trails/acme/draft.txt' }]);
  const all = await scanned(true);
  expect(all.findings).toContainEqual({
    rule: 'github_pat',
    where: 'history',
    path: 'trails/acme/notes.md',
    commit: expect.stringMatching(/^[0-9a-f]{40}$/),
  });
  expect(all.refs).toEqual(['refs/heads/main']);
  for (const secret of [token, foreign]) expect(JSON.stringify(all)).not.toContain(secret.slice(4, 20));
  const at = { cwd: t.root, env: t.env };
  expect((await parsed(['scan'], at)).code).toBe(1);
  expect((await parsed(['scan', '--history'], at)).stdout).toContain('github_pat');
});
