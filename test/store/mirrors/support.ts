import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type AtribRecord,
  genesisChainRoot,
  type Hash,
  hashOf,
  jcs,
  recordHash,
  signRecord,
} from '../../../src/ledger/index.ts';
import { type Mirrors, openMirrors } from '../../../src/store/mirrors/index.ts';
import { CONTEXT, NOW, testSigner } from '../../ledger/support.ts';
import { tempDir } from '../../support/temp-dir.ts';

export interface TestMirror {
  readonly folder: string;
  readonly cacheFolder: string;
  path(name: string): string;
  /** Adds lines as they are: objects as JSON, each with its newline. */
  append(name: string, ...lines: readonly unknown[]): void;
  open(more?: { readonly file?: string; readonly cacheFolder?: string }): Mirrors;
}

/** An empty folder of records and one for the index. */
export function testMirror(): TestMirror {
  const root = tempDir();
  const [folder, cacheFolder] = [join(root, 'records'), join(root, 'cache')];
  mkdirSync(folder);
  const path = (name: string) => join(folder, name);
  return {
    folder,
    cacheFolder,
    path,
    append(name, ...lines) {
      const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
      appendFileSync(path(name), texts.map((text) => `${text}\n`).join(''));
    },
    open(more) {
      const mirrors = openMirrors({ folder, cacheFolder, ...more });
      onTestFinished(() => mirrors.close());
      return mirrors;
    },
  };
}

export interface TestRecord {
  readonly record: AtribRecord;
  readonly hash: Hash;
  readonly local: { readonly content: { readonly what: string } };
}

const signer = testSigner(1);

/** A signed observation that says `what`; `members` are added before it is signed. */
export function observation(what: string, members: Readonly<Record<string, unknown>> = {}): TestRecord {
  const local = { content: { what } };
  const record = signRecord(
    {
      spec_version: 'atrib/1.0',
      content_id: hashOf(Buffer.from('mcp://atrib-emit:observation')),
      creator_key: signer.publicKey,
      chain_root: genesisChainRoot(CONTEXT),
      event_type: 'https://atrib.dev/v1/types/observation',
      context_id: CONTEXT,
      timestamp: NOW,
      args_hash: hashOf(jcs(local.content)),
      ...members,
    },
    signer,
  );
  return { record, hash: recordHash(record), local };
}

/** The line that an emitting program leaves. */
export function envelope({ record, local }: TestRecord, more: Readonly<Record<string, unknown>> = {}): object {
  return { record, _local: { ...local, ...more } };
}
