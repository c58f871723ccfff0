/** Which model a machine is configured for, and what it takes for a key to go there. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { providerSettings, readEnvironment } from '../../src/config/index.ts';
import { configuredModel, machineModel } from '../../src/trail/machine-settings.ts';
import { value } from '../support/record.ts';
import { tempDir } from '../support/temp-dir.ts';

const VARIABLES = { OPENROUTER_API_KEY: 'router-key', OPENAI_API_KEY: 'openai-key', MINE: 'my-key' };

function modelBy(settings: string, variables: Readonly<Record<string, string>> = VARIABLES) {
  const home = tempDir();
  const environment = value(readEnvironment({ HOME: home, XDG_CONFIG_HOME: home, XDG_STATE_HOME: home }));
  mkdirSync(environment.configDir, { recursive: true });
  writeFileSync(join(environment.configDir, 'config.yaml'), settings === '' ? '{}\n' : settings);
  return machineModel(environment, variables);
}

const ROUTER = 'https://openrouter.ai/api/v1';
const OPENAI = 'https://api.openai.com/v1';
const named: readonly (readonly [settings: string, address: string, key: string, source: string])[] = [
  ['trust_gate_provider: openrouter\n', ROUTER, 'router-key', 'OPENROUTER_API_KEY'],
  ['trust_gate_provider: openai\ntrust_gate_model: gpt\n', OPENAI, 'openai-key', 'OPENAI_API_KEY'],
  ['trust_gate_api_key_env: MINE\n', ROUTER, 'my-key', 'MINE'],
  ['openrouter_api_key_env: MINE\n', ROUTER, 'my-key', 'MINE'],
  ['trust_gate_provider: openai\ntrust_gate_api_key_env: MINE\n', OPENAI, 'my-key', 'MINE'],
  [
    'trust_gate_api_base: https://m.example/v1\ntrust_gate_api_key_env: MINE\n',
    'https://m.example/v1',
    'my-key',
    'MINE',
  ],
];

test.each(named)(
  'a machine that names a provider, an address or a key has a model: %s',
  (settings, address, key, source) => {
    expect(modelBy(settings)).toMatchObject({ ok: true, value: { address, key, credentialSource: source } });
    expect(modelBy(settings, {})).toMatchObject({ ok: false, message: expect.stringContaining(source) });
  },
);

test.each(['', 'trust_gate_model: m/x\n', 'trust_gate_provider: unheard-of\n', 'trust_gate: llm-oneshot\n'])(
  'a key that merely lies in a usual variable configures nothing: %j',
  (settings) => {
    expect(modelBy(settings)).toMatchObject({ ok: false, field: 'trust_gate_api_base' });
  },
);

test('the repository chooses neither where a key goes nor which', () => {
  const repository = { trust_gate_provider: 'openai', trust_gate_model: 'gpt', unknownKeys: [] };
  const machines = { fava: {}, waymark: { trust_gate_api_key_env: 'MINE' } };
  const settings = providerSettings(machines, { trails_dir: 'trails', ...repository });
  expect(value(configuredModel(settings, VARIABLES))).toMatchObject({ address: ROUTER, key: 'my-key', model: 'gpt' });
  const unset = providerSettings({ fava: {}, waymark: {} }, { trails_dir: 'trails', ...repository });
  expect(configuredModel(unset, VARIABLES).ok).toBe(false);
});

test('a model of this machine needs no key, and gets none of another service', () => {
  for (const address of ['http://127.0.0.1:11434/v1', 'http://localhost:8000/v1', 'http://[::1]:8000/v1']) {
    const base = `trust_gate_api_base: "${address}"\n`;
    expect(value(modelBy(base))).toMatchObject({ address, key: null, credentialSource: 'none' });
    expect(value(modelBy(`${base}trust_gate_api_key_env: MINE\n`)).key).toBe('my-key');
    expect(modelBy(`${base}trust_gate_api_key_env: UNSET\n`).ok).toBe(false);
  }
  expect(modelBy('trust_gate_api_base: https://m.example/v1\n', {}).ok).toBe(false);
  expect(modelBy('trust_gate_api_base: http://m.example/v1\ntrust_gate_api_key_env: MINE\n').ok).toBe(false);
});

test('a key file is read anew each time, and only if it is a file of the person alone', () => {
  const folder = tempDir();
  const file = join(folder, 'key');
  const keyIn = (path: string) => {
    const model = modelBy(`trust_gate_api_key_file: "${path}"\n`);
    return model.ok ? model.value.key : model.message;
  };
  writeFileSync(file, 'first-key\n', { mode: 0o600 });
  expect(keyIn(file)).toBe('first-key');
  writeFileSync(file, 'second-key\n');
  expect(keyIn(file)).toBe('second-key');
  const link = join(folder, 'link');
  symlinkSync(file, link);
  chmodSync(file, 0o640);
  writeFileSync(join(folder, 'long'), 'k'.repeat(9_000), { mode: 0o600 });
  for (const path of [file, link, folder, join(folder, 'none'), join(folder, 'long')]) {
    expect(keyIn(path)).toMatch(/^No key of the model is in the file/);
    expect(keyIn(path)).not.toContain(folder);
  }
  chmodSync(file, 0o600);
  expect([keyIn(file), keyIn(link)?.startsWith('No key')]).toEqual(['second-key', true]);
});

const places: readonly (readonly [settings: string, decisions: object | null])[] = [
  ['trust_gate_provider: openrouter\n', { address: 'https://openrouter.ai/api', path: 'alpha/decisions' }],
  ['trust_gate_provider: openai\n', null],
  ['trust_gate_api_base: http://127.0.0.1:1/v1\n', { address: 'http://127.0.0.1:1', path: 'alpha/decisions' }],
  [
    'trust_gate_provider: openai\ntrust_gate_api_base: http://127.0.0.1:1/v1\n',
    { address: 'http://127.0.0.1:1', path: 'v1/systemone' },
  ],
];

test.each(places)('decisions are asked where FAVA asks them: %s', (settings, decisions) => {
  expect(value(modelBy(settings)).decisions).toEqual(decisions);
});
