import { chmodSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { signerFromSeed } from '../../src/ledger/index.ts';
import { call, createClient } from '../support/mcp-clients.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { json, MAIN, onTerminal, waymark } from './support.ts';

const NEW = 'New passphrase: ';
const AGAIN = 'The same again: ';
const OPERATOR = 'Passphrase of the operator key of carol: ';

function as(t: TestRecord, agentId: string, more: Record<string, string> = {}) {
  return { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId, ...more } };
}

async function protect(t: TestRecord) {
  return onTerminal(['key', 'protect'], {
    ...as(t, 'carol'),
    answers: [
      [NEW, 'opensez\u007f\u007fame\r'],
      [AGAIN, 'opensame\r'],
    ],
  });
}

async function proposed(t: TestRecord): Promise<string> {
  const alice = t.session('alice').operations();
  const { thought } = value(await alice.save({ trail_name: 'a', content: 'Decide me' }));
  value(await alice.propose({ trail_name: 'a', thought_id: thought.thought_id }));
  return thought.thought_id;
}

/** What the operator-only history view answers in a real `waymark mcp`. */
async function historyOverStdio(t: TestRecord): Promise<unknown> {
  const client = createClient('auto');
  const env = { ...t.env, PATH: process.env['PATH'] ?? '', WAYMARK_AGENT_ID: 'carol', WAYMARK_OPERATOR: '1' };
  const args = [MAIN, 'mcp'];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env, cwd: t.root, stderr: 'ignore' }),
  );
  const { structuredContent } = await call(client, 'recall', { trail_name: 'a', mode: 'history' });
  await client.close();
  return structuredContent;
}

test('after protect an operator process is an agent, and review asks for the passphrase', async () => {
  await using t = await makeRecord();
  const id = await proposed(t);
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  expect(await historyOverStdio(t)).toMatchObject({ status: 'ok' });

  const run = await protect(t);
  expect(run.code).toBe(0);
  expect(run.stdout).not.toContain('opens');
  expect(run.stdout.match(/has a passphrase now/g)).toHaveLength(2);
  const { keys } = json(await waymark(['key', 'list', '--json'], as(t, 'carol')));
  expect(keys).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ role: 'owner', protection: 'scrypt' }),
      expect.objectContaining({ agent_id: 'carol', role: 'operator', protection: 'scrypt' }),
      expect.objectContaining({ agent_id: 'alice', role: 'agent', protection: 'none' }),
    ]),
  );
  const view = await waymark(['verify'], as(t, 'carol'));
  expect(view.code).toBe(0);
  expect(readFileSync(join(t.root, 'keys.yaml'), 'utf8').match(/scrypt/g)).toHaveLength(2);

  expect(await historyOverStdio(t)).toMatchObject({ status: 'error', code: 'authority' });
  const blind = await waymark(['review'], as(t, 'carol'));
  expect(blind.code).toBe(1);
  expect(blind.stderr).toContain('passphrase');
  expect(blind.stdout).not.toContain('Decide me');

  const wrong = await onTerminal(['review'], { ...as(t, 'carol'), answers: [[OPERATOR, 'nope\r']] });
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).not.toContain('Decide me');
  const right = await onTerminal(['review'], {
    ...as(t, 'carol'),
    answers: [
      [OPERATOR, 'opensame\r'],
      ['[q]uit: ', 'a\n'],
    ],
  });
  expect(right.code).toBe(0);
  const approved = value(await t.session('bob').operations().get({ trail_name: 'a', thought_id: id })).thought;
  expect(approved.metadata?.extra?.['approval']).toEqual(expect.not.objectContaining({ protection: 'none' }));
  expect(approved.validation_status).toBe('approved');
});

