import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readEventLine, recordHash } from '../../src/ledger/index.ts';
import { favaHome } from '../support/adoption.ts';
import { json, onTerminal, parsed } from './support.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'waymark-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}

const PUBLIC_KEY = `${'A'.repeat(42)}E`;

test('key recover takes a record back: from a lost owner key, then from a thief, whose enrolment is void', async () => {
  const home = folder();
  const stick = join(folder(), 'recovery.json');
  const at = { cwd: join(home, 'data'), env: { HOME: home } };
  const made = await parsed(['init', 'data', '--recovery', stick], { ...at, cwd: home });
  expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining(`The recovery key is in ${stick}`) });
  expect(statSync(stick).mode & 0o777).toBe(0o600);
  const keys = join(home, '.config/waymark/keys');
  // Nothing of it is where the owner key lies.
  const [ownerFile = '', ...others] = readdirSync(keys);
  expect(others).toEqual([]);
  const key = async (...args: readonly string[]) => parsed(['key', ...args], at);
  const list = async () => json(await key('list', '--json'))['keys'];
  const elsewhere = { cwd: join(folder(), 'clone'), env: { HOME: folder() } };
  execFileSync('git', ['clone', '-q', at.cwd, elsewhere.cwd]);
  expect((await parsed(['status'], elsewhere)).code).toBe(0);

  rmSync(join(keys, ownerFile));
  const lost = await key('recover', stick);
  expect(lost).toMatchObject({ code: 0, stdout: expect.stringContaining('on this machine') });
  expect(lost.stdout).toContain('has no passphrase');
  expect((await parsed(['verify'], at)).code).toBe(0);
  expect(await list()).toMatchObject([
    { role: 'owner', here: false, revoked: { reason: 'retirement', size: 2 } },
    { role: 'recovery' },
    { role: 'owner', here: true },
  ]);

  // The thief has the new key.
  const stolen = json(await key('enrol', PUBLIC_KEY, '--agent', 'mallory', '--role', 'operator', '--json'));
  expect(stolen).toMatchObject({ status: 'ok' });
  const since = hashOf(at.cwd, '"agent_id":"mallory"');
  const unasked = await key('recover', stick, '--since', since);
  expect(unasked).toMatchObject({ code: 1, stderr: expect.stringContaining(`the enrolment of ${PUBLIC_KEY}`) });
  const back = await key('recover', stick, '--since', since.slice('sha256:'.length, 20), '--yes', '--json');
  expect(json(back)).toMatchObject({ status: 'ok', voided: 1, stand: 0, recovery_protection: 'none' });
  expect(JSON.stringify(await list())).not.toContain('mallory');
  expect((await key('enrol', PUBLIC_KEY, '--agent', 'otto', '--role', 'operator')).code).toBe(0);

  // It is the same record to a machine that met it before.
  execFileSync('git', ['pull', '-q'], { cwd: elsewhere.cwd });
  expect((await parsed(['status'], elsewhere)).code).toBe(0);
  expect(json(await parsed(['key', 'list', '--json'], elsewhere))['keys']).toHaveLength(5);
});

/** Of the one event that holds the text. */
function hashOf(root: string, text: string): string {
  const out = execFileSync('git', ['grep', '-h', '-F', text, 'main', '--', 'ledger/*.jsonl'], { cwd: root });
  const read = readEventLine(out);
  if (!read.ok) throw new Error(read.message);
  return recordHash(read.envelope.record);
}

test('what cannot be recovered is refused, and nothing changes: another file, another record, an event of nobody', async () => {
  const home = folder();
  const [own, foreign] = [join(home, 'own.json'), join(home, 'foreign.json')];
  const at = { cwd: join(home, 'data'), env: { HOME: home } };
  await parsed(['init', 'data', '--recovery', own], { ...at, cwd: home });
  await parsed(['init', 'other', '--recovery', foreign], { ...at, cwd: home });
  // A name that is taken is left alone.
  const again = await parsed(['init', 'third', '--recovery', own], { ...at, cwd: home });
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('is of record') });
  const head = execFileSync('git', ['rev-parse', 'main'], { cwd: at.cwd }).toString();
  const owner = join(home, '.config/waymark/keys');
  const ownerKey = join(owner, readdirSync(owner)[0] ?? '');
  for (const [args, code, message] of [
    [['recover', join(home, 'none.json')], 1, 'There is no file'],
    [['recover', foreign], 2, 'is of record'],
    [['recover', ownerKey], 3, 'is not the private key'],
    [['recover', own, '--since', 'f00d'], 1, 'is not one event of an owner key'],
    [['recovery', join(home, 'more.json')], 1, 'has its recovery key already'],
  ] as const) {
    expect(await parsed(['key', ...args], at)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  }
  // From the event that enrolled the key itself on: nobody would be left who says so.
  const enrolled = hashOf(at.cwd, '"role":"recovery"');
  const tooFar = await parsed(['key', 'recover', own, '--since', enrolled], at);
  expect(tooFar).toMatchObject({ code: 1, stderr: expect.stringContaining('enrolled only after that event') });
  expect(execFileSync('git', ['rev-parse', 'main'], { cwd: at.cwd }).toString()).toBe(head);
  expect((await parsed(['key', 'recover', own], at)).code).toBe(0);
});

test('a record without a recovery key says how to get one; it can have a passphrase, which recover asks for', async () => {
  using home = favaHome();
  const at = { cwd: home.root, env: home.env };
  await parsed(['adopt'], at);
  const [file, plain] = [join(home.home, 'sealed.json'), join(home.home, 'plain.json')];
  const without = await parsed(['key', 'recover', file], at);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('"waymark key recovery FILE"') });
  const ask = 'Passphrase of the recovery key (empty for none): ';
  const made = await onTerminal(['key', 'recovery', file], {
    ...at,
    answers: [
      [ask, 'horse\r'],
      ['The same again: ', 'horse\r'],
    ],
  });
  expect(made.code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ kind: 'recovery', protection: 'scrypt' });
  expect((await parsed(['key', 'recover', file], at)).stderr).toContain('asked on a terminal only');
  const wrong = await onTerminal(['key', 'recover', file], {
    ...at,
    answers: [['Passphrase of the recovery key: ', 'cow\r']],
  });
  expect(wrong.code).toBe(1);
  const done = await onTerminal(['key', 'recover', file], {
    ...at,
    answers: [['Passphrase of the recovery key: ', 'horse\r']],
  });
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('The owner key is') });

  // One that was made without gets its passphrase later.
  await parsed(['init', join(home.home, 'own'), '--recovery', plain], at);
  const sealed = await onTerminal(['key', 'protect', '--recovery', plain], {
    ...at,
    answers: [
      ['New passphrase: ', 'dog\r'],
      ['The same again: ', 'dog\r'],
    ],
  });
  expect(sealed.code).toBe(0);
  expect(JSON.parse(readFileSync(plain, 'utf8'))).toMatchObject({ kind: 'recovery', protection: 'scrypt' });
});
