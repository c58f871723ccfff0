/** All that an index says that must not depend on how the events came in: one by one, in batches, or all at once. */
import type { Index } from '../../src/store/index/index.ts';

/** Positions are left out: which of two unrelated events came first is no matter. */
export function indexState(index: Index) {
  const events = [...hashesOf(index)].flatMap((hash) => index.eventByHash(hash) ?? []);
  return {
    events: events.map(({ hash, valid, role, invalidReason }) => ({ hash, valid, role, invalidReason })),
    keys: index
      .keys()
      .map(({ since: _, ...known }) => known)
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
    revocations: index.revocations().map(({ known: _, ...revocation }) => revocation),
    governed: index.governedPaths().map((path) => {
      const { state, bytes } = index.governed(path) ?? {};
      return { path, state, bytes: Buffer.from(bytes ?? '').toString(), by: index.signedVersion(path)?.event.hash };
    }),
    thoughts: pathsOf(index).map((path) => {
      const row = index.thoughtByPath(path);
      return { path, held: row?.held, reason: row?.reason, event: row?.event, facts: row?.facts };
    }),
    quarantines: index.quarantines(),
    writers: index.writers(),
  };
}

function hashesOf(index: Index): readonly string[] {
  return index.eventsByPrefix('sha256:', 1_000_000).map(({ hash }) => hash);
}

function pathsOf(index: Index): readonly string[] {
  const named = index.eventsByPrefix('sha256:', 1_000_000).flatMap(({ envelope }) => envelope._local?.files ?? []);
  return [...new Set(named.map(({ path }) => path))].filter((path) => index.thoughtByPath(path) !== null).sort();
}
