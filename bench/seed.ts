/** A data repository full of thoughts, each held to the ledger by signed events, made in seconds. */
import { mkdirSync } from 'node:fs';
import { encodeThought } from '#waymark/record/codec/index.js';
import type { JsonObject, Thought } from '#waymark/record/thought.js';
import { type CorpusThought, corpus, scopeName } from './corpus.ts';
import { fastImport, type ImportedCommit } from './fast-import.ts';
import { openSeedWriters } from './seed-events.ts';
import { command, git } from './session.ts';

export interface SeedOptions {
  /** Root of the repository to make; must not exist. */
  readonly root: string;
  /** Folder for the owner's key. */
  readonly home: string;
  readonly count: number;
  readonly scopes: number;
  /** `each`: a commit for every thought, which stays a draft. @default `few` */
  readonly commits?: 'few' | 'each';
}

const AUTHOR = 'seed-agent';
const DECIDER = 'seed-operator';
const FOLDERS = { decision: 'decisions', observation: 'observations', inference: 'observations' } as const;

/**
 * The names of its scopes. Three commits: the operator is enrolled, every thought saved, then proposed or decided; or one
 * for each save.
 */
export async function seedRepository(options: SeedOptions): Promise<readonly string[]> {
  const { root, home } = options;
  mkdirSync(home, { recursive: true });
  const session = { record: root, home };
  await command(session, ['init', root]);
  const branch = (await git(session, ['symbolic-ref', '--short', 'HEAD'])).trim();
  const { author, decider, enrolment, keys } = openSeedWriters({
    record: root,
    home,
    author: AUTHOR,
    decider: DECIDER,
  });
  const saved: string[] = [];
  await fastImport(commits(), { record: root, home, branch });
  await git(session, ['reset', '--hard', '--quiet']);
  return Array.from({ length: options.scopes }, (_, n) => scopeName(n));

  function* commits(): Generator<ImportedCommit> {
    yield { author: DECIDER, message: 'Enrol the operator of the seed', files: enrolment };
    if (options.commits === 'each') {
      for (const entry of corpus(options)) yield { author: AUTHOR, message: 'Save a thought', files: oneSave(entry) };
      return;
    }
    yield { author: AUTHOR, message: `Save ${options.count} thoughts`, files: saves() };
    decider.see(author);
    yield { author: DECIDER, message: 'Propose and decide', files: decisions() };
  }

  function* saves(): Generator<readonly [string, Uint8Array]> {
    for (const entry of corpus(options)) yield* save(entry);
    yield author.checkpoint();
  }

  function* oneSave(entry: CorpusThought): Generator<readonly [string, Uint8Array]> {
    yield* save(entry);
    yield author.checkpoint();
  }

  function* save(entry: CorpusThought): Generator<readonly [string, Uint8Array]> {
    const path = draftPath(entry);
    const bytes = fileOf(entry, 'draft');
    if (author.last() === null) yield keys;
    const event = author.append({
      draft: { verb: 'save', files: [{ path, before: null, after: bytes, thought_id: entry.id, status: 'draft' }] },
      local: { scope: entry.scope, thought_id: entry.id, status: 'draft' },
    });
    saved.push(event.hash);
    yield [path, bytes];
    yield [event.path, Buffer.from(event.line)];
  }

  function* decisions(): Generator<readonly [string, Uint8Array | null]> {
    let n = -1;
    for (const entry of corpus(options)) {
      n += 1;
      const { id, scope, status } = entry;
      const about = saved[n];
      if (status === 'draft' || about === undefined) continue;
      const from = draftPath(entry);
      const to = status === 'approved' ? finalPath(entry) : from;
      const before = fileOf(entry, 'draft');
      const after = fileOf(entry, status);
      const files =
        from === to
          ? [{ path: to, before, after, thought_id: id, status }]
          : [
              { path: from, before, after: null, thought_id: id },
              { path: to, before: null, after, thought_id: id, status },
            ];
      const by = status === 'proposed' ? author : decider;
      const verb = ({ proposed: 'propose', approved: 'approve', rejected: 'reject' } as const)[status];
      const event = by.append({
        draft: { verb, files },
        local: {
          scope,
          thought_id: id,
          status,
          ...(status === 'proposed' ? {} : { kind: 'human', protection: 'none' }),
        },
        about,
      });
      if (from !== to) yield [from, null];
      yield [to, after];
      yield [event.path, Buffer.from(event.line)];
    }
    yield author.checkpoint();
    yield decider.checkpoint();
  }
}

/** The file of a thought where its status belongs: what a repository looks like that no ledger speaks of. */
export function thoughtFile(entry: CorpusThought): readonly [path: string, bytes: Uint8Array] {
  return [entry.status === 'approved' ? finalPath(entry) : draftPath(entry), fileOf(entry, entry.status)];
}

function finalPath({ scope, sourceType, id }: CorpusThought): string {
  return `trails/${scope}/thoughts/${FOLDERS[sourceType]}/${id}.md`;
}

function draftPath(entry: CorpusThought): string {
  return `trails/${entry.scope}/thoughts/drafts/${entry.id}.md`;
}

function fileOf(entry: CorpusThought, status: Thought['validation_status']): Uint8Array {
  const thought: Thought = {
    schema_version: 1,
    thought_id: entry.id,
    agent_id: AUTHOR,
    confidence: 0.8,
    source_type: entry.sourceType,
    validation_status: status,
    created_at: entry.createdAt,
    relationships: [],
    metadata: { project: 'bench', tags: entry.tags, extra: extraOf(entry, status) },
    body: entry.body,
  };
  return Buffer.from(encodeThought(thought));
}

function extraOf(entry: CorpusThought, status: Thought['validation_status']): JsonObject {
  if (status !== 'approved') return {};
  const actor = `human:${DECIDER}`;
  const at = entry.createdAt.replace('Z', '+00:00');
  return {
    trust_gate: { reviewer: actor, reviewed_at: at, verdict: 'approve', reasoning: 'Seeded', kind: 'human' },
    approval: { kind: 'human', actor, approved_at: at },
  };
}
