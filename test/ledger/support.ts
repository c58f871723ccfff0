import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import {
  buildEvent,
  type EventDraft,
  genesisChainRoot,
  logNameOf,
  type SignedEvent,
  type Signer,
  signerFromSeed,
  type WriterTail,
} from '../../src/ledger/index.ts';

export const CONTEXT = 'a'.repeat(32);
export const NOW = 1_800_000_000_000;

/** A signer whose seed is 32 times `byte`. */
export function testSigner(byte: number): Signer {
  return signerFromSeed(new Uint8Array(32).fill(byte), { protection: 'none' });
}

export function emptyTail(signer: Signer): WriterTail {
  const { publicKey } = signer;
  return { log: logNameOf(publicKey), publicKey, size: 0, last: null, peaks: [] };
}

export interface TestEventOptions {
  readonly signer: Signer;
  readonly draft?: Partial<EventDraft>;
  readonly tail?: WriterTail;
  readonly timestamp?: number;
  readonly seen?: string | null;
}

export function testEvent(options: TestEventOptions): SignedEvent {
  const { signer, draft, tail = emptyTail(signer), timestamp = NOW, seen = null } = options;
  const base: EventDraft = {
    verb: 'save',
    informed_by: [],
    context_id: CONTEXT,
    local: { agent_id: 'ann', role: 'agent' },
    files: [],
  };
  const chainRoot = genesisChainRoot(CONTEXT);
  return buildEvent({ ...base, ...draft }, { tail, seen, chainRoot, timestamp, signer, producer: 'test' });
}

export function tempDir(): string {
  return mkdtempSync(join(tmpdir(), 'waymark-ledger-'));
}

const json = z.record(z.string(), z.unknown());

/** A JSON object under `test/vectors/atrib`, parsed with `schema`. */
export function vector<T>(path: string, schema: z.ZodType<T>): T {
  return schema.parse(json.parse(JSON.parse(readFileSync(vectorPath(path), 'utf8'))));
}

export function vectorPath(path: string): string {
  return new URL(`../vectors/atrib/${path}`, import.meta.url).pathname;
}
