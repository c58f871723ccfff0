import { expect, test } from 'vitest';
import { type Environment, type EnvironmentVariables, readEnvironment } from '../../src/config/environment.ts';

const HOME = { HOME: '/people/ada' };

function read(env: EnvironmentVariables): Environment {
  const outcome = readEnvironment({ ...HOME, ...env });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

test('readEnvironment with a home only has defaults', () => {
  expect(read({})).toEqual({
    operator: false,
    mcpSurface: 'standard',
    configDir: '/people/ada/.config/waymark',
    stateDir: '/people/ada/.local/state/waymark',
    cacheDir: '/people/ada/.cache/waymark',
    atribRecords: { folder: '/people/ada/.atrib/records' },
  });
});

test('readEnvironment takes USERPROFILE for the home where there is no HOME', () => {
  const environment = readEnvironment({ USERPROFILE: '/people/eve' });
  expect(environment).toMatchObject({ ok: true, value: { configDir: '/people/eve/.config/waymark' } });
  expect(read({ USERPROFILE: '/people/eve' }).configDir).toBe('/people/ada/.config/waymark');
});

test('readEnvironment reads each variable, its alias, and lets WAYMARK win', () => {
  const ours = {
    WAYMARK_DATA_REPO: '/data/ours',
    WAYMARK_AGENT_ID: 'ours',
    WAYMARK_OPERATOR: '0',
    WAYMARK_SCOPE_HINT: 'acme/ours',
    WAYMARK_MCP_SURFACE: 'standard',
  };
  const favas = {
    FAVA_TRAILS_DATA_REPO: '/data/favas',
    FAVA_TRAILS_AGENT_ID: 'favas',
    FAVA_TRAILS_OPERATOR: '1',
    FAVA_TRAILS_SCOPE_HINT: 'acme/favas',
    FAVA_TRAILS_MCP_SURFACE: 'full',
  };
  const fromOurs = {
    dataRepo: '/data/ours',
    agentId: 'ours',
    operator: false,
    scopeHint: 'acme/ours',
    mcpSurface: 'standard',
  };
  expect(read(favas)).toMatchObject({
    dataRepo: '/data/favas',
    agentId: 'favas',
    operator: true,
    scopeHint: 'acme/favas',
    mcpSurface: 'full',
  });
  expect(read(ours)).toMatchObject(fromOurs);
  expect(read({ ...favas, ...ours })).toMatchObject(fromOurs);
  expect(read({ ...favas, WAYMARK_AGENT_ID: '' }).agentId).toBe('favas');
  expect(read({ FAVA_TRAILS_MCP_SURFACE: 'compact' }).mcpSurface).toBe('standard');
});

test('readEnvironment takes absolute XDG folders and ignores relative ones', () => {
  expect(read({ XDG_CONFIG_HOME: '/etc/ada', XDG_STATE_HOME: '/var/ada' })).toMatchObject({
    configDir: '/etc/ada/waymark',
    stateDir: '/var/ada/waymark',
  });
  expect(read({ XDG_CONFIG_HOME: 'relative' }).configDir).toBe('/people/ada/.config/waymark');
  expect(readEnvironment({ XDG_CONFIG_HOME: '/etc/ada', XDG_STATE_HOME: '/var/ada' }).ok).toBe(true);
  expect(readEnvironment({ XDG_CONFIG_HOME: '/etc/ada' })).toMatchObject({ ok: false, code: 'invalid', field: 'HOME' });
});

test('readEnvironment refuses malformed values and names variable and wanted form', () => {
  for (const [env, field, wanted] of [
    [{ WAYMARK_AGENT_ID: 'two words' }, 'WAYMARK_AGENT_ID', '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$'],
    [{ WAYMARK_AGENT_ID: 'a'.repeat(65) }, 'WAYMARK_AGENT_ID', '{0,63}'],
    [{ FAVA_TRAILS_AGENT_ID: '../x' }, 'FAVA_TRAILS_AGENT_ID', '[A-Za-z0-9]'],
    [{ WAYMARK_OPERATOR: 'true' }, 'WAYMARK_OPERATOR', '"1" or "0"'],
    [{ WAYMARK_MCP_SURFACE: 'toString' }, 'WAYMARK_MCP_SURFACE', '"standard" or "full"'],
  ] as const) {
    const outcome = readEnvironment({ ...HOME, ...env });
    expect(outcome, field).toMatchObject({ ok: false, code: 'invalid', field });
    expect(outcome.ok ? '' : outcome.message).toContain(wanted);
  }
});

test('readEnvironment takes the cache folder of XDG and the places that the tools of atrib are told', () => {
  expect(read({ XDG_CACHE_HOME: '/var/cache/ada' }).cacheDir).toBe('/var/cache/ada/waymark');
  expect(read({ XDG_CACHE_HOME: 'relative' }).cacheDir).toBe('/people/ada/.cache/waymark');
  expect(read({ ATRIB_RECORDS_DIR: '/data/records', ATRIB_RECORD_FILE: '' }).atribRecords).toEqual({
    folder: '/data/records',
  });
  expect(read({ ATRIB_RECORD_FILE: '/data/one.jsonl' }).atribRecords).toEqual({
    folder: '/people/ada/.atrib/records',
    file: '/data/one.jsonl',
  });
  const homeless = readEnvironment({ XDG_CONFIG_HOME: '/etc/ada', XDG_STATE_HOME: '/var/ada' });
  expect(homeless).toMatchObject({ ok: true, value: { cacheDir: '/var/ada/waymark/cache' } });
});

test('no process runs under the name of the reviewing model', () => {
  const home = { HOME: '/home/person' };
  for (const name of ['WAYMARK_AGENT_ID', 'FAVA_TRAILS_AGENT_ID']) {
    expect(readEnvironment({ ...home, [name]: 'trust-gate' })).toMatchObject({ ok: false, field: name });
    expect(readEnvironment({ ...home, [name]: 'trust-gates' })).toMatchObject({ ok: true });
  }
});
