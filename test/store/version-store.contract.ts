/** What every version store does, whatever is under it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isRunning } from '../../src/store/process-id.ts';
import type { ChangeSet, CommitId, VersionStore } from '../../src/store/version-store.ts';

export interface MadeStore {
  readonly root: string;
  /** On an empty repository whose branch is unborn or holds only what the store itself needs. */
  readonly store: VersionStore;
  /** A second store on the same repository. */
  readonly openAnother: () => Promise<VersionStore>;
  /** Puts a commit on the branch without Waymark and answers its id. */
  readonly commitOutside: (path: string, text: string) => CommitId;
  readonly dispose: () => Promise<void>;
}

type FileTexts = Readonly<Record<string, string | null>>;

function changeSet(parent: CommitId | null, ...files: readonly FileTexts[]): ChangeSet {
  const author = { name: 'agent-1', email: 'agent-1@waymark.invalid' };
  return {
    parent,
    commits: files.map((texts, at) => ({
      author,
      seconds: 1_700_000_000 + at,
      message: `save ${at}`,
      files: new Map(Object.entries(texts).map(([path, text]) => [path, text === null ? null : Buffer.from(text)])),
    })),
  };
}

export function versionStoreContract(name: string, makeStore: () => Promise<MadeStore>): void {
  describe(`version store contract: ${name}`, () => {
    let made: MadeStore;
    let store: VersionStore;

    beforeEach(async () => {
      made = await makeStore();
      store = made.store;
    });
    afterEach(async () => made.dispose());

    async function publish(...files: readonly FileTexts[]): Promise<CommitId> {
      const set = changeSet(store.head(), ...files);
      const published = await store.publish(set);
      if (!published.ok) throw new Error(published.message);
      await store.settle(set);
      return published.head;
    }

    async function textAt(commit: CommitId, path: string): Promise<string | null> {
      const bytes = await store.readPath(commit, path);
      return bytes && Buffer.from(bytes).toString();
    }

    test('publish puts the commits on the branch and answers its new head', async () => {
      const set = changeSet(store.head(), { 'a/one.md': 'one\n' }, { 'a/two.md': 'two\n', 'a/one.md': 'one again\n' });
      const published = await store.publish(set);
      if (!published.ok) throw new Error(published.message);
      expect(store.head()).toBe(published.head);
      expect(published.commits.at(-1)).toBe(published.head);
      expect(await textAt(published.head, 'a/one.md')).toBe('one again\n');
      expect(await textAt(published.head, 'a/two.md')).toBe('two\n');
    });

    test('publish keeps bytes and names as they are', async () => {
      const bytes = Buffer.from([0, 13, 10, 255, 254, 10, 34]);
      const path = 'a b/q"uo\\te/ünï-版.md';
      const set = changeSet(store.head(), { 'plain.md': 'a\r\nb' });
      set.commits[0]?.files instanceof Map && set.commits[0].files.set(path, bytes).set('empty', Buffer.alloc(0));
      const published = await store.publish(set);
      if (!published.ok) throw new Error(published.message);
      await store.settle(set);
      expect(await store.readPath(published.head, path)).toEqual(bytes);
      expect(await store.readPath(published.head, 'empty')).toEqual(Buffer.alloc(0));
      expect(readFileSync(join(made.root, path))).toEqual(bytes);
      expect((await store.list(published.head, 'a b')).map((entry) => entry.path)).toEqual([path]);
    });

    test('publish on a parent that is no longer the head answers moved and leaves nothing of it', async () => {
      const parent = await publish({ 'a.md': 'a' });
      const outside = made.commitOutside('theirs.md', 'theirs');
      const refused = await store.publish(changeSet(parent, { 'b.md': 'b' }));
      expect(refused).toMatchObject({ ok: false, code: 'moved' });
      expect(store.head()).toBe(outside);
      expect(await store.readPath(outside, 'b.md')).toBeNull();
      expect(await store.readPath(await publish({ 'b.md': 'b' }), 'b.md')).not.toBeNull();
    });

    test('publishing a change set again answers the same and changes nothing, in this process or another', async () => {
      const set = changeSet(store.head(), { 'a.md': 'a' });
      const first = await store.publish(set);
      await store.settle(set);
      const head = store.head();
      expect(await store.publish(set)).toEqual(first);
      const other = await made.openAnother();
      expect(await other.publish(set)).toEqual(first);
      await other.close();
      expect(store.head()).toBe(head);
    });

    test('settle shows what was published, deletes included, and can be repeated', async () => {
      await publish({ 'a/one.md': 'one', 'a/two.md': 'two' });
      expect(readFileSync(join(made.root, 'a/one.md'), 'utf8')).toBe('one');
      const set = changeSet(store.head(), { 'a/one.md': null, 'a/three.md': 'three' });
      await store.publish(set);
      await store.settle(set);
      await store.settle(set);
      expect(existsSync(join(made.root, 'a/one.md'))).toBe(false);
      expect(readFileSync(join(made.root, 'a/three.md'), 'utf8')).toBe('three');
      expect(readFileSync(join(made.root, 'a/two.md'), 'utf8')).toBe('two');
    });

    test('diff names changed, added and removed paths; from nothing it names all', async () => {
      const from = await publish({ 'a/keep.md': 'k', 'a/change.md': '1', 'a/gone.md': 'g' });
      const to = await publish({ 'a/change.md': '2', 'a/gone.md': null, 'new.md': 'n' });
      const changed = await store.diff(from, to);
      expect(changed.map(({ path, blob }) => [path, blob !== null])).toEqual([
        ['a/change.md', true],
        ['a/gone.md', false],
        ['new.md', true],
      ]);
      const all = (await store.diff(null, to)).map(({ path }) => path);
      expect(all).toEqual(expect.arrayContaining(['a/change.md', 'a/keep.md', 'new.md']));
      expect(all).not.toContain('a/gone.md');
    });

    test('blobs read one by one and in bulk are the committed bytes, in the order asked', async () => {
      const texts = Array.from({ length: 50 }, (_, at) => `${at}`.repeat(at * 500));
      const head = await publish(
        Object.fromEntries(texts.map((text, at) => [`f/${String(at).padStart(3, '0')}`, text])),
      );
      const blobs = (await store.list(head, 'f/')).map((entry) => entry.blob).reverse();
      const read: string[] = [];
      for await (const bytes of store.readBlobs(blobs)) read.push(Buffer.from(bytes).toString());
      expect(read).toEqual([...texts].reverse());
      const single = await Promise.all(blobs.map((blob) => store.readBlob(blob)));
      expect(single.map((bytes) => Buffer.from(bytes).toString())).toEqual(read);
      await expect(store.readBlob('0123456789012345678901234567890123456789')).rejects.toThrow('not in the repository');
    });

    test('list gives path, mode, blob and size under a folder only', async () => {
      const head = await publish({ 'a/one.md': 'one', 'ab/two.md': 'two' });
      const listed = await store.list(head, 'a/');
      expect(listed).toMatchObject([{ path: 'a/one.md', mode: '100644', size: 3 }]);
      expect(listed[0]?.blob).toMatch(/^[0-9a-f]{40}$/);
      expect(await store.list(head, 'absent/')).toEqual([]);
    });

    test('contains tells history from the rest', async () => {
      const first = await publish({ 'a.md': '1' });
      const second = await publish({ 'a.md': '2' });
      expect(await store.contains(first, second)).toBe(true);
      expect(await store.contains(second, second)).toBe(true);
      expect(await store.contains(second, first)).toBe(false);
      expect(await store.contains('0123456789012345678901234567890123456789', second)).toBe(false);
    });

    test('findCommit knows commits of the branch by id and prefix, and nothing else', async () => {
      const first = await publish({ 'a.md': '1' });
      const second = await publish({ 'a.md': '2' });
      expect(await store.findCommit(first)).toBe(first);
      expect(await store.findCommit(second.slice(0, 12))).toBe(second);
      const blob = (await store.list(second, 'a.md'))[0]?.blob ?? '';
      for (const name of ['0123456789', 'HEAD', '--all', blob, '', first.slice(0, 3)]) {
        expect(await store.findCommit(name), name).toBeNull();
      }
    });

    test('commitAt finds the newest commit at or before a time', async () => {
      const first = await publish({ 'a.md': '1' });
      const second = await publish({ 'a.md': '2' });
      expect(await store.commitAt(Date.now() + 60_000)).toBe(second);
      expect(await store.commitAt(0)).toBeNull();
      expect([first, second]).toContain(await store.commitAt(Date.now()));
    });

    test('a path with a line end is published, and what is read after it is what was asked for', async () => {
      await publish({ 'd.md': 'two' });
      // The second line is the name of an object.
      const path = 'hooks/a\nHEAD:d.md/c';
      const head = await publish({ [path]: 'one', 'e.md': 'three' });
      expect(await textAt(head, 'e.md')).toBe('three');
      expect(await textAt(head, path)).toBe('one');
    });

    test('commitThatAdded names the commit that brought a path, its name taken literally', async () => {
      const first = await publish({ 'a/x.md': '1' });
      await publish({ 'a/x.md': '2', 'a/y.md': '1' });
      expect(await store.commitThatAdded('a/x.md')).toBe(first);
      expect(await store.commitThatAdded('a/y.md')).toBe(store.head());
      expect(await store.commitThatAdded('a/*.md')).toBeNull();
      expect(await store.commitThatAdded('absent')).toBeNull();
    });

    test('children names running processes, none after close', async () => {
      await publish({ 'a.md': 'a' });
      const children = await store.children();
      for (const child of children) expect(isRunning(child)).toBe(true);
      await store.close();
      for (const child of children) expect(isRunning(child)).toBe(false);
    });

    test('steps are told in order', async () => {
      const steps: string[] = [];
      const onStep = (step: string): void => {
        steps.push(step);
      };
      const set = changeSet(store.head(), { 'a.md': 'a', 'b.md': 'b' });
      await store.publish(set, { onStep });
      await store.settle(set, { onStep });
      await store.followIndex({ onStep });
      const known = ['objects', 'branch', 'first_file', 'last_file', 'git_index'];
      expect(steps.every((step) => known.includes(step))).toBe(true);
      expect(steps).toContain('branch');
    });

    test('publish refuses a path that leaves the repository or enters the folder of git', async () => {
      const head = store.head();
      writeFileSync(join(made.root, 'untouched.txt'), 'x');
      for (const path of ['../out', '/abs', 'a/../../b', '.git/config', 'a/.GIT/x', '', 'a//b']) {
        expect(await store.publish(changeSet(head, { [path]: 'x' }))).toMatchObject({ ok: false, code: 'failed' });
      }
      expect(store.head()).toBe(head);
      expect((await store.publish(changeSet(head, { 'a/b': 'x' }))).ok).toBe(true);
    });
  });
}
