/** Puts an entry into a cache of at most `limit`: whoever fills it pushes out what was put in longest ago. */
export function putBounded<K, V>(
  cache: Map<K, V>,
  [key, value]: readonly [K, V],
  { limit }: { readonly limit: number },
): void {
  // Put in anew, so that it counts as the newest.
  cache.delete(key);
  cache.set(key, value);
  for (const oldest of cache.keys()) {
    if (cache.size <= limit) break;
    cache.delete(oldest);
  }
}
