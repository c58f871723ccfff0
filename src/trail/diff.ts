/** What changed in a scope since an earlier point, as the committed files say. Operators only: it shows every status. */
import { decodeThought } from '../record/codec/index.ts';
import { type Outcome, ok } from '../record/outcome.ts';
import { parseThoughtPath, type ThoughtPath, TRAILS_DIR } from '../record/paths.ts';
import { standingName } from '../record/return-to.ts';
import { parseScope } from '../record/scope.ts';
import type { Thought } from '../record/thought.ts';
import type { Repository } from '../store/repository.ts';
import type { ChangedPath, CommitId, TreeEntry } from '../store/version-store.ts';
import type { TrailContext } from './context.ts';
import { checkOperator } from './guard.ts';
import { findPoint } from './point.ts';
import type { DiffInput, DiffResult } from './types.ts';

/** Thoughts described one by one; the counts are of all. */
const DESCRIBED = 200;

export async function diff(context: TrailContext, input: DiffInput): Promise<Outcome<DiffResult>> {
  const { principal, repository } = context;
  const { store } = repository;
  const refusal = checkOperator('A difference over every status', principal);
  if (refusal !== null) return refusal;
  const scope = parseScope(input.trail_name);
  if (!scope.ok) return scope;
  const from = await startOf(repository, input, scope.value);
  if (!from.ok) return from;
  const head = store.head();
  const folder = `${TRAILS_DIR}/${scope.value}/thoughts`;
  const all = head === null ? [] : await store.diff(from.value, head);
  const changes = all.filter(({ path }) => path.startsWith(`${folder}/`));
  const since = from.value === null ? 'the beginning' : from.value.slice(0, 12);
  const before = from.value === null ? [] : await store.list(from.value, folder);
  const lines = await describe(repository, changes, new Map(before.map((entry) => [entry.path, entry])));
  return ok({
    status: 'ok',
    summary: [`${changes.length} files changed in "${scope.value}" since ${since}`, ...lines].join('\n'),
    files_changed: changes.map(({ path }) => path),
  });
}

/** Without a revision: the end of the second before the newest change of the scope; `null` is the beginning. */
async function startOf(
  repository: Repository,
  { revision }: DiffInput,
  scope: string,
): Promise<Outcome<CommitId | null>> {
  if (revision !== undefined) return findPoint(repository, revision, { scope, field: 'revision' });
  const { value } = await repository.read((index) => index.newestEventsOfScope(scope, 1));
  const time = value[0]?.envelope.record.timestamp;
  return ok(time === undefined ? repository.store.head() : await repository.store.commitAt(time - 1000));
}

interface Side {
  readonly path: string;
  readonly blob: string;
}

/** One thought or other file: where it was and where it is. */
interface Difference {
  readonly place: ThoughtPath | null;
  before: Side | null;
  after: Side | null;
}

async function describe(
  repository: Repository,
  changes: readonly ChangedPath[],
  earlier: ReadonlyMap<string, TreeEntry>,
): Promise<readonly string[]> {
  const differences = new Map<string, Difference>();
  for (const { path, blob } of changes) {
    const place = parseThoughtPath(path);
    // A thought that moved to another folder is one difference.
    const key = place?.id ?? path;
    const known = differences.get(key) ?? { place, before: null, after: null };
    const old = earlier.get(path);
    if (old !== undefined) known.before = { path, blob: old.blob };
    if (blob !== null) known.after = { path, blob };
    differences.set(key, known);
  }
  const described = [...differences].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines: string[] = [];
  for (const [name, difference] of described.slice(0, DESCRIBED)) {
    lines.push(`${name} ${await describeOne(repository, difference)}`);
  }
  const rest = described.length - DESCRIBED;
  return rest > 0 ? [...lines, `and ${rest} more`] : lines;
}

async function describeOne({ store }: Repository, { place, before, after }: Difference): Promise<string> {
  if (place === null) return after === null ? 'removed' : before === null ? 'added' : 'changed';
  const read = async (side: Side | null) => (side === null ? null : decodeThought(await store.readBlob(side.blob)));
  const [then, now] = [await read(before), await read(after)];
  if (now === null) return 'removed';
  if (!now.ok) return 'unreadable now';
  const folder = parseThoughtPath(after?.path ?? '')?.namespace ?? '';
  if (then === null) return `added in ${folder}/, ${standingOf(now.thought)}`;
  if (!then.ok) return `was unreadable, now ${standingOf(now.thought)}`;
  return changesOf(then.thought, now.thought).join(', ');
}

function changesOf(then: Thought, now: Thought): readonly string[] {
  const [was, is] = [standingOf(then), standingOf(now)];
  const sizes = [then, now].map(({ body }) => Buffer.byteLength(body));
  const parts = [
    ...(was === is ? [] : [`${was} -> ${is}`]),
    ...(then.body === now.body ? [] : [`text changed (${sizes.join(' -> ')} bytes)`]),
  ];
  return parts.length > 0 ? parts : [`other fields changed, ${is}`];
}

/** As the file says; `recall` in mode "history" says what the ledger backs. */
function standingOf({ validation_status: status, superseded_by: id, superseded_scope: scope }: Thought): string {
  return standingName(status, id === undefined ? null : { id, scope });
}
