/**
 * A trace without an index, as atrib's own tools do it: every call reads all files whole, parses, canonicalises and hashes
 * every record, then walks. It checks no signature.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AtribRecord, type Hash, recordHash } from '#waymark/ledger/index.js';

/** Hashes of the records visited, breadth-first over `informed_by`. */
export function scanAndTrace(
  folder: string,
  options: { readonly start: Hash; readonly maxNodes: number },
): readonly Hash[] {
  const records = new Map<Hash, AtribRecord>();
  for (const name of readdirSync(folder)) {
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) {
      if (line === '') continue;
      // Lines of our own making: see `seed-mirrors.ts`.
      const { record } = JSON.parse(line) as { record: AtribRecord };
      records.set(recordHash(record), record);
    }
  }
  const queue = [options.start];
  const visited = new Set<Hash>();
  for (const hash of queue) {
    if (visited.size >= options.maxNodes) break;
    const record = records.get(hash);
    if (record === undefined || visited.has(hash)) continue;
    visited.add(hash);
    queue.push(...(record.informed_by ?? []));
  }
  return [...visited];
}
