/** Saves and proposes items, sixteen at a time, and says of each what became of it. */
import { type Outcome, ok, type Refusal } from '../record/outcome.ts';
import { textDigest } from '../record/text-digest.ts';
import { type OwnThought, ownContent } from '../trail/own-content.ts';
import { checkSave } from '../trail/save.ts';
import type { Session } from '../trail/session.ts';
import type { SaveInput } from '../trail/types.ts';
import type { Item } from './import-items.ts';

export type ImportedItem =
  | {
      readonly item: string;
      readonly outcome: 'ok';
      /** Absent in a dry run. */
      readonly thought_id?: string;
      /** Entries of `informed_by` that are kept and name nothing here. */
      readonly unresolved?: readonly string[];
    }
  | {
      readonly item: string;
      readonly outcome: 'refused';
      readonly code: string;
      readonly message: string;
      readonly next: string;
      readonly field?: string;
      /** It is saved as a draft and could not be proposed; the next import of it goes on from there. */
      readonly thought_id?: string;
    }
  | { readonly item: string; readonly outcome: 'skipped'; readonly message: string; readonly thought_id?: string };

export interface ImportOptions {
  readonly session: Session;
  readonly scope: string;
  /** Checks and saves nothing. */
  readonly dryRun: boolean;
  readonly progress: (line: string) => void;
}

/** As many as the writer publishes together. */
const TOGETHER = 16;

export async function importItems(
  items: AsyncIterable<Item>,
  options: ImportOptions,
): Promise<Outcome<readonly ImportedItem[]>> {
  const known = await ownContent(await options.session.context(), options);
  if (!known.ok) return known;
  const own = known.value;
  const done: ImportedItem[] = [];
  /** The last item of each content: another of the same content waits for it. */
  const last = new Map<string, Promise<ImportedItem>>();

  function begin({ name, input }: Item): Promise<ImportedItem> {
    if (!input.ok) return refuseItem(name, input, options);
    const digest = textDigest(input.value.content);
    const item = { name, input: { ...input.value, trail_name: options.scope }, digest };
    const running = importItem(item, { ...options, twin: last.get(digest), own: own.get(digest) });
    last.set(digest, running);
    return running;
  }

  for await (const batch of batches(items)) {
    done.push(...(await Promise.all(batch.map(begin))));
    options.progress(`${done.length} items so far`);
  }
  return ok(done);
}

interface Importing {
  readonly name: string;
  readonly input: SaveInput;
  readonly digest: string;
}

interface ImportingOptions extends ImportOptions {
  readonly twin: Promise<ImportedItem> | undefined;
  readonly own: OwnThought | undefined;
}

async function importItem(importing: Importing, options: ImportingOptions): Promise<ImportedItem> {
  const { name: item, input, digest } = importing;
  const { session, dryRun, own } = options;
  const twin = await options.twin;
  if (twin !== undefined && twin.outcome !== 'refused') {
    return { item, outcome: 'skipped', message: `same content as ${twin.item}` };
  }
  if (own !== undefined && !own.isUnproposed) {
    const { thought_id, status } = own;
    return { item, outcome: 'skipped', message: `same content imported before, now ${status}`, thought_id };
  }
  if (dryRun) {
    const checked = own === undefined ? await checkSave(await session.context(), input) : ok(null);
    return checked.ok ? { item, outcome: 'ok' } : refused(item, checked);
  }
  const operations = session.operations();
  // For a day also against another process that imports the same.
  const idempotency_key = textDigest(JSON.stringify(['import', input.trail_name, digest]));
  const saved = own === undefined ? await operations.save({ ...input, idempotency_key }) : null;
  if (saved?.ok === false) return refused(item, saved);
  const thought_id = saved?.value.thought.thought_id ?? own?.thought_id ?? '';
  const proposed = await operations.propose({ trail_name: input.trail_name, thought_id });
  if (!proposed.ok) return { ...refused(item, proposed), thought_id };
  const unresolved = saved?.value.unresolved;
  return { item, outcome: 'ok', thought_id, ...(unresolved === undefined ? {} : { unresolved }) };
}

/** What a rule refuses before any operation is a denial all the same. */
async function refuseItem(item: string, refusal: Refusal, options: ImportOptions): Promise<ImportedItem> {
  const { rule, field, message, next } = refusal;
  if (rule !== undefined && !options.dryRun) {
    const denial = { verb: 'save', code: 'secret' as const, rule, message, next };
    await options.session.operations().deny({ ...denial, ...(field === undefined ? {} : { field }) });
  }
  return refused(item, refusal);
}

function refused(item: string, { code, message, next, field }: Refusal): ImportedItem & { outcome: 'refused' } {
  return { item, outcome: 'refused', code, message, next, ...(field === undefined ? {} : { field }) };
}

async function* batches(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < TOGETHER) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
