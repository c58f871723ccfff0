/** Makes a data repository: git, owner key, first event, settings, in one first commit. */
import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type Environment, renderRepositoryConfig } from '../config/index.ts';
import { openKeyStore, randomContextId, repositoryIdOf } from '../ledger/index.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { initGitRepository } from '../store/git/index.ts';
import { CONFIG_FILE, DEFAULT_BRANCH, readRecord } from './locate.ts';
import { type OpenOptions, openRecord } from './open.ts';

export interface InitResult {
  readonly root: string;
  /** `false` when there was a record already; nothing was changed then. */
  readonly created: boolean;
  readonly repository_id: string;
  readonly branch: string;
}

export interface InitOptions extends Omit<OpenOptions, 'environment'> {
  readonly environment: Environment;
}

/** Idempotent: on an existing record nothing changes. Asks nothing, enrols no operator, needs no git identity. */
export async function init(path: string, options: InitOptions): Promise<Outcome<InitResult>> {
  const existing = existsSync(path) ? readRecord(path) : null;
  if (existing !== null) {
    if (!existing.ok) return existing;
    const { waymark } = existing.value;
    const branch = waymark.branch ?? DEFAULT_BRANCH;
    return ok({ root: realpathSync(path), created: false, repository_id: waymark.id, branch });
  }
  mkdirSync(path, { recursive: true });
  const root = realpathSync(path);
  const branch = DEFAULT_BRANCH;
  const made = await initGitRepository({ root, branch });
  if (!made.ok) return made;
  const keys = openKeyStore({ dir: join(options.environment.configDir, 'keys') });
  const key = keys.create({ kind: 'owner' });
  const signer = keys.signerOf(key);
  if (signer === null) throw new Error('A new key is locked');
  const waymark = { layout: 1 as const, id: repositoryIdOf(key.publicKey), owner: key.publicKey, branch };
  const config = { trails_dir: 'trails' as const, push_strategy: 'manual', waymark, unknownKeys: [] };
  const files = new Map([
    [CONFIG_FILE, renderRepositoryConfig(config)],
    // Bytes stay bytes: digests are about them, and autocrlf would change them.
    ['.gitattributes', '* -text\n'],
    ['.gitignore', '.jj/\n.waymark/\n'],
    ['trails/.gitkeep', ''],
  ]);
  const opened = await openRecord({ root, config, waymark }, options);
  if (!opened.ok) return opened;
  const { repository } = opened.value;
  try {
    const written = await repository.write<null>({
      signer,
      agent_id: 'owner',
      role: 'owner',
      decide: async () =>
        ok({
          event: {
            verb: 'init',
            informed_by: [],
            context_id: randomContextId(),
            local: {
              agent_id: 'owner',
              role: 'owner',
              enrolment: { key: key.publicKey, agent_id: 'owner', role: 'owner', protection: 'none' },
            },
            files: [...files].map(([file, text]) => ({ path: file, before: null, after: Buffer.from(text) })),
          },
          message: 'Initialise the record',
          answer: null,
        }),
    });
    if (!written.ok) return written;
  } finally {
    await repository.close();
  }
  return ok({ root, created: true, repository_id: waymark.id, branch });
}