test('protect run twice changes nothing more, and finishes what an interrupted run left', async () => {
  await using t = await makeRecord();
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  await protect(t);
  const events = () => t.record.repository.read((index) => index.counts().events);
  const before = (await events()).value;
  const again = await onTerminal(['key', 'protect'], { ...as(t, 'carol'), answers: [] });
  expect(again.code).toBe(0);
  expect(again.stdout.match(/had a passphrase/g)).toHaveLength(2);
  expect((await events()).value).toBe(before);

  await using other = await makeRecord();
  value(await other.session('carol', { operator: true }).operations().listScopes({}));
  const { keys, repository } = other.record;
  const repositoryId = repository.trust.repositoryId;
  const owner = keys.find({ kind: 'owner', repository: repositoryId });
  if (owner === null) throw new Error('No owner key');
  keys.protect(owner, 'old');
  const finished = await onTerminal(['key', 'protect'], {
    ...as(other, 'carol'),
    answers: [
      [NEW, 'x\r'],
      [AGAIN, 'x\r'],
      ['Passphrase of the owner key: ', 'old\r'],
    ],
  });
  expect(finished.code).toBe(0);
  const protections = await other.record.repository.read((index) =>
    index.keys().flatMap((key) => (key.role === 'recovery' ? [] : key.protection)),
  );
  expect(protections.value).toEqual(['scrypt', 'scrypt']);
});

test('two passphrases that differ, and no terminal, change nothing', async () => {
  await using t = await makeRecord();
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const differ = await onTerminal(['key', 'protect'], {
    ...as(t, 'carol'),
    answers: [
      [NEW, 'one\r'],
      [AGAIN, 'two\r'],
    ],
  });
  expect(differ.code).toBe(1);
  expect((await waymark(['key', 'protect'], as(t, 'carol'))).code).toBe(1);
  const shown = json(await waymark(['key', 'show', '--json'], as(t, 'carol')));
  expect(shown).toMatchObject({ keys: [{ protection: 'none' }, { protection: 'none' }] });
});

test('only the owner or an operator enrols', async () => {
  await using t = await makeRecord();
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const { publicKey } = signerFromSeed(new Uint8Array(32).fill(9), { protection: 'none' });
  const enrol = ['key', 'enrol', publicKey, '--agent', 'rita', '--role', 'reviewer'];
  const stranger = { ...t.env, XDG_CONFIG_HOME: join(t.env['HOME'] ?? '', 'elsewhere') };
  const refused = await waymark(enrol, { cwd: t.root, env: stranger });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('Neither the owner key nor an enrolled operator key');
  const done = await waymark([...enrol, '--json'], as(t, 'carol'));
  expect(json(done)).toMatchObject({ status: 'ok', enrolment: { key: publicKey, agent_id: 'rita', role: 'reviewer' } });
  const listed = await waymark(['key', 'list'], as(t, 'carol'));
  expect(listed.stdout).toMatch(new RegExp(`${publicKey} +reviewer +rita`));
  expect((await waymark(['verify'], as(t, 'carol'))).code).toBe(0);
});

test('a key file that others can read is named, takes the rights away and leaves reading', async () => {
  await using t = await makeRecord();
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const folder = join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark', 'keys');
  const file = readdirSync(folder).find((name) => name.includes('-operator-')) ?? '';
  chmodSync(join(folder, file), 0o644);
  expect((await waymark(['key', 'list'], as(t, 'carol'))).stdout).toContain('chmod 0600');
  const show = await waymark(['key', 'show'], as(t, 'carol'));
  expect(show.code).toBe(3);
  expect(show.stderr).toContain('chmod 0600');
  expect((await waymark(['review'], as(t, 'carol'))).code).toBe(1);
  const read = await waymark(['recall'], as(t, 'carol', { WAYMARK_OPERATOR: '1' }));
  expect(read.code).toBe(0);
  expect(read.stderr).toContain('chmod 0600');
});

test('a copied folder writes under a key of its own', async () => {
  await using t = await makeRecord();
  value(await t.session('alice').operations().save({ trail_name: 'a', content: 'Here' }));
  const copy = join(t.env['HOME'] ?? '', 'copy');
  cpSync(t.root, copy, { recursive: true });
  const client = createClient('auto');
  const env = { ...t.env, PATH: process.env['PATH'] ?? '', WAYMARK_AGENT_ID: 'alice' };
  const args = [MAIN, 'mcp'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: copy, stderr: 'ignore' }));
  await call(client, 'save_thought', { trail_name: 'a', content: 'There' });
  await client.close();
  const logs = async (cwd: string) => {
    const { writers } = json(await waymark(['status', '--json'], { cwd, env: t.env }));
    return JSON.stringify(writers).match(/"agent_id":"alice"/g)?.length;
  };
  expect(await logs(t.root)).toBe(1);
  expect(await logs(copy)).toBe(2);
  expect((await waymark(['verify'], { cwd: copy, env: t.env })).code).toBe(0);
});
