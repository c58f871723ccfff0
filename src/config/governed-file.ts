/** Whether a file that an operator is about to put in force can be read by whoever will obey it. */
import { z } from 'zod';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { parseTombstonePath, TOMBSTONE_KEYS_FILE } from '../record/paths.ts';
import { parseRepositoryConfig, scopeDefaults } from './repository-config.ts';
import { parseScopeSettings } from './scope-settings.ts';
import { parseTombstone } from './tombstone-file.ts';
import { parseTombstoneKeys } from './tombstone-keys.ts';
import { parseSettings } from './yaml-settings.ts';

/** As for every file of a record; longer ones are not read whole. */
const MAX_BYTES = 1024 * 1024;

/** @param path A governed path; decides how the bytes are read. Code `repository`, with file and line or key. */
export function checkGovernedFile(path: string, bytes: Uint8Array): Outcome<unknown> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (bytes.length > MAX_BYTES) return unreadable(`${name} has ${bytes.length} bytes, the limit is ${MAX_BYTES}`);
  if (path === 'config.yaml') {
    const config = parseRepositoryConfig(bytes);
    return config.ok ? scopeDefaults(config.value) : config;
  }
  if (path.startsWith('hooks/')) return ok(null);
  if (name === '.fava-trails.yaml') return parseScopeSettings(bytes);
  if (path === TOMBSTONE_KEYS_FILE) return parseTombstoneKeys(bytes);
  if (parseTombstonePath(path) !== null) return checkTombstone(path, bytes);
  if (name.endsWith('.yaml')) return parseSettings(bytes, { name, schema: z.looseObject({}) });
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return unreadable(`${name} is not UTF-8`);
  }
}

/** One that was moved would hold elsewhere than the person said. */
function checkTombstone(path: string, bytes: Uint8Array): Outcome<unknown> {
  const parsed = parseTombstone(bytes);
  if (!parsed.ok) return parsed;
  const place = parseTombstonePath(path);
  const isInPlace = parsed.value.id === place?.id && parsed.value.scope === place.scope;
  return isInPlace ? parsed : unreadable(`"${path}" is the tombstone of another scope or id`);
}

function unreadable(message: string): Outcome<never> {
  return refuse('repository', message, { next: 'Correct the file' });
}
