/** What somebody can do who may commit to the repository, with no more keys than an agent's own. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  buildEvent,
  checkpointOrigin,
  checkpointPath,
  genesisChainRoot,
  logNameOf,
  renderCheckpoint,
  rootOf,
  signerFromSeed,
} from '../../src/ledger/index.ts';
import type { EventDraft, EventFile, SignedEvent, Signer, WriterTail } from '../../src/ledger/types.ts';
import { DESK_AGENT_ID } from '../../src/record/principal.ts';
import { cloneId } from '../../src/trail/clone.ts';
import type { OpenRecord } from '../../src/trail/open.ts';

/** Bytes of a file, a link, the commit of a submodule, an executable file, or `null` for no file. */
export type Committed =
  | Uint8Array
  | string
  | { readonly link: string }
  | { readonly submodule: string }
  | { readonly executable: Uint8Array }
  | null;

/** Commits files past Waymark; needs nothing of git's own index or of the working files. Answers the commit. */
export function commit(root: string, files: Readonly<Record<string, Committed>>): string {
  const before = run(root, ['rev-parse', 'main']);
  const by = 'committer mallory <mallory@example.org> 1700000000 +0000';
  const head = `commit refs/heads/main\n${by}\ndata 7\nBy hand\nfrom ${before}\n`;
  run(
    root,
    ['fast-import', '--quiet', '--force'],
    Buffer.concat([Buffer.from(head), ...Object.entries(files).map(change)]),
  );
  return run(root, ['rev-parse', 'main']);
}

function change([path, content]: readonly [string, Committed]): Buffer {
  const name = `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"\n`;
  if (content === null) return Buffer.from(`D ${name}`);
  if (typeof content === 'object' && 'submodule' in content)
    return Buffer.from(`M 160000 ${content.submodule} ${name}`);
  const [mode, data] =
    typeof content === 'string' || content instanceof Uint8Array
      ? ['100644', content]
      : 'link' in content
        ? ['120000', content.link]
        : ['100755', content.executable];
  const bytes = Buffer.from(data);
  return Buffer.concat([Buffer.from(`M ${mode} inline ${name}data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

/** The committed bytes of a path. */
export function committed(root: string, path: string): Buffer {
  return execFileSync('git', ['cat-file', 'blob', `main:${path}`], { cwd: root });
}

/** Paths of the branch below a folder. */
export function listed(root: string, folder: string): readonly string[] {
  const out = run(root, ['ls-tree', '-r', '--name-only', 'main', '--', folder]);
  return out === '' ? [] : out.split('\n');
}

function run(root: string, args: readonly string[], input: string | Uint8Array = ''): string {
  const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...args], { cwd: root, env, input, maxBuffer: 64 * 1024 * 1024 })
    .toString()
    .trim();
}

export interface Writing {
  readonly signer: Signer;
  readonly tail: WriterTail;
}

/** A key nobody has seen, with an empty log. */
export function newWriter(): Writing {
  const signer = signerFromSeed(randomBytes(32), { protection: 'none' });
  return {
    signer,
    tail: { log: logNameOf(signer.publicKey), publicKey: signer.publicKey, size: 0, last: null, peaks: [] },
  };
}

/** An agent's own key, which it has, with the end of its log. */
export function ownWriter({ keys, repository }: OpenRecord, agent_id: string): Writing {
  const clone = cloneId(repository.root);
  const key = keys.find({ kind: 'agent', repository: repository.trust.repositoryId, agent_id, clone });
  const signer = key === null ? null : keys.signerOf(key);
  const tail = signer === null ? null : repository.index.reader().writerTail(logNameOf(signer.publicKey));
  if (signer === null || tail === null) throw new Error(`"${agent_id}" has not written yet`);
  return { signer, tail };
}

/** The operator key of a person on this machine, with the end of its log. */
export function operatorWriter({ keys, repository }: OpenRecord, agent_id: string): Writing {
  const key = keys.find({ kind: 'operator', repository: repository.trust.repositoryId, agent_id });
  const signer = key === null ? null : keys.signerOf(key);
  const tail = signer === null ? null : repository.index.reader().writerTail(logNameOf(signer.publicKey));
  if (signer === null || tail === null) throw new Error(`"${agent_id}" has not signed as operator yet`);
  return { signer, tail };
}

/** The service key of this clone, with the end of its log. */
export function serviceWriter({ keys, repository }: OpenRecord): Writing {
  const identity = { kind: 'service' as const, repository: repository.trust.repositoryId, agent_id: DESK_AGENT_ID };
  const key = keys.find({ ...identity, clone: cloneId(repository.root) });
  const signer = key === null ? null : keys.signerOf(key);
  const tail = signer === null ? null : repository.index.reader().writerTail(logNameOf(signer.publicKey));
  if (signer === null || tail === null) throw new Error('The service has not signed yet');
  return { signer, tail };
}

/** A well-signed event; a new key enrols itself in its first. */
export function forge(
  by: Writing,
  event: Pick<EventDraft, 'verb' | 'files' | 'local'> & { readonly timestamp?: number },
): SignedEvent {
  const { timestamp = Date.now(), verb, files, local } = event;
  const { agent_id, role } = local;
  const context_id = randomBytes(16).toString('hex');
  const isNew = by.tail.size === 0 && role === 'agent';
  const enrolment = { key: by.signer.publicKey, agent_id, role, protection: 'none' } as const;
  const draft: EventDraft = {
    verb,
    ...(['approve', 'reject', 'request_changes'].includes(verb) ? { annotates: `sha256:${'0'.repeat(64)}` } : {}),
    informed_by: [],
    context_id,
    local: { ...local, ...(isNew ? { enrolment } : {}) },
    files,
  };
  const { signer, tail } = by;
  const chainRoot = genesisChainRoot(context_id);
  return buildEvent(draft, { tail, seen: null, chainRoot, timestamp, signer, producer: 'forger' });
}

/** Carol's operator key or the owner's, as somebody has it who stole the file. */
export function personWriter({ keys, repository }: OpenRecord, kind: 'operator' | 'owner'): Writing {
  const id = repository.trust.repositoryId;
  const key = keys.find(kind === 'owner' ? { kind, repository: id } : { kind, repository: id, agent_id: 'carol' });
  const signer = key === null ? null : keys.signerOf(key);
  const tail = signer === null ? null : repository.index.reader().writerTail(logNameOf(signer.publicKey));
  if (signer === null || tail === null) throw new Error(`No ${kind} key has written yet`);
  return { signer, tail };
}

/** Commits a well-signed event with its checkpoint and files past Waymark. */
export function commitAs(
  { repository }: OpenRecord,
  by: Writing,
  event: Omit<Parameters<typeof forge>[1], 'files'> & { readonly files?: readonly EventFile[] },
): SignedEvent {
  const { files = [] } = event;
  const signed = forge(by, { ...event, files });
  const { tail } = signed;
  const checkpoint = {
    origin: checkpointOrigin(repository.trust.repositoryId, tail.log),
    size: tail.size,
    root: rootOf(tail.peaks),
  };
  const changed: Record<string, Committed> = {
    [signed.path]: signed.line,
    [checkpointPath(tail.log)]: renderCheckpoint(checkpoint, by.signer),
  };
  for (const { path, after } of files) changed[path] = after;
  commit(repository.root, changed);
  return signed;
}
