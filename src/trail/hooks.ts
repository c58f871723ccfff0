/** Hooks as the record knows them. None runs in this version; one that does not count never will. */
import type { RepositoryConfig } from '../config/index.ts';
import { hashOf, jcs } from '../ledger/index.ts';
import type { JsonObject } from '../record/thought.ts';

export const HOOKS_DIR = 'hooks/';

/** Digest by which a machine trusts a hook's file. */
export function hookDigest(bytes: Uint8Array): string {
  return hashOf(bytes);
}

/** Digests of the entries of `hooks` in config.yaml, in its order. */
export function hookEntryDigests(config: RepositoryConfig): readonly string[] {
  return (config.hooks ?? []).map((entry) => {
    const json: JsonObject = JSON.parse(JSON.stringify(entry));
    return hashOf(jcs(json));
  });
}
