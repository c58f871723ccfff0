/** What `status` says of settings beyond the record: working files, git, the machine, hooks, stale drafts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { hookDigest } from '../../src/trail/hooks.ts';
import { readRecord } from '../../src/trail/locate.ts';
import { providerSettings, trustedHooks, trustHooks } from '../../src/trail/machine-settings.ts';
import { openRecord } from '../../src/trail/open.ts';
import { status } from '../../src/trail/status.ts';
import { commitFile, git } from '../cases/evidence.ts';
import { acceptFile, editFile } from '../support/accept.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const OPERATOR = { agent_id: 'carol', role: 'operator', via: 'library' } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

function edit(t: TestRecord) {
  const operations = t.session('carol', { operator: true }).operations();
  const config = readFileSync(join(t.root, 'config.yaml'), 'utf8');
  return {
    operations,
    config,
    accept: (path: string, text: string) => acceptFile({ root: t.root, operations }, path, text),
    notices: async () => (await status(t.record, OPERATOR)).settings.map(({ state, path }) => `${state} ${path}`),
  };
}

function machineFile(t: TestRecord, path: string, text: string): void {
  const file = join(t.env['XDG_CONFIG_HOME'] ?? '', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

test('a working file that was edited, added or removed and not committed is named, and changes nothing', async () => {
  await using t = await makeRecord();
  const { accept, notices, operations } = edit(t);
  value(await operations.save({ trail_name: 'acme', content: 'x' }));
  await accept('trails/trust-gate-prompt.md', 'One\n');
  expect(await notices()).toEqual([]);
  editFile(t.root, 'trails/trust-gate-prompt.md', 'Two\n');
  editFile(t.root, 'trails/acme/trust-gate-prompt.md', 'Mine\n');
  editFile(t.root, 'trails/acme/.fava-trails.yaml', null);
  expect(await notices()).toEqual([
    'edited trails/acme/.fava-trails.yaml',
    'edited trails/acme/trust-gate-prompt.md',
    'edited trails/trust-gate-prompt.md',
  ]);
});

test('a hook and a tombstone that nobody committed are named, and an edit of keys.yaml with what undoes it', async () => {
  await using t = await makeRecord();
  const { accept, notices, operations } = edit(t);
  value(await operations.save({ trail_name: 'acme/ops', content: 'x' }));
  await accept('hooks/first.py', 'x = 1\n');
  editFile(t.root, 'hooks/deep/second.py', 'x = 2\n');
  editFile(t.root, '.git/info/exclude', '.waymark/\n*.pyc\n');
  editFile(t.root, 'hooks/second.pyc', 'ignored');
  editFile(t.root, 'trails/acme/tombstones/aa.yaml', 'a: 1\n');
  editFile(t.root, 'keys.yaml', '- mine\n');
  expect(await notices()).toEqual([
    'edited hooks/deep/second.py',
    'untrusted hooks/first.py',
    'edited keys.yaml',
    'edited trails/acme/tombstones/aa.yaml',
  ]);
  const { settings } = await status(t.record, OPERATOR);
  expect(settings.find(({ path }) => path === 'keys.yaml')?.next).toMatch(/^Undo the edit/);
});

test("a provider's address and credentials in the repository are ignored and named, and the machine's count", async () => {
  await using t = await makeRecord();
  const { accept, config, notices } = edit(t);
  const repository =
    'trust_gate: decisions\ntrust_gate_model: repo/model\ntrust_gate_timeout_secs: 7\n' +
    'trust_gate_api_base: https://evil.example/v1\ntrust_gate_api_key_env: HOME\nopenrouter_api_key_env: HOME\n' +
    'trust_gate_api_key_file: /etc/passwd\ntrust_gate_extra_body: { url: x }\n';
  commitFile(t.root, 'config.yaml', config + repository);
  await t.record.repository.settleIndex();
  const none = { policy: 'llm-oneshot', provider: 'openrouter', model: 'google/gemini-2.5-flash', timeoutSeconds: 120 };
  const unset = { apiBase: null, apiKeyEnv: 'OPENROUTER_API_KEY', apiKeyFile: null, extraBody: {} };
  expect(value(providerSettings(t.record))).toMatchObject({ ...none, ...unset });
  await accept('config.yaml', config + repository);
  const chosen = { policy: 'decisions', model: 'repo/model', timeoutSeconds: 7 };
  expect(value(providerSettings(t.record))).toMatchObject({ ...chosen, ...unset });
  expect(await notices()).toEqual(Array.from({ length: 5 }, () => 'ignored config.yaml'));

  const fava = 'trust_gate_api_base: http://127.0.0.1:1/v1\ntrust_gate_api_key_file: /run/key\ntrust_gate: human\n';
  machineFile(t, 'fava-trails/config.yaml', fava);
  machineFile(t, 'waymark/config.yaml', 'trust_gate_api_base: http://127.0.0.1:2/v1\n');
  expect(value(providerSettings(t.record))).toMatchObject({
    ...chosen,
    policy: 'human',
    apiBase: 'http://127.0.0.1:2/v1',
    apiKeyFile: '/run/key',
  });
});

test.for(['fava-trails/config.yaml', 'waymark/config.yaml'])(
  'a key of %s that is not of the trust gate is an error that names it, and the record opens all the same',
  async (path) => {
    await using t = await makeRecord();
    const { notices } = edit(t);
    machineFile(t, path, 'trust_gate_model: x\n');
    expect(await notices()).toEqual([]);
    machineFile(t, path, 'trust_gate_model: x\nremote_url: y\n');
    const refused = providerSettings(t.record);
    expect(refused).toMatchObject({ ok: false, message: expect.stringMatching(/remote_url/) });
    if (!refused.ok) expect(refused.message + refused.next).toContain(path);
    expect(await notices()).toEqual(['machine config.yaml of this machine']);
  },
);

test('remote_url of config.yaml is compared with the remotes of git and shown in no message', async () => {
  await using t = await makeRecord();
  const { accept, config, notices } = edit(t);
  const url = 'https://user:hidden@example.org/trails.git';
  await accept('config.yaml', config.replace('waymark:', `remote_url: "${url}"\nwaymark:`));
  expect(await notices()).toEqual(['remote config.yaml']);
  expect(JSON.stringify(await status(t.record, OPERATOR))).not.toContain('hidden');
  git(t.root, 'remote', 'add', 'other', 'https://example.org/other.git');
  expect(await notices()).toEqual(['remote config.yaml']);
  git(t.root, 'remote', 'add', 'origin', url);
  expect(await notices()).toEqual([]);
});

test('the branch is the one this machine first saw, whatever config.yaml says later', async () => {
  await using t = await makeRecord();
  const { config, operations } = edit(t);
  const saved = value(await operations.save({ trail_name: 'acme', content: 'x' })).thought.thought_id;
  git(t.root, 'branch', 'other');
  commitFile(t.root, 'config.yaml', config.replace('branch: "main"', 'branch: "other"'));
  const located = readRecord(t.root);
  if (located === null) throw new Error('No record');
  const options = { environment: t.record.environment, env: t.env, producer: 'waymark/test', warn: () => undefined };
  const record = value(await openRecord(value(located), options));
  try {
    expect(record.repository.store.branch).toBe('main');
    const { settings, branch } = await status(record, OPERATOR);
    expect(branch).toBe('main');
    expect(settings.map(({ state }) => state)).toEqual(['changed', 'branch']);
    value(await operations.update({ trail_name: 'acme', thought_id: saved, content: 'y' }));
    expect(git(t.root, 'log', '-1', '--format=%s', 'main').toString()).toContain('Update');
  } finally {
    await record.repository.close();
  }
});

test('hooks are named as not run: by file and by entry, trusted on this machine or not', async () => {
  await using t = await makeRecord();
  const { accept, config, notices } = edit(t);
  commitFile(t.root, 'hooks/check.py', 'print(1)\n');
  expect(await notices()).toEqual(['unsigned hooks/check.py']);
  const { hooks } = await accept('hooks/check.py', 'print(1)\n');
  expect(hooks).toEqual([hookDigest(Buffer.from('print(1)\n'))]);
  // Accepted on another machine, so to say.
  expect(await notices()).toEqual(['untrusted hooks/check.py']);
  trustHooks(t.record.environment, hooks);
  trustHooks(t.record.environment, hooks);
  expect([...trustedHooks(t.record.environment)]).toEqual(hooks);
  expect(await notices()).toEqual(['not_run hooks/check.py']);
  const { settings } = await status(t.record, OPERATOR);
  expect(settings[0]?.message).toContain('not run by this version');
  // Another text is another hook.
  await accept('hooks/check.py', 'print(2)\n');
  expect(await notices()).toEqual(['untrusted hooks/check.py']);
  const entry = await accept('config.yaml', `${config}hooks: [{ path: hooks/check.py, points: [before_save] }]\n`);
  expect(await notices()).toEqual(['untrusted config.yaml', 'untrusted hooks/check.py']);
  trustHooks(t.record.environment, entry.hooks);
  expect(await notices()).toEqual(['not_run config.yaml', 'untrusted hooks/check.py']);
});

test('drafts older than stale_draft_days of their scope are counted for an operator, from config.yaml or the scope', async () => {
  let now = Date.parse('2026-01-01T00:00:00Z');
  await using t = await makeRecord({ now: () => now });
  const { accept, config, operations } = edit(t);
  const alice = t.session('alice').operations();
  const save = async (trail_name: string) => value(await alice.save({ trail_name, content: 'x' })).thought.thought_id;
  const old = await save('acme/eng');
  const decided = await save('acme/eng');
  value(await operations.decide({ trail_name: 'acme/eng', thought_id: decided, verdict: 'approve' }));
  const elsewhere = await save('other');
  now += 5 * DAY_MS;
  await save('acme/eng');
  const stale = async () => (await status(t.record, OPERATOR)).stale_drafts;
  expect(await stale()).toEqual({ count: 0, ids: [] });
  commitFile(t.root, 'config.yaml', `${config}trails: { acme: { stale_draft_days: 4 } }\n`);
  expect(await stale()).toEqual({ count: 0, ids: [] });
  value(await operations.accept({ paths: ['config.yaml'] }));
  expect(await stale()).toEqual({ count: 1, ids: [old] });
  await accept('trails/other/.fava-trails.yaml', 'stale_draft_days: 5\n');
  expect(await stale()).toEqual({ count: 1, ids: [old] });
  now += 1;
  expect(await stale()).toEqual({ count: 2, ids: [old, elsewhere] });
  // The scope's own signed file wins over the default.
  await accept('trails/acme/eng/.fava-trails.yaml', 'stale_draft_days: 30\n');
  expect(await stale()).toEqual({ count: 1, ids: [elsewhere] });
  const agent = { agent_id: 'alice', role: 'agent', via: 'library' } as const;
  expect(await status(t.record, agent)).not.toHaveProperty('stale_drafts');
});
