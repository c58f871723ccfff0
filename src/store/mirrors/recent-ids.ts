/** Row ids that were asked for lately, so that most need no look into the index. */

export interface RecentIds {
  of(name: string): number;
  remember(name: string, id: number): void;
  clear(): void;
}

/** Names that are kept: up to twice as many. */
const KEPT = 50_000;

/** `find` gives the id of a name that is not remembered. */
export function recentIds(find: (name: string) => number | bigint): RecentIds {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  function remember(name: string, id: number): void {
    if (young.size >= KEPT) [young, old] = [new Map(), young];
    young.set(name, id);
  }
  return {
    of(name) {
      const known = young.get(name);
      if (known !== undefined) return known;
      const id = old.get(name) ?? Number(find(name));
      remember(name, id);
      return id;
    },
    remember,
    clear() {
      young = new Map();
      old = new Map();
    },
  };
}
