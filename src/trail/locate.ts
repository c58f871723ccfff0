/** Finds the data repository a command means. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Environment, parseRepositoryConfig, type RepositoryConfig } from '../config/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { TRAILS_DIR } from '../record/paths.ts';

export const CONFIG_FILE = 'config.yaml';
export const DEFAULT_BRANCH = 'main';
const MAX_CONFIG = 256 * 1024;

export interface Located {
  readonly root: string;
  readonly config: RepositoryConfig;
  readonly waymark: NonNullable<RepositoryConfig['waymark']>;
}

/** A FAVA data repository without a `waymark` block. */
export interface FavaRepository {
  readonly root: string;
  readonly config: RepositoryConfig;
  readonly waymark: undefined;
}

/** `WAYMARK_DATA_REPO`, else the nearest folder at or above `cwd` that holds a record. */
export function locateRecord(environment: Environment, cwd: string): Outcome<Located> {
  const found = locateRepository(environment, cwd);
  return found.ok ? adopted(found.value) : found;
}

/** As {@link locateRecord}, a FAVA repository that is not adopted included. */
export function locateRepository(environment: Environment, cwd: string): Outcome<Located | FavaRepository> {
  if (environment.dataRepo !== undefined) {
    const root = resolve(cwd, environment.dataRepo);
    return readRepository(root) ?? noRecord(`"${root}" (WAYMARK_DATA_REPO) holds no record`);
  }
  return nearestRepository(cwd) ?? noRecord(`No record at or above "${resolve(cwd)}"`);
}

/** At or above `cwd`; `null` when there is none, damaged ones included. */
export function nearestRepository(cwd: string): Outcome<Located | FavaRepository> | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const found = readRepository(folder);
    if (found !== null || folder === dirname(folder)) return found;
  }
}

/** The record at exactly this folder; `null` when there is no Waymark or FAVA repository there. */
export function readRecord(root: string): Outcome<Located> | null {
  const found = readRepository(root);
  return found?.ok ? adopted(found.value) : found;
}

/** As {@link readRecord}, a FAVA repository that is not adopted included. */
export function readRepository(root: string): Outcome<Located | FavaRepository> | null {
  const bytes = readConfig(root);
  if (bytes === null) return null;
  const config = parseRepositoryConfig(bytes);
  // Any project may have a config.yaml that makes no sense here; a damaged one of ours is named.
  if (!config.ok) return isOurs(root, bytes) ? config : null;
  const { waymark } = config.value;
  if (waymark !== undefined) return ok({ root, config: config.value, waymark });
  // Every key has a default in FAVA, so its folder may be all that tells; keys of a later version count beside it.
  const isNamed = 'push_strategy' in config.value || 'remote_url' in config.value;
  const signs = [isNamed, config.value.unknownKeys.length === 0, existsSync(join(root, TRAILS_DIR))];
  return signs.filter(Boolean).length < 2 ? null : ok({ root, config: config.value, waymark });
}

function adopted(found: Located | FavaRepository): Outcome<Located> {
  if (found.waymark !== undefined) return ok(found);
  return refuse('repository', `"${found.root}" is a FAVA Trails repository that Waymark has not adopted`, {
    next: 'Run "waymark adopt" there; "waymark adopt --dry-run" shows first what it would do',
  });
}

function isOurs(root: string, bytes: Uint8Array): boolean {
  return (
    /^["']?(?:waymark|trails_dir)["']?[ ]*:/m.test(Buffer.from(bytes).toString('utf8')) ||
    ['ledger', TRAILS_DIR].some((name) => existsSync(join(root, name)))
  );
}

function readConfig(root: string): Uint8Array | null {
  try {
    const file = join(root, CONFIG_FILE);
    return statSync(file).size > MAX_CONFIG ? null : readFileSync(file);
  } catch {
    return null;
  }
}

function noRecord(message: string): Refusal {
  return refuse('repository', message, {
    next: 'Make one with "waymark init PATH" or of a FAVA Trails repository with "waymark adopt PATH", or set WAYMARK_DATA_REPO to the folder of one',
  });
}
