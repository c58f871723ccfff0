import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkPin, PinError, pinnedBranch, replacePin, repositoryIdOf } from '../../src/ledger/index.ts';
import { tempDir, testSigner } from './support.ts';

const { publicKey: owner } = testSigner(1);
const { publicKey: usurper } = testSigner(2);
const pin = { id: repositoryIdOf(owner), owner };

function place() {
  const dir = tempDir();
  const root = join(dir, 'repository\nwith a newline');
  mkdirSync(root);
  return { dir, root, file: join(dir, 'config', 'known_repositories') };
}

test('a repository is pinned at first contact and recognised after, by its real path', () => {
  const { dir, root, file } = place();
  expect(checkPin({ file, root }, pin)).toBe('first');
  expect(checkPin({ file, root }, pin)).toBe('same');
  symlinkSync(root, join(dir, 'link'));
  expect(checkPin({ file, root: join(dir, 'link') }, pin)).toBe('same');
  expect(checkPin({ file, root: dir }, pin)).toBe('first');
  expect(checkPin({ file, root }, pin)).toBe('same');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('another owner or id at a pinned path is changed, and the pin stays', () => {
  const { root, file } = place();
  checkPin({ file, root }, pin);
  const before = readFileSync(file, 'utf8');
  expect(checkPin({ file, root }, { id: repositoryIdOf(usurper), owner: usurper })).toBe('changed');
  expect(checkPin({ file, root }, { ...pin, owner: usurper })).toBe('changed');
  expect(checkPin({ file, root }, { ...pin, id: repositoryIdOf(usurper) })).toBe('changed');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('the branch of the first contact stays, and a pin of before takes it at the next', () => {
  const { root, file } = place();
  checkPin({ file, root }, pin);
  expect(pinnedBranch({ file, root })).toBeNull();
  expect(checkPin({ file, root }, { ...pin, branch: 'main' })).toBe('same');
  expect(checkPin({ file, root }, { ...pin, branch: 'other' })).toBe('same');
  expect(pinnedBranch({ file, root })).toBe('main');
  replacePin({ file, root }, { ...pin, branch: 'other' });
  expect(pinnedBranch({ file, root })).toBe('other');
});

test('a repository made anew at a pinned path takes its place', () => {
  const { root, file } = place();
  checkPin({ file, root }, pin);
  const other = { id: repositoryIdOf(usurper), owner: usurper };
  replacePin({ file, root }, other);
  expect(checkPin({ file, root }, other)).toBe('same');
  expect(checkPin({ file, root }, pin)).toBe('changed');
});

test.each([
  ['a line that is no pin', (text: string) => `${text}nonsense\n`, 2],
  ['an append that did not finish', (text: string) => text.slice(0, -1), 1],
  ['a pin without owner', () => '{"root":"/","id":"x"}\n', 1],
])('%s is an error that names the line and changes nothing', (_, damage, line) => {
  const { root, file } = place();
  checkPin({ file, root }, pin);
  const whole = readFileSync(file, 'utf8');
  const damaged = damage(whole);
  writeFileSync(file, damaged);
  expect(() => checkPin({ file, root }, pin)).toThrow(PinError);
  expect(() => checkPin({ file, root }, pin)).toThrow(`Line ${line} of`);
  expect(readFileSync(file, 'utf8')).toBe(damaged);
  writeFileSync(file, whole);
  expect(checkPin({ file, root }, pin)).toBe('same');
});
