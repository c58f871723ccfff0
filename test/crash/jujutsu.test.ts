/** The core on a Jujutsu repository in which a person works too. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { verify } from '../../src/trail/verify.ts';
import { HAS_NO_JJ, jj, jjAsync, jjFaults, pathWithJj } from '../support/jj.ts';
import { value } from '../support/record.ts';
import { startChild } from './child.ts';
import { examine } from './examine.ts';
import { makeHome } from './home.ts';

const trail_name = 'acme/eng';
const figures: string[] = [];
afterAll(() => console.log(figures.map((line) => `figure: jj: ${line}`).join('\n')));

/** A person who runs `jj log` again and again. `end` answers how often, and throws when one of them failed. */
function lookAtLog(root: string): { end(): Promise<number> } {
  let isOver = false;
  const looks = (async () => {
    let count = 0;
    for (; !isOver; count += 1) await jjAsync(root, 'log', '--limit', '5');
    return count;
  })();
  // Awaited at the end; until then a failure is no unhandled one.
  looks.catch(() => undefined);
  return {
    end() {
      isOver = true;
      return looks;
    },
  };
}

describe.skipIf(HAS_NO_JJ)('a record on Jujutsu', { timeout: 120_000 }, () => {
  test('saved, proposed, approved, superseded, approved again and verified', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    expect(opened.record.repository.store.kind).toBe('jujutsu');
    const looking = lookAtLog(home.root);
    const [alice, dave] = [opened.as('alice'), opened.as('dave')];
    const carol = opened.as('carol', { operator: true });
    const recalled = async () =>
      value(await dave.recall({ trail_name, query: 'cache' })).thoughts.map(({ thought_id }) => thought_id);
    const first = value(await alice.save({ trail_name, content: 'Use the cache' })).thought.thought_id;
    expect(await recalled()).toEqual([]);
    value(await alice.propose({ trail_name, thought_id: first }));
    expect(await recalled()).toEqual([]);
    value(await carol.decide({ trail_name, thought_id: first, verdict: 'approve' }));
    expect(await recalled()).toEqual([first]);
    const replacement = { trail_name, thought_id: first, content: 'Drop the cache', reason: 'Measured' };
    const second = value(await alice.supersede(replacement)).new_thought.thought_id;
    expect(await recalled()).toEqual([first]);
    value(await alice.propose({ trail_name, thought_id: second }));
    value(await carol.decide({ trail_name, thought_id: second, verdict: 'approve' }));
    expect(await recalled()).toEqual([second]);
    expect(await looking.end()).toBeGreaterThan(0);
    expect(await verify(opened.record)).toMatchObject({ ok: true, findings: [] });
    expect((await examine(opened)).faults).toEqual([]);
    const authors = await home.git('log', '--format=%an', 'main');
    expect(new Set(authors.trim().split('\n'))).toEqual(new Set(['owner', 'alice', 'carol']));
    expect(opened.warnings).toEqual([]);
  });

  test('saves of several callers at once are commits of one author each', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const callers = ['alice', 'bob'].map((name) => ({ name, operations: opened.as(name) }));
    const saves = Array.from({ length: 6 }, (_, at) =>
      callers.map(({ name, operations }) => operations.save({ trail_name, content: `${name} ${at}` })),
    );
    for (const outcome of await Promise.all(saves.flat())) value(outcome);
    const { thoughts, faults } = await examine(opened);
    expect(faults).toEqual([]);
    expect(thoughts.size).toBe(12);
    const log = await home.git(
      'log',
      '--reverse',
      '--format=> %an',
      '--name-only',
      '--diff-filter=A',
      'main',
      '--',
      'trails/acme',
    );
    for (const commit of log.split('> ').filter(Boolean)) {
      const [author, ...paths] = commit.trim().split('\n').filter(Boolean);
      const written = paths.flatMap((path) => thoughts.get(path)?.agent_id ?? []);
      expect(new Set(written)).toEqual(new Set([author]));
    }
  });

  test('two processes save while a person looks at the log all the time (B21)', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    const { root, env } = home;
    const savers = ['alice', 'bob'].map((agent) =>
      startChild('saver-child', { root, env, agent, label: `Process of ${agent}`, count: 24 }),
    );
    await Promise.all(savers.map((child) => child.said('ready')));
    const looking = lookAtLog(root);
    const started = performance.now();
    for (const child of savers) child.goOn();
    const ends = await Promise.all(savers.map((child) => child.ended));
    const seconds = (performance.now() - started) / 1000;
    const looks = await looking.end();
    figures.push(`48 saves of two processes beside ${looks} jj log: ${Math.round(48 / seconds)} saves/s`);
    expect(ends).toEqual(savers.map(() => ({ code: 0, stderr: '' })));
    const answers = savers.flatMap((child) => child.lines.filter((line) => line.at === 'answered'));
    expect(answers.filter((answer) => !answer.ok)).toEqual([]);
    expect(answers).toHaveLength(48);
    await using opened = await home.open();
    const { thoughts, faults } = await examine(opened);
    expect(faults).toEqual([]);
    expect(thoughts.size).toBe(48);
    expect(looks).toBeGreaterThan(0);
  });

  test('a person who commits, describes and squashes meanwhile', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const alice = opened.as('alice');
    const save = async (content: string) => value(await alice.save({ trail_name, content }));
    await save('First');
    writeFileSync(join(home.root, 'notes.md'), 'Mine\n');
    await save('Second');
    expect(jj(home.root, 'diff', '--summary')).toBe('A notes.md');
    jj(home.root, 'describe', '-m', 'Notes of Pat');
    await save('Third');
    jj(home.root, 'commit', '-m', 'Notes of Pat');
    const refused = await alice.save({ trail_name, content: 'Refused' });
    expect(refused).toMatchObject({
      ok: false,
      code: 'wrong_branch',
      next: expect.stringContaining('jj bookmark move'),
    });
    jj(home.root, 'bookmark', 'move', 'main', '--to', '@-');
    await save('Fourth');
    expect(await home.git('show', '--format=', '--name-only', 'main~1')).toBe('notes.md\n');
    writeFileSync(join(home.root, 'notes.md'), 'Mine, again\n');
    jj(home.root, 'squash', '--use-destination-message');
    await save('Fifth');
    const { thoughts, faults } = await examine(opened);
    expect(faults).toEqual([]);
    expect([...thoughts.values()].map(({ body }) => body).sort()).toEqual([
      'Fifth',
      'First',
      'Fourth',
      'Second',
      'Third',
    ]);
  });

  test('a conflicted head is not followed, and writes are refused until it is resolved', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const alice = opened.as('alice');
    const { thought_id } = value(await alice.save({ trail_name, content: 'Before' })).thought;
    const at = jj(home.root, 'log', '--no-graph', '-r', 'main', '-T', 'commit_id');
    for (const side of ['one', 'two']) {
      jj(home.root, 'new', at, '-m', side);
      writeFileSync(join(home.root, 'contested.md'), `${side}\n`);
    }
    jj(home.root, 'new', 'description(exact:"one\n")', 'description(exact:"two\n")', '-m', 'both');
    jj(home.root, 'new');
    jj(home.root, 'bookmark', 'set', 'main', '-r', '@-');
    expect(await alice.save({ trail_name, content: 'Refused' })).toMatchObject({ ok: false, code: 'repository' });
    const got = value(await alice.get({ trail_name, thought_id, mode: 'authoring' }));
    expect(got.thought.content).toBe('Before');
    jj(home.root, 'edit', 'main');
    writeFileSync(join(home.root, 'contested.md'), 'both\n');
    jj(home.root, 'new', 'main');
    value(await alice.save({ trail_name, content: 'After' }));
    expect((await examine(opened)).faults).toEqual([]);
  });

  test('plain git that becomes a Jujutsu repository is written with jj from the next start', async () => {
    await using home = await makeHome();
    const opened = await home.open();
    value(await opened.as('alice').save({ trail_name, content: 'With git' }));
    await home.untilClean();
    jj(home.root, 'git', 'init', '--colocate');
    const refused = await opened.as('alice').save({ trail_name, content: 'Refused' });
    expect(refused).toMatchObject({
      ok: false,
      code: 'repository',
      next: expect.stringContaining('Start this program'),
    });
    await opened.close();
    // Without jj it can be read, and is refused with what to install.
    await using reading = await home.open();
    expect(value(await reading.as('alice').recall({ trail_name, query: '', mode: 'authoring' })).count).toBe(1);
    expect(await reading.as('alice').save({ trail_name, content: 'Refused' })).toMatchObject({
      ok: false,
      code: 'repository',
      next: expect.stringContaining('cargo install'),
    });
    await reading.close();
    await using writing = await home.open({ env: { PATH: pathWithJj() } });
    value(await writing.as('alice').save({ trail_name, content: 'With jj' }));
    const { thoughts, faults } = await examine(writing);
    expect(faults).toEqual([]);
    expect(thoughts.size).toBe(2);
  });
});

describe.skipIf(HAS_NO_JJ)('a save of which jj cannot be told', { timeout: 120_000 }, () => {
  test('is refused, leaves no file, and is not found later', async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    const alice = opened.as('alice');
    value(await alice.save({ trail_name, content: 'First' }));
    const lock = join(home.root, '.git/index.lock');
    writeFileSync(lock, '');
    const refused = await alice.save({ trail_name, content: 'Refused' });
    expect(refused).toMatchObject({ ok: false, code: 'storage' });
    // What jj said is in the log alone.
    expect(JSON.stringify(refused)).not.toContain('index.lock');
    expect(opened.warnings.join()).toContain('index.lock');
    expect(readFileSync(lock, 'utf8')).toBe('');
    rmSync(lock);
    value(await alice.save({ trail_name, content: 'Second' }));
    const { thoughts, faults } = await examine(opened);
    expect([...thoughts.values()].map(({ body }) => body).sort()).toEqual(['First', 'Second']);
    expect(faults).toEqual([]);
    expect(jjFaults(home.root)).toEqual([]);
  });
});
