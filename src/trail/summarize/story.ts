/** What a row of records amounts to: decisions, turning points, and what was left open. */
import { linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import { wordsOf } from './check-input.ts';
import { citeOf, type ToldRecord } from './step.ts';
import type { OpenEnd } from './types.ts';

export interface Story {
  /** Oldest first. */
  readonly told: readonly ToldRecord[];
  readonly decisions: readonly ToldRecord[];
  readonly turningPoints: readonly ToldRecord[];
  readonly openEnds: readonly OpenEnd[];
}

/** Of one record; a hand-made one may name thousands. */
const MAX_MISSING = 20;
const UNDECIDED: readonly string[] = ['draft', 'proposed', 'error'];

/** @param isHere whether the caller may read the record, in the summary or not */
export function storyOf(told: readonly ToldRecord[], isHere: (hash: Hash) => boolean): Story {
  const decisions = told.filter(({ isDecision }) => isDecision);
  const changed = new Set(changedDecisions(decisions));
  return {
    told,
    decisions,
    turningPoints: told.filter((record) => record.isTurningPoint || changed.has(record)),
    openEnds: [...undecided(told), ...told.flatMap((record) => causesGone(record, isHere))],
  };
}

/** The records that hold a word of the focus, and those that name one of them or are named by one. */
export function focused(told: readonly ToldRecord[], words: readonly string[]): readonly ToldRecord[] {
  const hits = new Set(told.filter(({ text }) => holdsOneOf(text, words)).map(({ record_hash }) => record_hash));
  const near = new Set(hits);
  for (const { record_hash, found } of told) {
    for (const { target } of linksOf(found.record)) {
      if (hits.has(target)) near.add(record_hash);
      if (hits.has(record_hash)) near.add(target);
    }
  }
  return told.filter(({ record_hash }) => near.has(record_hash));
}

function holdsOneOf(text: string, words: readonly string[]): boolean {
  const folded = wordsOf(text).join(' ');
  return words.some((word) => folded.includes(word));
}

/** Every decision but the first about the same thing. */
function changedDecisions(decisions: readonly ToldRecord[]): readonly ToldRecord[] {
  const seen = new Set<string>();
  return decisions.filter(({ found: { thought, record } }) => {
    const about = thought?.thought_id ?? record.annotates ?? record.revises ?? '';
    const isLater = seen.has(about);
    seen.add(about);
    return isLater;
  });
}

/** Thoughts that wait, each at its newest record here. */
function undecided(told: readonly ToldRecord[]): readonly OpenEnd[] {
  const newest = new Map<string, ToldRecord>();
  for (const record of told) {
    const { thought } = record.found;
    if (thought !== undefined && UNDECIDED.includes(thought.status)) newest.set(thought.thought_id, record);
  }
  return [...newest].map(([id, { record_hash, found }]) => ({
    record_hash,
    text: `Thought ${id} is ${found.thought?.status === 'draft' ? 'a draft and was not proposed' : 'not decided'}`,
  }));
}

function causesGone({ record_hash, found }: ToldRecord, isHere: (hash: Hash) => boolean): readonly OpenEnd[] {
  const gone = linksOf(found.record).filter(
    ({ kind, target }) => kind !== 'chain' && kind !== 'provenance' && !isHere(target),
  );
  if (gone.length === 0) return [];
  const missing = gone.map(({ target }) => target).slice(0, MAX_MISSING);
  const names = missing.map(citeOf).join(', ');
  const more = gone.length > missing.length ? ` and ${gone.length - missing.length} more` : '';
  return [{ record_hash, text: `It follows from records that are not here: ${names}${more}`, missing }];
}
