/** Other people's commits, edits and branches beside the writer: nothing is lost, and what cannot be done is said. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'vitest';
import type { Outcome } from '../../src/record/outcome.ts';
import { status } from '../../src/trail/status.ts';
import type { WriteResult } from '../../src/trail/types.ts';
import { IS_LONG } from '../support/long.ts';
import { value } from '../support/record.ts';
import { untilClean } from './clean.ts';
import { examine } from './examine.ts';
import { type Home, makeHome, type Opened } from './home.ts';

const trail_name = 'acme/eng';
const SAVES = IS_LONG ? 50 : 10;

function writeFile(home: Home, path: string, text: string): void {
  mkdirSync(dirname(join(home.root, path)), { recursive: true });
  writeFileSync(join(home.root, path), text);
}

function readFile(home: Home, path: string): string {
  return readFileSync(join(home.root, path), 'utf8');
}

async function commitAll(home: Home, message: string): Promise<void> {
  await home.git('add', '--all');
  await home.git('commit', '--quiet', '-m', message);
}

function idOf(outcome: Outcome<WriteResult>): string {
  return value(outcome).thought.thought_id;
}

function pathOf(id: string, namespace = 'drafts'): string {
  return `trails/${trail_name}/thoughts/${namespace}/${id}.md`;
}

/** An approved thought, as a positive control beside what is withheld. */
async function approved(opened: Opened, content: string): Promise<string> {
  const id = idOf(await opened.as('alice').save({ trail_name, content }));
  value(await opened.as('carol', { operator: true }).decide({ trail_name, thought_id: id, verdict: 'approve' }));
  return id;
}

async function recalled(opened: Opened, query: string): Promise<readonly string[]> {
  return value(await opened.as('reader').recall({ trail_name, query })).thoughts.map((thought) => thought.thought_id);
}

async function unverified(opened: Opened): Promise<readonly string[]> {
  const principal = { agent_id: 'carol', role: 'operator', via: 'library' } as const;
  return (await status(opened.record, principal)).unverified.map(({ path, reason }) => `${reason} ${path}`);
}

describe.concurrent('commits of other people', () => {
  test(`between every two of ${SAVES} saves cost none of them`, { timeout: 120_000 }, async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    const ids: string[] = [];
    for (let round = 0; round < SAVES; round += 1) {
      ids.push(idOf(await alice.save({ trail_name, content: `Before commit ${round}` })));
      if (round % 10 === 9) {
        // A person's own commit takes git's index as it is.
        await home.untilClean();
        writeFile(home, `notes/${round}.md`, 'By hand\n');
        await commitAll(home, 'A note');
      } else {
        const commit = await home.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', `Outside ${round}`);
        await home.git('update-ref', 'refs/heads/main', commit.trim());
      }
    }
    const state = await examine(opened);
    expect(state.faults).toEqual([]);
    expect([...state.thoughts.values()].map((thought) => thought.thought_id).sort()).toEqual([...ids].sort());
    expect(Number(await home.git('rev-list', '--count', 'main'))).toBe(1 + 2 * SAVES);
    expect(opened.warnings).toEqual([]);
  });

  test('that stage everything (git commit -am) keep every thought', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    writeFile(home, 'notes.md', 'First line\n');
    await commitAll(home, 'Notes');
    for (let round = 0; round < 5; round += 1) {
      value(await alice.save({ trail_name, content: `Before commit ${round}` }));
      await home.untilClean();
      writeFile(home, 'notes.md', `Line ${round}\n`);
      await home.git('commit', '--quiet', '-am', `Notes ${round}`);
    }
    const state = await examine(opened);
    expect(state.faults).toEqual([]);
    expect(state.thoughts.size).toBe(5);
  });

  test('merged from another clone bring its thoughts and lose none of ours', { timeout: 60_000 }, async ({
    expect,
  }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    value(await opened.as('alice').save({ trail_name, content: 'Before the clone' }));
    await home.untilClean();
    await home.git('clone', '--quiet', '.', '../clone');
    await using other = await home.open({ root: join(home.root, '../clone') });
    value(await other.as('alice').save({ trail_name, content: 'In the clone' }));
    value(await opened.as('alice').save({ trail_name, content: 'Here' }));
    await home.untilClean();
    await other.close();
    await home.git('pull', '--quiet', '--no-rebase', '--no-edit', '../clone', 'main');
    value(await opened.as('alice').save({ trail_name, content: 'After the merge' }));
    const state = await examine(opened);
    expect(state.faults).toEqual([]);
    expect(state.thoughts.size).toBe(4);
    // The clone is another writer of the same agent.
    expect([...state.logs.values()].sort()).toEqual([1, 2, 3]);
  });
});

