import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'vite';
import { expect, test } from 'vitest';
import { verifyBytes } from '../../../src/ledger/ed25519.ts';
import { encodeBase64url, KeyError, openKeyStore, repositoryIdOf, type StoredKey } from '../../../src/ledger/index.ts';
import { tempDir } from '../support.ts';

const repository = 'ab'.repeat(16);
const ann = { kind: 'agent', repository, agent_id: 'ann', clone: 'c1' } as const;

function store() {
  const dir = join(tempDir(), 'keys');
  return { dir, keys: openKeyStore({ dir }) };
}

function onlyFile(dir: string): string {
  const [name = '', ...others] = readdirSync(dir);
  expect(others).toEqual([]);
  return join(dir, name);
}

function codeOf(act: () => unknown): string {
  try {
    act();
    return 'none';
  } catch (error) {
    return error instanceof KeyError ? error.code : String(error);
  }
}

function signs(keys: ReturnType<typeof openKeyStore>, key: StoredKey): boolean {
  const signer = keys.signerOf(key);
  if (signer === null) return false;
  const bytes = Buffer.from('x');
  return verifyBytes({ publicKey: key.publicKey, bytes, signature: encodeBase64url(signer.sign(bytes)) });
}

test('a created key is found again by its whole identity, private on disk, and signs', () => {
  const { dir, keys } = store();
  expect(keys.find(ann)).toBeNull();
  const key = keys.create(ann);
  expect(keys.find(ann)).toEqual(key);
  expect(keys.create(ann)).toEqual(key);
  expect(keys.find({ ...ann, clone: 'c2' })).toBeNull();
  expect(keys.find({ kind: 'agent', repository, agent_id: 'ann' })).toBeNull();
  expect(keys.find({ ...ann, kind: 'operator' })).toBeNull();
  expect(signs(keys, key)).toBe(true);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(onlyFile(dir)).mode & 0o777).toBe(0o600);
});

test('agent ids that differ in case alone get their own files', () => {
  const { dir, keys } = store();
  const [lower, upper] = [keys.create(ann), keys.create({ ...ann, agent_id: 'ANN' })];
  expect(lower.publicKey).not.toBe(upper.publicKey);
  expect(new Set(readdirSync(dir).map((name) => name.toLowerCase())).size).toBe(2);
  expect(keys.list().keys.length).toBe(2);
});

test('an owner key names its repository', () => {
  const { keys } = store();
  const key = keys.create({ kind: 'owner' });
  expect(key.repository).toBe(repositoryIdOf(key.publicKey));
  expect(keys.find({ kind: 'owner', repository: key.repository })).toEqual(key);
});

test('a passphrase round trip: protected on disk, locked without it, opened by it alone', () => {
  const { dir, keys } = store();
  const plain = keys.create(ann);
  const seed = plain.protection === 'none' ? plain.seed : '';
  const sealed = keys.protect(plain, 'Caf\u00e9 am See');
  expect(readFileSync(onlyFile(dir), 'utf8')).not.toContain(seed);
  expect(statSync(onlyFile(dir)).mode & 0o777).toBe(0o600);
  expect(keys.find(ann)).toEqual(sealed);
  expect(keys.signerOf(sealed)).toBeNull();
  expect(keys.unlock(sealed, 'cafe am See')).toMatchObject({ ok: false, code: 'wrong_passphrase' });
  expect(keys.unlock(sealed, '')).toMatchObject({ ok: false, code: 'wrong_passphrase' });
  // The same passphrase as another terminal spells it.
  const opened = keys.unlock(sealed, 'Cafe\u0301 am See');
  expect(opened.ok && opened.signer.publicKey).toBe(plain.publicKey);
  expect(opened.ok && opened.signer.protection).toBe('scrypt');
  expect(codeOf(() => keys.protect(sealed, 'again'))).toBe('protected');
  expect(codeOf(() => keys.protect(plain, ''))).toBe('empty_passphrase');
});

test('a sealed seed moved under another public key does not open', () => {
  const { keys } = store();
  const sealed = keys.protect(keys.create(ann), 'open');
  const other = keys.create({ ...ann, clone: 'c2' });
  expect(keys.unlock({ ...sealed, publicKey: other.publicKey }, 'open').ok).toBe(false);
  expect(keys.unlock(sealed, 'open').ok).toBe(true);
});

test.skipIf(process.platform === 'win32')('a key that others can read is refused with the command back', () => {
  const { dir, keys } = store();
  keys.create(ann);
  const file = onlyFile(dir);
  for (const mode of [0o640, 0o604, 0o620]) {
    chmodSync(file, mode);
    expect(codeOf(() => keys.find(ann))).toBe('unsafe_permissions');
    expect(() => keys.find(ann)).toThrow(/chmod 0600/);
    expect(keys.list().problems.map(({ code }) => code)).toEqual(['unsafe_permissions']);
  }
  chmodSync(file, 0o600);
  chmodSync(dir, 0o755);
  expect(() => keys.find(ann)).toThrow(/chmod 0700/);
  chmodSync(dir, 0o700);
  expect(keys.find(ann)).not.toBeNull();
});

test('a damaged or misplaced key is named and does not hide the others', () => {
  const { dir, keys } = store();
  keys.create(ann);
  const file = onlyFile(dir);
  const bob = keys.create({ ...ann, agent_id: 'bob' });
  const whole = readFileSync(file, 'utf8');
  for (const text of ['', '{', whole.replace('"version": 1', '"version": 2'), whole.replace('"kind"', '"kinds"')]) {
    writeFileSync(file, text);
    expect(codeOf(() => keys.find(ann))).toBe('damaged');
    expect(codeOf(() => keys.create(ann))).toBe('damaged');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(keys.list()).toMatchObject({ keys: [bob], problems: [{ code: 'damaged' }] });
  }
  writeFileSync(file, whole.replace(/"publicKey": "[^"]+"/, `"publicKey": "${bob.publicKey}"`));
  expect(codeOf(() => keys.signerOf(keys.find(ann) ?? bob))).toBe('damaged');
  const bobFile =
    readdirSync(dir)
      .map((name) => join(dir, name))
      .find((path) => path !== file) ?? '';
  renameSync(bobFile, file);
  expect(codeOf(() => keys.find(ann))).toBe('damaged');
  writeFileSync(file, whole);
  expect(keys.find(ann)?.agent_id).toBe('ann');
});

test('processes that create the same key at once end with one', async () => {
  const { dir, keys } = store();
  const bundle = tempDir();
  await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      ssr: new URL('./create-key.child.ts', import.meta.url).pathname,
      outDir: bundle,
      emptyOutDir: false,
      rollupOptions: { output: { entryFileNames: 'child.mjs' } },
    },
    ssr: { noExternal: true },
  });
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, [join(bundle, 'child.mjs'), dir, repository], { stdio: ['pipe', 'pipe', 'inherit'] }),
  );
  const answers = children.map(answersOf);
  await Promise.all(answers.map(({ ready }) => ready));
  for (const child of children) child.stdin.write('go\n');
  const created = await Promise.all(answers.map(({ key }) => key));
  expect(new Set(created)).toEqual(new Set([keys.find(ann)?.publicKey]));
  expect(readdirSync(dir).length).toBe(1);
});

function answersOf(child: ChildProcess & { stdout: NodeJS.ReadableStream }) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const ready = next();
  return { ready, key: ready.then(next) };
}
