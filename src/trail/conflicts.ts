/** Names what a merge left undecided in one scope: files with conflict markers, and a branch on a conflicted jj commit. */
import { type Outcome, ok } from '../record/outcome.ts';
import { parseThoughtPath } from '../record/paths.ts';
import { parseScope } from '../record/scope.ts';
import { isVisible, VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import type { RecallCursor } from '../store/index/types.ts';
import type { CommitId, VersionStore } from '../store/version-store.ts';
import type { TrailContext } from './context.ts';
import { checkOperator } from './guard.ts';
import type { Conflict, ConflictsResult, ScopeInput } from './types.ts';

const IN_FILE = {
  description: 'The committed file holds conflict markers: the thought is unverified and in no view but history',
  resolution_hint: 'Take one side whole, as its last signed event left it ("git checkout COMMIT -- FILE"), and commit',
} as const;
const IN_COMMIT = {
  description: 'Both sides of a conflicted jj commit changed it',
  resolution_hint: 'Take one side whole ("jj resolve --tool :ours FILE", or :theirs); then change it through a tool',
} as const;
const HEAD = {
  description: 'The branch names a conflicted commit: reading goes on from the last good one, writes are refused',
  resolution_hint: 'Resolve every file it conflicts in ("jj status", "jj resolve"), or move the branch back',
} as const;

export async function conflicts(context: TrailContext, input: ScopeInput): Promise<Outcome<ConflictsResult>> {
  const { principal, repository } = context;
  const refusal = checkOperator('conflicts', principal);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const isHere = (path: string) => parseThoughtPath(path)?.scope === scope.value;
  const { value: marked, state } = await repository.read((index) => [
    ...markedThoughts(index, { scope: scope.value, principal }),
    ...unreadableWithMarkers(index).filter(isHere),
  ]);
  // Only a head that is not indexed can be a conflicted commit.
  const inHead = state === undefined || state.head === null ? [] : await inCommit(repository.store, state.head, isHere);
  const found = [...inHead, ...[...new Set(marked)].sort().map((file) => ({ file, ...IN_FILE }))];
  if (found.length === 0) return ok({ status: 'ok', has_conflicts: false, message: 'No conflicts in this scope' });
  return ok({
    status: 'conflict',
    has_conflicts: true,
    count: found.length,
    conflicts: found,
    message: 'A person resolves these in the repository; nothing here is lost meanwhile',
  });
}

const PAGE = 500;

function* markedThoughts(
  index: Index,
  { scope, principal }: { scope: string; principal: TrailContext['principal'] },
): Generator<string> {
  const reach = { scopes: [scope], classes: [VISIBILITY_CLASSES.unverified], tokens: [], filters: {} };
  let after: RecallCursor | undefined;
  do {
    const page = { ...reach, order: 'newest' as const, limit: PAGE, ...(after === undefined ? {} : { after }) };
    const { hits } = index.recall(page);
    for (const { path, reason, facts } of hits) {
      if (reason === 'conflict_markers' && isVisible(facts, { principal, view: 'history' })) yield path;
    }
    after = hits.length < PAGE ? undefined : hits.at(-1)?.cursor;
  } while (after !== undefined);
}

/** Markers inside the frontmatter leave no thought to read. */
function unreadableWithMarkers(index: Index): readonly string[] {
  return index.problems().flatMap(({ path, code }) => (code === 'conflict_markers' ? path : []));
}

/** Nothing unless the commit is a conflicted one, which jj writes as the trees of its base and sides. */
async function inCommit(
  store: VersionStore,
  head: CommitId,
  isHere: (path: string) => boolean,
): Promise<readonly Conflict[]> {
  const [base, ours, theirs] = await Promise.all(
    ['.jjconflict-base-0/', '.jjconflict-side-0/', '.jjconflict-side-1/'].map(async (tree) => {
      const entries = await store.list(head, tree);
      return new Map(entries.map(({ path, blob }) => [path.slice(tree.length), blob]));
    }),
  );
  if (base === undefined || ours === undefined || theirs === undefined || ours.size + theirs.size === 0) return [];
  const paths = [...new Set([...base.keys(), ...ours.keys(), ...theirs.keys()])].sort();
  const changedByBoth = paths.filter((path) => {
    const [was, one, other] = [base.get(path), ours.get(path), theirs.get(path)];
    return isHere(path) && one !== was && other !== was && one !== other;
  });
  return [{ file: `refs/heads/${store.branch}`, ...HEAD }, ...changedByBoth.map((file) => ({ file, ...IN_COMMIT }))];
}
