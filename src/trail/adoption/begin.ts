/** Makes a record of a FAVA repository: what `init` does, beside everything that is there already. */
import { join } from 'node:path';
import { addWaymarkBlock } from '../../config/index.ts';
import { openKeyStore, replacePin, repositoryIdOf } from '../../ledger/index.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { refuseSecrets } from '../../secrets/refuse-secrets.ts';
import { excludeStateFolder, locateRepository } from '../../store/git/index.ts';
import type { RepositoryIndex } from '../../store/repository-index.ts';
import type { CommitId, VersionStore } from '../../store/version-store.ts';
import { writeFirstEvent } from '../first-event.ts';
import { CONFIG_FILE, type FavaRepository } from '../locate.ts';
import { type OpenOptions, type OpenRecord, openUnpinned, pinFile } from '../open.ts';
import { personName } from '../person-name.ts';

const ATTRIBUTES_FILE = '.gitattributes';
/** Bytes stay bytes; the last line that matches counts. */
const ATTRIBUTES = '* -text';

export interface BeginOptions {
  readonly open: OpenOptions;
  readonly store: VersionStore;
  readonly head: CommitId;
  /** Of `head`, in step with the branch. */
  readonly index: RepositoryIndex;
}

/** The record, open. One commit, signed by a new owner key. */
export async function beginRecord(fava: FavaRepository, options: BeginOptions): Promise<Outcome<OpenRecord>> {
  const { open, store, head, index } = options;
  const { root } = fava;
  const configBytes = await store.readPath(head, CONFIG_FILE);
  if (configBytes === null) {
    return refuse('repository', `"${CONFIG_FILE}" is not committed on branch "${store.branch}"`, {
      next: `Commit it ("git add ${CONFIG_FILE} && git commit"), then run "waymark adopt" again`,
    });
  }
  const secret = await refuseSecrets({ [CONFIG_FILE]: Buffer.from(configBytes).toString('utf8') });
  if (secret !== null) return secret;
  const located = await locateRepository(root);
  if (!located.ok) return located;
  await excludeStateFolder(located.value);
  const keys = openKeyStore({ dir: join(open.environment.configDir, 'keys') });
  const key = keys.create({ kind: 'owner' });
  const signer = keys.signerOf(key);
  if (signer === null) throw new Error('A new key is locked');
  const { publicKey: owner } = key;
  const waymark = { layout: 1 as const, id: repositoryIdOf(owner), owner, branch: store.branch };
  const config = addWaymarkBlock(configBytes, waymark);
  if (!config.ok) return config;
  const attributes = await store.readPath(head, ATTRIBUTES_FILE);
  const opened = await openUnpinned({ root, config: { ...fava.config, waymark }, waymark }, { ...open, index });
  if (!opened.ok) return opened;
  const written = await writeFirstEvent(opened.value.repository, {
    signer,
    ...(await personName(opened.value.repository)),
    message: 'Adopt the FAVA Trails repository',
    files: [
      { path: CONFIG_FILE, before: configBytes, after: config.value },
      { path: ATTRIBUTES_FILE, before: attributes, after: withAttributes(attributes) },
    ],
  });
  if (!written.ok) {
    await opened.value.repository.close();
    return written;
  }
  replacePin({ file: pinFile(open.environment), root: opened.value.repository.root }, waymark);
  return ok(opened.value);
}

function withAttributes(bytes: Uint8Array | null): Uint8Array {
  const text = Buffer.from(bytes ?? []).toString('latin1');
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.at(-1)?.trim() === ATTRIBUTES) return Buffer.from(text, 'latin1');
  return Buffer.from(`${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${ATTRIBUTES}\n`, 'latin1');
}
