/** Finds the data repository a command means. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, parseRepositoryConfig, type RepositoryConfig } from '../config/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';

export const CONFIG_FILE = 'config.yaml';
export const DEFAULT_BRANCH = 'main';
const MAX_CONFIG = 256 * 1024;

export interface Located {
  readonly root: string;
  readonly config: RepositoryConfig;
  readonly waymark: NonNullable<RepositoryConfig['waymark']>;
}

/** `WAYMARK_DATA_REPO`, else the nearest folder at or above `cwd` that holds a record. */
export function locateRecord(environment: Environment, cwd: string): Outcome<Located> {
  if (environment.dataRepo !== undefined) {
    const root = resolve(cwd, environment.dataRepo);
    return readRecord(root) ?? noRecord(`"${root}" (WAYMARK_DATA_REPO) holds no record`);
  }
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = readRecord(folder);
    if (found !== null) return found;
    if (folder === dirname(folder)) return noRecord(`No record at or above "${resolve(cwd)}"`);
  }
}

/** The record at exactly this folder; `null` when there is no Waymark or FAVA repository there. */
export function readRecord(root: string): Outcome<Located> | null {
  const bytes = readConfig(root);
  if (bytes === null) return null;
  const config = parseRepositoryConfig(bytes);
  // Any project may have a config.yaml that makes no sense here; a damaged one of ours is named.
  if (!config.ok) return isOurs(root, bytes) ? config : null;
  const { waymark } = config.value;
  if (waymark !== undefined) return ok({ root, config: config.value, waymark });
  // One that names a FAVA key is a FAVA repository.
  if (config.value.unknownKeys.length > 0 || !('push_strategy' in config.value || 'remote_url' in config.value))
    return null;
  return refuse('repository', `"${root}" is a FAVA Trails repository that Waymark has not adopted`, {
    next: 'Adoption is not part of this version; start a new record with "waymark init PATH"',
  });
}

function isOurs(root: string, bytes: Uint8Array): boolean {
  return /^["']?waymark["']?[ ]*:/m.test(Buffer.from(bytes).toString('utf8')) || existsSync(join(root, 'ledger'));
}

function readConfig(root: string): Uint8Array | null {
  try {
    const bytes = readFileSync(join(root, CONFIG_FILE));
    return bytes.length > MAX_CONFIG ? null : bytes;
  } catch {
    return null;
  }
}

function noRecord(message: string): Refusal {
  return refuse('repository', message, {
    next: 'Make one with "waymark init PATH", or set WAYMARK_DATA_REPO to the folder of one',
  });
}
