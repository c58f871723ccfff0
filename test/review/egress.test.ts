import { expect, test } from 'vitest';
import { type ConfiguredModel, modelEgress, noEgress } from '../../src/review/egress.ts';

const MODEL: ConfiguredModel = {
  address: 'https://models.example/v1',
  key: 'the-key-itself',
  model: 'm/x',
  timeoutSeconds: 1,
  extraBody: { user: 'tenant-7' },
  provider: 'openrouter',
  isPublic: false,
  credentialSource: 'MY_KEY',
  decisions: null,
};

const destinations: readonly (readonly [address: string, isPublic: boolean, shown: string, kind: string])[] = [
  ['https://models.example', false, 'https://models.example', 'custom_endpoint'],
  ['https://models.example/v1', false, 'https://models.example/v1', 'custom_endpoint'],
  ['https://models.example:8443/tenant-7/v1', false, 'https://models.example:8443/[redacted]', 'custom_endpoint'],
  ['https://openrouter.ai/api/v1', true, 'https://openrouter.ai/api/v1', 'remote_provider'],
  ['http://127.0.0.1:11434/v1', false, 'http://127.0.0.1:11434/v1', 'local_endpoint'],
  ['http://[::1]:8000/v1', false, 'http://[::1]:8000/v1', 'local_endpoint'],
  ['http://localhost:8000', false, 'http://localhost:8000', 'local_endpoint'],
  ['https://127.0.0.1.models.example/v1', false, 'https://127.0.0.1.models.example/v1', 'custom_endpoint'],
];

test.each(destinations)('%s is named without what it may hide', (address, isPublic, destination, destination_kind) => {
  const egress = modelEgress('llm-oneshot', { ...MODEL, address, isPublic });
  expect(egress).toMatchObject({ policy: 'llm-oneshot', model: 'm/x', destination });
  expect(egress.provider).toBe(isPublic ? 'openrouter' : undefined);
  expect(egress).toMatchObject({ destination_kind, credential_source: 'MY_KEY' });
  expect(egress.data_sent).toContain('text');
  expect(JSON.stringify(egress)).not.toMatch(/the-key-itself|tenant-7/);
});

test('of decisions their own address is named, and where nothing leaves nothing is listed', () => {
  const decisions = { address: 'https://openrouter.ai/api', path: 'alpha/decisions' } as const;
  const egress = modelEgress('decisions', { ...MODEL, isPublic: true, decisions });
  expect(egress.destination).toBe('https://openrouter.ai/api');
  expect(noEgress('human', 'a person decides')).toEqual({
    policy: 'human',
    destination_kind: 'operator_human',
    data_sent: [],
    explanation: 'Nothing was sent: a person decides.',
  });
});
