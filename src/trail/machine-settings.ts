/** What this machine alone decides: its overlay files and the hooks it trusts, below `$XDG_CONFIG_HOME`. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Environment,
  type EnvironmentVariables,
  type MachineConfig,
  type MachineConfigs,
  providerSettings as mergeProviderSettings,
  type ProviderSettings,
  parseFavaMachineConfig,
  parseMachineConfig,
  parseServiceAddress,
} from '../config/index.ts';
import { isHash } from '../ledger/index.ts';
import { errnoOf } from '../record/errno.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import type { ChatProvider } from '../review/chat.ts';
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

/**
 * The model these settings name, when this machine says where it is reached and has its key. Code `repository` when it
 * does not; no message quotes the key.
 */
function chatProvider(settings: ProviderSettings, variables: EnvironmentVariables): Outcome<ChatProvider> {
  const { apiBase, apiKeyFile, apiKeyEnv, model, timeoutSeconds, extraBody } = settings;
  if (apiBase === null) {
    return unset('trust_gate_api_base', 'No model is configured on this machine', 'Set "trust_gate_api_base"');
  }
  const address = parseServiceAddress(apiBase);
  if (address === null) {
    // The key would go over the wire in the clear, or be in the address already.
    const wanted = 'an https address, or an http one of this machine, without user, query or fragment';
    return unset('trust_gate_api_base', `"trust_gate_api_base" is not ${wanted}`, 'Correct it');
  }
  const key = apiKeyFile === null ? variables[apiKeyEnv] : readKey(apiKeyFile);
  if (key === undefined || !KEY.test(key)) {
    const place = apiKeyFile === null ? `the variable ${apiKeyEnv}` : 'the file that "trust_gate_api_key_file" names';
    return unset('trust_gate_api_key_env', `No key of the model is in ${place}`, `Put it there`);
  }
  return ok({ address, key, model, timeoutSeconds, extraBody });
}

/** As {@link chatProvider}, of the settings in force here. */
export function modelOf(record: OpenRecord, variables: EnvironmentVariables): Outcome<ChatProvider> {
  const settings = providerSettings(record);
  return settings.ok ? chatProvider(settings.value, variables) : settings;
}

/** As {@link chatProvider}, where no repository is open. */
export function machineModel(environment: Environment, variables: EnvironmentVariables): Outcome<ChatProvider> {
  const machines = machineConfigs(environment);
  return machines.ok ? chatProvider(mergeProviderSettings(machines.value, null), variables) : machines;
}

/** What a header can hold. */
const KEY = /^[\x21-\x7e]{1,4096}$/;

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
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
