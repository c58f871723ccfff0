/** Whether a file may be put in force: what it is, whether it can be obeyed, and whose record it says this is. */
import { checkGovernedFile, parseRepositoryConfig } from '../config/index.ts';
import { type Refusal, refuse } from '../record/outcome.ts';
import { governedPath, isOfTombstones } from '../record/paths.ts';
import { quote } from '../record/quote.ts';
import { findSecret } from '../secrets/find-secret.ts';
import { secretRefusal } from '../secrets/secret-refusal.ts';
import type { TrailContext } from './context.ts';
import { CONFIG_FILE, DEFAULT_BRANCH } from './locate.ts';

/** More at once would not fit into an answer that somebody reads. */
const MOST_PATHS = 100;

export function checkPaths(paths: readonly string[]): Refusal | null {
  const field = 'paths';
  if (paths.length === 0 || paths.length > MOST_PATHS) {
    return refuse('invalid', `Expected 1 to ${MOST_PATHS} paths, got ${paths.length}`, {
      field,
      next: 'Name the files that "waymark status" lists under settings',
    });
  }
  const tombstone = paths.find(isOfTombstones);
  if (tombstone !== undefined) {
    return refuse('invalid', `${quote(tombstone)} is of tombstones, which are not accepted by hand`, {
      field,
      next: `Bring the signed version back ("git log -- ${tombstone}"); a rejection makes a tombstone, "waymark lift" ends one`,
    });
  }
  const other = paths.find((path) => !governedPath(path) || path.split('/').includes('..'));
  if (other === undefined) return null;
  return refuse('invalid', `${quote(other)} is not a governed file, so there is nothing to accept`, {
    field,
    next: 'Governed are config.yaml, keys.yaml, trails/**/.fava-trails.yaml, trails/**/trust-gate-prompt.md and files below hooks/; a thought is decided with "waymark review"',
  });
}

/** Of a file that is not in the working tree. */
export function checkAbsence(path: string): Refusal | null {
  if (path !== CONFIG_FILE) return null;
  return refuse('invalid', 'config.yaml is not in the working tree, and a record cannot be without it', {
    field: 'paths',
    next: 'Bring it back from history',
  });
}

export function checkFile(context: TrailContext, path: string, bytes: Uint8Array): Refusal | null {
  const found = findSecret({ [path]: Buffer.from(bytes).toString('latin1') });
  if (found !== null) return secretRefusal({ ...found, field: path });
  const read = checkGovernedFile(path, bytes);
  if (!read.ok) return unacceptable(path, read.message, read.field);
  return path === CONFIG_FILE ? checkIdentity(context, bytes) : null;
}

/** What the machine has pinned is no setting: who may commit could else lead everybody to another record. */
function checkIdentity({ repository }: TrailContext, bytes: Uint8Array): Refusal | null {
  const config = parseRepositoryConfig(bytes);
  const stated = config.ok ? config.value.waymark : undefined;
  const { trust, store } = repository;
  const wanted = { id: trust.repositoryId, owner: trust.owner, branch: store.branch };
  const { id, owner, branch = DEFAULT_BRANCH } = stated ?? { id: undefined, owner: undefined };
  const given = { id, owner, branch };
  const key = (['id', 'owner', 'branch'] as const).find((name) => given[name] !== wanted[name]);
  if (key === undefined) return null;
  const field = `waymark.${key}`;
  return unacceptable(CONFIG_FILE, `"${field}" is not "${wanted[key]}", as this machine knows the record`, field);
}

function unacceptable(path: string, problem: string, field: string | undefined): Refusal {
  return refuse('invalid', `"${path}" cannot be put in force: ${problem}`, {
    field: field ?? 'paths',
    next: `Correct the file, then run "waymark accept ${path}" again; nothing was changed`,
  });
}
