/** The event of a verdict and the files it changes, whoever gave it: the one place where a thought is decided. */
import type { EventFile, Hash } from '../ledger/types.ts';
import { claimDigest } from '../record/claim.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { promotionTarget } from '../record/routing.ts';
import type { JsonObject, Status, Thought } from '../record/thought.ts';
import type { Draft } from '../store/draft.ts';
import type { StoredThought } from '../store/index/types.ts';
import { claimEventOf } from './causes.ts';
import { replaceFile } from './replace-file.ts';
import { retirePredecessor } from './retire-predecessor.ts';
import type { ChangeEvent } from './write.ts';

export interface Verdict {
  /** `error`: a model was asked and gave no verdict. */
  readonly verb: 'approve' | 'reject' | 'request_changes' | 'error';
  /** After it. */
  readonly status: Status;
  /** The thought's, after it. */
  readonly extra: JsonObject;
  readonly local: Partial<ChangeEvent['local']>;
  /** Records it rests on besides the thought's own. */
  readonly informed_by?: readonly Hash[];
}

export interface StagedVerdict {
  readonly event: ChangeEvent;
  readonly thought: Thought;
  /** Of the commit. */
  readonly message: string;
}

/** An approval moves the file to where its type belongs, and retires what it replaces. */
export async function stageVerdict(
  draft: Draft,
  row: StoredThought,
  verdict: Verdict,
): Promise<Outcome<StagedVerdict>> {
  const { verb, status, extra, local, informed_by } = verdict;
  const thought: Thought = { ...row.thought, validation_status: status, metadata: { ...row.thought.metadata, extra } };
  const isApproval = verb === 'approve';
  const namespace = isApproval ? promotionTarget(thought.source_type, row.namespace) : row.namespace;
  const files = await replaceFile(draft, { row, thought }, { namespace });
  if (!files.ok) return files;
  const retired = isApproval ? await retirePredecessor(draft, row) : ok(null);
  if (!retired.ok) return retired;
  const about = eventAbout(draft, row, {
    verb,
    local: { ...local, status },
    files: [...files.value, ...(retired.value?.files ?? [])],
    informed_by,
  });
  if (!about.ok) return about;
  const { event, cause } = about.value;
  const target = retired.value === null ? { annotates: cause } : { revises: retired.value.event };
  return ok({
    event: verb === 'error' ? event : { ...event, ...target },
    thought,
    message: `${TITLES[verb]} thought ${thought.thought_id} in ${row.scope} ${namespace}/`,
  });
}

const TITLES = {
  approve: 'Approve',
  reject: 'Reject',
  request_changes: 'Ask for changes to',
  error: 'Note a failed review of',
} as const;

export interface Said {
  readonly verb: ChangeEvent['verb'];
  readonly local: Partial<ChangeEvent['local']>;
  /** @default none: it stands in the log alone */
  readonly files?: readonly EventFile[];
  readonly informed_by?: readonly Hash[] | undefined;
}

export interface AboutThought {
  readonly event: ChangeEvent;
  /** The record that fixed the thought's claim. */
  readonly cause: Hash;
}

/** What is said of the claim a thought has now, as it was put forward. Code `conflict`: nobody signed that claim. */
export function eventAbout(draft: Draft, row: StoredThought, said: Said): Outcome<AboutThought> {
  const { verb, local, files = [], informed_by = [] } = said;
  const { thought_id } = row.thought;
  const cause = claimEventOf(draft.index, thought_id);
  if (cause === null) {
    return refuse('conflict', `No signed event says who saved thought "${thought_id}"`, {
      next: 'Run "waymark verify"',
    });
  }
  const last = row.event === undefined ? [] : [row.event];
  const event = {
    verb,
    informed_by: [...new Set([cause, ...last, ...informed_by])],
    local: { scope: row.scope, thought_id, ...local },
    files,
    claim: claimDigest(row.thought),
  };
  return ok({ event, cause });
}