describe.concurrent('what a person writes into the record by hand', () => {
  test('cannot approve a draft: it is withheld and named', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const control = await approved(opened, 'Policy, approved');
    const draft = idOf(await opened.as('alice').save({ trail_name, content: 'Policy, forged' }));
    await home.untilClean();
    const text = readFile(home, pathOf(draft)).replace('validation_status: draft', 'validation_status: approved');
    writeFile(home, pathOf(draft), text);
    await commitAll(home, 'Approve it myself');
    expect(await recalled(opened, 'policy')).toEqual([control]);
    expect(await unverified(opened)).toEqual([`changed_since_event ${pathOf(draft)}`]);
    expect(await opened.as('alice').update({ trail_name, thought_id: draft, content: 'Mine' })).toMatchObject({
      ok: false,
    });
    // Put back, it is alice's draft again.
    await home.git('revert', '--no-edit', 'HEAD');
    value(await opened.as('alice').update({ trail_name, thought_id: draft, content: 'Policy, mine' }));
    expect(await unverified(opened)).toEqual([]);
    expect(await recalled(opened, 'policy')).toEqual([control]);
  });

  test('cannot add an approved thought: it is withheld and named', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const control = await approved(opened, 'Policy, approved');
    await home.untilClean();
    const [path = ''] = (await home.git('ls-files', '*.md')).split('\n').filter((line) => line.includes(control));
    const forged = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
    const forgedPath = path.replace(control, forged);
    writeFile(home, forgedPath, readFile(home, path).replaceAll(control, forged));
    await commitAll(home, 'One more');
    expect(await recalled(opened, 'policy')).toEqual([control]);
    expect(await unverified(opened)).toEqual([`no_event ${forgedPath}`]);
    await home.git('rm', '--quiet', forgedPath);
    await home.git('commit', '--quiet', '-m', 'Remove it');
    expect(await unverified(opened)).toEqual([]);
  });

  test('that is broken is named by path and line, and hides nothing else', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const controls = [await approved(opened, 'Policy one'), await approved(opened, 'Policy two')];
    const [broken, crlf, bom] = [
      idOf(await opened.as('alice').save({ trail_name, content: 'Policy, broken' })),
      idOf(await opened.as('alice').save({ trail_name, content: 'Policy, with CR LF' })),
      idOf(await opened.as('alice').save({ trail_name, content: 'Policy, with a mark' })),
    ];
    await home.untilClean();
    writeFile(home, pathOf(broken), readFile(home, pathOf(broken)).replace('source_type:', 'source_type: [unclosed'));
    writeFile(home, pathOf(crlf), readFile(home, pathOf(crlf)).replaceAll('\n', '\r\n'));
    writeFile(home, pathOf(bom), `\uFEFF${readFile(home, pathOf(bom))}`);
    await commitAll(home, 'Edits');
    expect((await recalled(opened, 'policy')).toSorted()).toEqual(controls.toSorted());
    const { problems } = await status(opened.record, { agent_id: 'carol', role: 'operator', via: 'library' });
    expect(problems).toMatchObject([{ path: pathOf(broken), code: 'yaml' }]);
    expect(problems[0]?.line).toBeGreaterThan(1);
    // These two are read, and differ from what was signed.
    expect((await unverified(opened)).toSorted()).toEqual(
      [`changed_since_event ${pathOf(crlf)}`, `changed_since_event ${pathOf(bom)}`].toSorted(),
    );
    const carol = opened.as('carol', { operator: true });
    const seen = value(await carol.get({ trail_name, thought_id: crlf, mode: 'history' })).thought;
    expect(seen).toMatchObject({ unverified: 'changed_since_event', agent_id: 'alice' });
    value(await opened.as('alice').save({ trail_name, content: 'Saving goes on' }));
  });

  test('and has not committed is not overwritten', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    const id = idOf(await alice.save({ trail_name, content: 'As saved' }));
    await home.untilClean();
    const edited = `${readFile(home, pathOf(id))}A line by hand\n`;
    writeFile(home, pathOf(id), edited);
    const refused = await alice.update({ trail_name, thought_id: id, content: 'As updated' });
    expect(refused).toMatchObject({
      ok: false,
      code: 'uncommitted_edit',
      next: expect.stringContaining('git checkout'),
    });
    expect(readFile(home, pathOf(id))).toBe(edited);
    value(await alice.save({ trail_name, content: 'Another thought is not held up' }));
    expect(readFile(home, pathOf(id))).toBe(edited);
    await home.git('checkout', '--', pathOf(id));
    value(await alice.update({ trail_name, thought_id: id, content: 'As updated' }));
    expect((await examine(opened)).faults).toEqual([]);
  });
});

