import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fenceNoted } from '../../../src/store/jj/child-note.ts';
import { openJujutsuStore } from '../../../src/store/jj/index.ts';
import type { VersionStore } from '../../../src/store/version-store.ts';
import { HAS_NO_JJ, JJ_FOLDER, jj, jjFaults, pathWithJj } from '../../support/jj.ts';
import { BRANCH, changes, person, removeFolder, save, temporaryFolder } from '../git/repository.ts';
import { versionStoreContract } from '../version-store.contract.ts';
import { makeJujutsuRepository, openJj } from './repository.ts';

describe.skipIf(HAS_NO_JJ)('jujutsu', () => {
  versionStoreContract('jujutsu', async () => {
    const root = await makeJujutsuRepository();
    const store = await openJj(root);
    return {
      root,
      store,
      openAnother: () => openJj(root),
      commitOutside(path, text) {
        writeFileSync(join(root, path), text);
        jj(root, 'commit', '-m', 'outside', `root-file:"${path}"`);
        jj(root, 'bookmark', 'set', BRANCH, '-r', '@-');
        return jj(root, 'log', '--no-graph', '-r', BRANCH, '-T', 'commit_id');
      },
      async dispose() {
        await store.close();
        removeFolder(root);
      },
    };
  });
});

describe.skipIf(HAS_NO_JJ)('jujutsu store', { timeout: 120_000 }, () => {
  let root: string;
  let store: VersionStore;

  beforeEach(async () => {
    root = await makeJujutsuRepository();
    store = await openJj(root);
  });
  afterEach(async () => {
    await store.close();
    removeFolder(root);
  });

  const below = () => jj(root, 'log', '--no-graph', '-r', '@-', '-T', 'commit_id');
  const workingCopy = (template: string) => jj(root, 'log', '--no-graph', '-r', '@', '-T', template);

  test('a change set is one commit by its author, with nobody elsewhere', async () => {
    await store.publish(changes(null, { 'a.md': 'a' }, { 'b.md': 'b' }));
    expect(person(root, ['log', '--format=%an <%ae> %cn|%B', BRANCH])).toBe(
      'agent-1 <agent-1@waymark.invalid> agent-1|2 changes\n\nsave 0\nsave 1',
    );
    const other = { ...changes(store.head(), { 'c.md': 'c' }).commits[0], author: { name: 'b"o\\b', email: 'bob@x' } };
    if (other.files === undefined) throw new Error('No commit');
    const { files, seconds = 0, message = '' } = other;
    await store.publish({ parent: store.head(), commits: [{ author: other.author, files, seconds, message }] });
    expect(person(root, ['log', '-1', '--format=%an <%ae> %s', BRANCH])).toBe('b"o\\b <bob@x> save 0');
    expect(jjFaults(root)).toEqual([]);
  });

  test('edits, description and authorship of a person stay theirs and uncommitted', async () => {
    await save(store, { 'a.md': '1', 'theirs.md': '1' });
    jj(root, 'new', BRANCH, '-m', 'Work of Pat');
    writeFileSync(join(root, 'theirs.md'), '2');
    jj(root, 'status');
    const facts = 'change_id ++ description ++ author';
    const before = workingCopy(facts);
    writeFileSync(join(root, 'new-of-theirs.md'), '1');
    await save(store, { 'a.md': '2', 'b.md': '1' });
    // Our look at the files does not take in their new ones, whatever their own limits are.
    expect(jj(root, '--ignore-working-copy', 'file', 'list', '-r', '@')).not.toContain('new-of-theirs.md');
    expect(workingCopy(facts)).toBe(before);
    expect(jj(root, 'diff', '--summary')).toBe('A new-of-theirs.md\nM theirs.md');
    expect(person(root, ['show', '--format=%an', '--name-status', BRANCH])).toBe('agent-1\n\nM\ta.md\nA\tb.md');
    expect(
      person(root, ['status', '--porcelain'])
        .split('\n')
        .map((line) => line.slice(3))
        .sort(),
    ).toEqual(['new-of-theirs.md', 'theirs.md']);
    expect(below()).toBe(store.head());
    // And what they commit is theirs.
    jj(root, 'commit', '-m', 'Done');
    expect(person(root, ['log', '-1', '--format=%an', 'HEAD'])).toBe('Pat');
  });

  test('new, describe and squash of a person between saves', async () => {
    await save(store, { 'a.md': '1' });
    jj(root, 'new', BRANCH);
    await save(store, { 'a.md': '2' });
    jj(root, 'describe', '-m', 'Described, empty');
    await save(store, { 'a.md': '3' });
    expect(workingCopy('description')).toBe('Described, empty');
    jj(root, 'new', BRANCH);
    writeFileSync(join(root, 'theirs.md'), '1');
    jj(root, 'squash', '--use-destination-message');
    // The branch's commit was rewritten, which is an outside move of the branch.
    expect(await store.misplaced()).toBeNull();
    const head = await save(store, { 'a.md': '4' });
    expect(await store.readPath(head, 'theirs.md')).not.toBeNull();
    expect(person(root, ['show', '--format=', '--name-only', BRANCH])).toBe('a.md');
    expect(jjFaults(root).filter((fault) => !fault.startsWith('heads'))).toEqual([]);
  });

  test('a workspace that is not colocated is refused with the command that makes it so', async () => {
    const folder = temporaryFolder();
    jj(folder, 'git', 'init', '--no-colocate');
    const open = { root: folder, branch: BRANCH, variables: { PATH: pathWithJj() } };
    expect(await openJujutsuStore(open)).toMatchObject({
      ok: false,
      next: expect.stringContaining('colocation enable'),
    });
    jj(folder, 'git', 'colocation', 'enable');
    const opened = await openJujutsuStore(open);
    expect(opened.ok).toBe(true);
    if (opened.ok) await opened.value.close();
    removeFolder(folder);
  });

  test('a working copy elsewhere is refused with the command back', async () => {
    const head = await save(store, { 'a.md': '1' });
    writeFileSync(join(root, 'theirs.md'), '1');
    jj(root, 'commit', '-m', 'Of no branch');
    expect(await store.misplaced()).toMatchObject({
      code: 'wrong_branch',
      next: expect.stringContaining('jj new main'),
    });
    expect(await store.publish(changes(head, { 'b.md': '1' }))).toMatchObject({ ok: false, code: 'failed' });
    expect(existsSync(join(root, 'b.md'))).toBe(false);
    jj(root, 'new', BRANCH, '@-');
    expect(await store.publish(changes(head, { 'b.md': '1' }))).toMatchObject({ ok: false, code: 'failed' });
    expect([store.head(), existsSync(join(root, 'b.md'))]).toEqual([head, false]);
    jj(root, 'new', BRANCH);
    expect(await store.misplaced()).toBeNull();
    await save(store, { 'b.md': '1' });
    expect(person(root, ['rev-list', '--count', BRANCH])).toBe('2');
  });

  test('a bookmark that went with its commit is refused with the command that brings both back', async () => {
    await save(store, { 'a.md': '1' });
    const head = await save(store, { 'b.md': '1' });
    jj(root, 'abandon', '@-');
    expect(await store.misplaced()).toMatchObject({
      code: 'wrong_branch',
      message: expect.stringContaining('is gone'),
      next: expect.stringContaining('"jj undo"'),
    });
    jj(root, 'undo');
    expect(await store.misplaced()).toBeNull();
    expect(store.head()).toBe(head);
    await save(store, { 'c.md': '1' });
  });

  test('a bookmark that is moved in the middle keeps where it was put, and nothing of ours stays', async () => {
    const ancestor = await save(store, { 'a.md': '1' });
    const parent = await save(store, { 'a.md': '2' });
    const forward = await store.publish(changes(parent, { 'b.md': '1' }), {
      onStep: (step) => {
        if (step === 'objects') jj(root, 'bookmark', 'set', BRANCH, '-r', ancestor, '--allow-backwards');
      },
    });
    // It went back to an ancestor, from where a move to ours is forward: both are the person's history.
    expect(forward.ok).toBe(true);
    expect(jjFaults(root)).toEqual([]);
    const sideways = await store.publish(changes(store.head(), { 'c.md': '1' }), {
      onStep: (step) => {
        if (step !== 'objects') return;
        jj(root, 'new', '--no-edit', ancestor, '-m', 'Aside');
        jj(root, 'bookmark', 'set', BRANCH, '-r', 'description(glob:"Aside*")', '--allow-backwards');
      },
    });
    expect(sideways).toMatchObject({ ok: false, code: 'moved' });
    expect(existsSync(join(root, 'c.md'))).toBe(false);
    expect(jj(root, 'log', '--no-graph', '-r', 'files("c.md")', '-T', 'commit_id')).toBe('');
  });

  test('a file that jj does not take in fails the publish and leaves nothing (B17)', async () => {
    const head = await save(store, { '.gitignore': '*.secret\n' });
    const refused = await store.publish(changes(head, { 'a.md': '1', 'b.secret': '1' }));
    expect(refused).toMatchObject({ ok: false, code: 'failed', message: expect.stringContaining('b.secret') });
    expect([store.head(), existsSync(join(root, 'a.md')), existsSync(join(root, 'b.secret'))]).toEqual([
      head,
      false,
      false,
    ]);
    expect(jjFaults(root)).toEqual([]);
    // Beyond jj's own limit for new files, which a person's configuration may lower further.
    const large = 'x'.repeat(1.1 * 1024 * 1024);
    const made = await save(store, { 'large.md': large });
    expect((await store.readPath(made, 'large.md'))?.length).toBeGreaterThan(1024 * 1024);
    expect(jjFaults(root)).toEqual([]);
  });

  test('without jj, and with one nobody tested, reading works and writing is refused with what to install (B26)', async () => {
    const head = await save(store, { 'a.md': '1' });
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'jj'), '#!/bin/sh\necho "jj 0.99.1-abc"\n');
    for (const [path, said] of [
      [process.env['PATH'], 'not on PATH'],
      [folder, '0.99.1'],
    ]) {
      chmodSync(join(folder, 'jj'), 0o755);
      const lame = await openJj(root, { variables: { PATH: path } });
      expect(Buffer.from((await lame.readPath(head, 'a.md')) ?? []).toString()).toBe('1');
      expect(await lame.obstacle()).toMatchObject({
        code: 'repository',
        message: expect.stringContaining(said ?? ''),
        next: expect.stringContaining('cargo install'),
      });
      expect(await lame.publish(changes(head, { 'b.md': '1' }))).toMatchObject({ ok: false, code: 'failed' });
      await lame.close();
    }
    expect([store.head(), existsSync(join(root, 'b.md'))]).toEqual([head, false]);
    expect(await store.obstacle()).toBeNull();
    removeFolder(folder);
  });

  test('a jj that disappears fails the publish and leaves no file', async () => {
    const folder = temporaryFolder();
    const program = join(folder, 'jj');
    writeFileSync(program, `#!/bin/sh\nexec "${JJ_FOLDER}/jj" "$@"\n`, { mode: 0o755 });
    const own = await openJj(root, { variables: { PATH: folder } });
    const head = await save(own, { 'a.md': '1' });
    renameSync(program, `${program}.aside`);
    expect(await own.publish(changes(head, { 'b.md': '1' }))).toMatchObject({ ok: false, code: 'failed' });
    expect([store.head(), existsSync(join(root, 'b.md'))]).toEqual([head, false]);
    renameSync(`${program}.aside`, program);
    await save(own, { 'b.md': '1' });
    await own.close();
    removeFolder(folder);
  });

  test.for(['squash', 'bookmark'])(
    'a jj that is killed in its %s is finished within the same publish',
    async (verb) => {
      await save(store, { 'a.md': '0' });
      for (const after of ['0', '0.01', '0.04']) {
        const dying = await openJj(root, { variables: { PATH: dyingJj(root, { verb, after }) } });
        const head = store.head();
        await save(dying, { 'a.md': after, [`n/${after}`]: '1' });
        expect(person(root, ['rev-list', '--count', `${head}..${BRANCH}`])).toBe('1');
        expect(jjFaults(root)).toEqual([]);
        await dying.close();
      }
    },
  );

  test('a stale working copy is brought up to date by the next save', async () => {
    await save(store, { 'a.md': '1' });
    const second = join(root, '.waymark', 'second');
    jj(root, 'workspace', 'add', second);
    // Rewritten from elsewhere, so that the files here are those of a commit that is no more.
    jj(second, 'new', BRANCH);
    writeFileSync(join(second, 'theirs.md'), '1');
    jj(second, 'squash', '--into', BRANCH, '--use-destination-message');
    expect(() => jj(root, 'status')).toThrow('stale');
    const head = await save(store, { 'a.md': '2' });
    expect(await store.readPath(head, 'theirs.md')).not.toBeNull();
    expect(readFileSync(join(root, 'theirs.md'), 'utf8')).toBe('1');
    jj(root, 'workspace', 'forget', 'second');
  });

  test('locks that a dead jj left are removed, and those that others hold stay', async () => {
    await save(store, { 'a.md': '1' });
    const note = join(root, '.waymark', 'jj-child');
    const locks = ['.git/HEAD.lock', `.git/refs/heads/${BRANCH}.lock`, '.git/index.lock'].map((lock) =>
      join(root, lock),
    );
    writeFileSync(note, '999999999 (jj) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 0 0 1 0 12345 0\n');
    for (const lock of locks) writeFileSync(lock, '');
    await save(store, { 'a.md': '2' });
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
    expect(jjFaults(root)).toEqual([]);
    writeFileSync(join(root, '.git/index.lock'), '');
    const refused = await store.publish(changes(store.head(), { 'a.md': '3' }));
    expect(refused).toMatchObject({ ok: false, code: 'failed', output: expect.stringContaining('index.lock') });
    expect(existsSync(join(root, '.git/index.lock'))).toBe(true);
    rmSync(join(root, '.git/index.lock'));
    await save(store, { 'a.md': '3' });
    await fenceNoted(join(root, 'absent'), { refs: [], index: 'absent' });
  });

  test('hostile settings of the repository change nothing we write', async () => {
    for (const [name, value] of [
      ['snapshot.auto-track', 'none()'],
      ['snapshot.max-new-file-size', '1'],
      ['signing.behavior', 'own'],
      ['signing.backend', 'gpg'],
      ['ui.editor', 'false'],
      ['user.name', 'Mallory'],
      ['templates.commit_summary', '"x"'],
      ['revset-aliases."immutable_heads()"', 'all()'],
      ['working-copy.eol-conversion', 'input-output'],
    ] as const) {
      jj(root, 'config', 'set', '--repo', name, value);
    }
    const head = await save(store, { 'a.md': 'a\r\nb\n' });
    expect(Buffer.from((await store.readPath(head, 'a.md')) ?? []).toString()).toBe('a\r\nb\n');
    expect(person(root, ['log', '-1', '--format=%an %G?', BRANCH])).toBe('agent-1 N');
  });

  test('a change set of very many files is one commit', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, at) => [`ledger/${'w'.repeat(40)}/${at}`, `${at}`]),
    );
    const head = await save(store, files);
    expect(await store.list(head, '')).toHaveLength(1_000);
    expect(jjFaults(root)).toEqual([]);
  });

  test('maintenance bounds operations and kept refs, and saves go on', async () => {
    const small = await openJj(root, { keepRefsLimit: 40 });
    for (let at = 0; at < 20; at += 1) {
      await save(small, { [`n/${at}`]: `${at}` });
      if (at % 10 === 9) await small.maintain();
    }
    await small.maintain();
    expect(Number(jj(root, 'op', 'log', '--no-graph', '-T', '"x"').length)).toBeLessThan(60);
    expect(readdirSync(join(root, '.git/refs/jj/keep')).length).toBeLessThan(60);
    await save(small, { last: '1' });
    expect(person(root, ['rev-list', '--count', BRANCH])).toBe('21');
    expect(person(root, ['fsck', '--no-dangling'])).toBe('');
    expect(jjFaults(root)).toEqual([]);
    await small.close();
  });
});

/** A PATH with a jj that is killed once, some seconds after it began the command. */
function dyingJj(root: string, { verb, after }: { readonly verb: string; readonly after: string }): string {
  const folder = join(root, '.waymark', `dying-${verb}-${after}`);
  mkdirSync(folder, { recursive: true });
  const script = `#!/bin/sh
case " $* " in *" ${verb} "*) if mkdir "$0.died" 2> /dev/null; then
  "${JJ_FOLDER}/jj" "$@" & child=$!; sleep ${after}; kill -9 $child; wait $child 2> /dev/null; kill -9 $$; fi ;; esac
exec "${JJ_FOLDER}/jj" "$@"
`;
  writeFileSync(join(folder, 'jj'), script, { mode: 0o755 });
  return `${folder}:${pathWithJj()}`;
}
