/** What this machine alone decides: its overlay files and the hooks it trusts, below `$XDG_CONFIG_HOME`. */
import { appendFileSync, closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DEFAULT_SERVE_SETTINGS,
  type Environment,
  type EnvironmentVariables,
  isLoopback,
  type MachineConfig,
  type MachineConfigs,
  providerSettings as mergeProviderSettings,
  type ProviderSettings,
  parseFavaMachineConfig,
  parseMachineConfig,
  parseServiceAddress,
  type ServeSettings,
} from '../config/index.ts';
import { isHash } from '../ledger/index.ts';
import { errnoOf } from '../record/errno.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { ConfiguredModel } from '../review/egress.ts';
import type { OpenRecord } from './open.ts';
import { configInForce } from './settings.ts';

/** Code `repository` when one is malformed or holds a key that is not of the trust gate. */
export function machineConfigs(environment: Environment): Outcome<MachineConfigs> {
  const fava = readConfig(join(dirname(environment.configDir), 'fava-trails', 'config.yaml'), parseFavaMachineConfig);
  if (!fava.ok) return fava;
  const waymark = readConfig(join(environment.configDir, 'config.yaml'), parseMachineConfig);
  return waymark.ok ? ok({ fava: fava.value, waymark: waymark.value }) : waymark;
}

/** How proposals are reviewed on this machine now. */
export function providerSettings({ environment, repository }: OpenRecord): Outcome<ProviderSettings> {
  const machines = machineConfigs(environment);
  return machines.ok ? ok(mergeProviderSettings(machines.value, configInForce(repository.index.reader()))) : machines;
}

/** Services that are asked for records that are not here; `null` is never asked. */
export interface AtribServices {
  readonly log: string | null;
  readonly archive: string | null;
}

/** None unless a person configured them on this machine. */
export function atribServices(environment: Environment): Outcome<AtribServices> {
  const machines = machineConfigs(environment);
  if (!machines.ok) return machines;
  const { atrib_log_url: log = null, atrib_archive_url: archive = null } = machines.value.waymark;
  return ok({ log, archive });
}

/** How this machine serves over HTTP. */
export function serveSettings(environment: Environment): Outcome<ServeSettings> {
  const machines = machineConfigs(environment);
  return machines.ok ? ok(machines.value.waymark.serve ?? DEFAULT_SERVE_SETTINGS) : machines;
}

/**
 * The model these settings name, when this machine says where it is reached and has its key. Code `repository` when it
 * does not; no message quotes the key or a path.
 */
export function configuredModel(settings: ProviderSettings, variables: EnvironmentVariables): Outcome<ConfiguredModel> {
  const { apiBase, service, provider, model, timeoutSeconds, extraBody } = settings;
  const base = apiBase ?? service?.chat;
  if (base === undefined) {
    return unset('trust_gate_api_base', 'No model is configured on this machine', 'Set "trust_gate_api_base"');
  }
  const address = parseServiceAddress(base);
  if (address === null) {
    // The key would go over the wire in the clear, or be in the address already.
    const wanted = 'an https address, or an http one of this machine, without user, query or fragment';
    return unset('trust_gate_api_base', `"trust_gate_api_base" is not ${wanted}`, 'Correct it');
  }
  const credential = credentialFor(address, { settings, variables });
  if (!credential.ok) return credential;
  const isPublic = apiBase === null;
  return ok({
    ...{ address, model, timeoutSeconds, extraBody, provider, isPublic },
    ...credential.value,
    decisions: decisionsAt(address, settings),
  });
}

interface CredentialPlace {
  readonly settings: ProviderSettings;
  readonly variables: EnvironmentVariables;
}

/** A model of this machine needs none, and gets none unless the settings name one: the usual variable is another's. */
function credentialFor(
  address: string,
  { settings, variables }: CredentialPlace,
): Outcome<Pick<ConfiguredModel, 'key' | 'credentialSource'>> {
  const { apiKeyFile, apiKeyEnv, isKeyNamed } = settings;
  if (!isKeyNamed && isLoopback(new URL(address).hostname)) return ok({ key: null, credentialSource: 'none' });
  const key = apiKeyFile === null ? variables[apiKeyEnv] : readKey(apiKeyFile);
  if (key !== undefined && KEY.test(key)) {
    return ok({ key, credentialSource: apiKeyFile === null ? apiKeyEnv : 'trust_gate_api_key_file' });
  }
  const place =
    apiKeyFile === null
      ? `the variable ${apiKeyEnv}`
      : 'the file that "trust_gate_api_key_file" names, which must be yours alone (mode 600) and no link';
  return unset('trust_gate_api_key_env', `No key of the model is in ${place}`, `Put it there`);
}

/** fava.md 4. A base for chat ends in `/v1`; decisions have paths of their own. */
function decisionsAt(address: string, { apiBase, service, speaks }: ProviderSettings): ConfiguredModel['decisions'] {
  if (apiBase === null) {
    return service?.decisions == null ? null : { address: service.decisions, path: 'alpha/decisions' };
  }
  const path = speaks === 'openai' ? 'v1/systemone' : 'alpha/decisions';
  return { address: address.replace(/\/v1$/, ''), path };
}

/** As {@link configuredModel}, of the settings in force here. */
export function modelOf(record: OpenRecord, variables: EnvironmentVariables): Outcome<ConfiguredModel> {
  const settings = providerSettings(record);
  return settings.ok ? configuredModel(settings.value, variables) : settings;
}

/** As {@link configuredModel}, where no repository is open. */
export function machineModel(environment: Environment, variables: EnvironmentVariables): Outcome<ConfiguredModel> {
  const machines = machineConfigs(environment);
  return machines.ok ? configuredModel(mergeProviderSettings(machines.value, null), variables) : machines;
}

/** What a header can hold. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

const MAX_KEY_BYTES = 8 * 1024;

/** Read anew for each question, so that a key can be changed. Whatever is not a private file of one key is none. */
function readKey(file: string): string | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
    const stats = fstatSync(handle);
    const isShared = process.platform !== 'win32' && (stats.mode & 0o077) !== 0;
    if (!stats.isFile() || isShared || stats.size > MAX_KEY_BYTES) return undefined;
    return readFileSync(handle, 'utf8').trim();
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function unset(field: string, message: string, next: string): Refusal {
  return refuse('repository', message, { field, next: `${next} in waymark/config.yaml of your configuration folder` });
}

/** `sha256:` digests of the hooks that were accepted on this machine, one a line; other lines are comments. */
export function trustedHooks(environment: Environment): ReadonlySet<string> {
  return new Set((readIfThere(trustFile(environment))?.toString('utf8') ?? '').split('\n').filter(isHash));
}

/** Adds digests; those known already are left alone. */
export function trustHooks(environment: Environment, digests: readonly string[]): void {
  const known = trustedHooks(environment);
  const added = digests.filter((digest) => !known.has(digest));
  if (added.length === 0) return;
  const file = trustFile(environment);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Starts with a line end: a last line that somebody left open must not swallow the first digest.
  appendFileSync(file, `\n${added.join('\n')}\n`, { mode: 0o600, flush: true });
}

function trustFile(environment: Environment): string {
  return join(environment.configDir, 'trusted-hooks');
}

function readConfig(file: string, parse: typeof parseMachineConfig): Outcome<MachineConfig> {
  try {
    const bytes = readIfThere(file);
    return bytes === null ? ok({}) : parse(bytes, file);
  } catch (error) {
    const message = `${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    return refuse('repository', message, { next: 'Mend or remove that file' });
  }
}

function readIfThere(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}