describe.concurrent('settings and branches of the repository', () => {
  test("a new scope's settings, not committed yet, are not overwritten, and count once they are accepted", async ({
    expect,
  }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const file = 'trails/acme/strict/.fava-trails.yaml';
    const settings = 'name: acme/strict\nseparation: required\n';
    writeFile(home, file, settings);
    const carol = opened.as('carol', { operator: true });
    const draft = { trail_name: 'acme/strict', content: 'Mine' };
    // Elsewhere it is nobody's concern.
    idOf(await carol.save({ ...draft, trail_name: 'acme/other' }));
    const head = await home.git('rev-parse', 'main');
    expect(await carol.save(draft)).toMatchObject({
      ok: false,
      code: 'uncommitted_edit',
      next: expect.stringContaining(file),
    });
    expect([readFile(home, file), await home.git('rev-parse', 'main')]).toEqual([settings, head]);
    expect(await untilClean(() => home.git('status', '--porcelain', '-uno'))).toBe('');
    await commitAll(home, 'Strict settings');
    value(await carol.accept({ paths: [file] }));
    const thought_id = idOf(await carol.save(draft));
    expect(await carol.decide({ trail_name: 'acme/strict', thought_id, verdict: 'approve' })).toMatchObject({
      ok: false,
      rule: 'separation_required',
    });
    expect(readFile(home, file)).toBe(settings);
  });

  test.for([
    ['core.autocrlf=true', ''],
    ['core.autocrlf=true that a person forces on Markdown', '*.md text eol=crlf\n'],
  ])('%s: digests are of the committed bytes', async ([, attributes = ''], { expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    const id = idOf(await alice.save({ trail_name, content: 'One line\nand another\n' }));
    await home.git('config', 'core.autocrlf', 'true');
    writeFile(home, '.git/info/attributes', attributes);
    await home.untilClean();
    // Checked out anew, as git writes it now.
    writeFile(home, pathOf(id), '');
    await home.git('checkout', '--', pathOf(id));
    expect(readFile(home, pathOf(id)).includes('\r\n')).toBe(attributes !== '');
    value(await alice.update({ trail_name, thought_id: id, content: 'New line\nand another\n' }));
    await home.untilClean();
    const other = idOf(await alice.save({ trail_name, content: 'Second\n' }));
    await home.untilClean();
    for (const blob of [id, other].map((name) => `main:${pathOf(name)}`)) {
      expect(await home.git('cat-file', 'blob', blob)).not.toContain('\r');
    }
    expect(await unverified(opened)).toEqual([]);
    const got = value(await alice.get({ trail_name, thought_id: id, mode: 'authoring' })).thought;
    expect(got.content).toBe('New line\nand another\n');
    if (attributes === '') expect((await examine(opened)).faults).toEqual([]);
  });

  test('a foreign branch checked out: writes are refused with the command back, reads go on', async ({ expect }) => {
    await using home = await makeHome();
    await using opened = await home.open();
    const alice = opened.as('alice');
    const control = await approved(opened, 'Policy, approved');
    await home.untilClean();
    await home.git('switch', '--quiet', '-c', 'elsewhere');
    writeFile(home, 'elsewhere.md', 'Not of the record\n');
    await commitAll(home, 'Elsewhere');
    const head = await home.git('rev-parse', 'elsewhere', 'main');
    for (const refused of [
      await alice.save({ trail_name, content: 'Not now' }),
      await alice.update({ trail_name, thought_id: control, content: 'Not now' }),
    ]) {
      expect(refused).toMatchObject({
        ok: false,
        code: 'wrong_branch',
        message: expect.stringContaining('"elsewhere"'),
        next: expect.stringContaining('git switch main'),
      });
    }
    expect(await recalled(opened, 'policy')).toEqual([control]);
    expect(await home.git('rev-parse', 'elsewhere', 'main')).toBe(head);
    expect(await home.git('status', '--porcelain')).toBe('');
    await home.git('switch', '--quiet', '--detach', 'main');
    expect(await alice.save({ trail_name, content: 'Not now' })).toMatchObject({ ok: false, code: 'wrong_branch' });
    await home.git('switch', '--quiet', 'main');
    value(await alice.save({ trail_name, content: 'Back' }));
    expect((await examine(opened)).faults).toEqual([]);
  });
});
