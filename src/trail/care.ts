/**
 * Why a proposal asks for more care than others: named reasons, each with what it rests on, never one number.
 *
 * A score would hide which of them it was, and be written for; a name can be looked at and disagreed with.
 */
import { marksOf } from '../record/alike.ts';
import { type ComparedText, comparedText, contradictions, type Difference } from '../record/contradiction.ts';
import { mayDecideIn } from '../record/grants.ts';
import type { Principal } from '../record/principal.ts';
import { isVisible, VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { DecidedCount, Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { viewsOf } from './find-thought.ts';
import { legacyPredecessor } from './legacy-predecessor.ts';

export const CARES = ['replaces', 'near_tombstone', 'contradicts', 'large', 'author_rejected'] as const;
export type CareName = (typeof CARES)[number];

export type Care =
  /** Approving it retires that thought. */
  | { readonly name: 'replaces'; readonly thought_id: string }
  /** It comes close to this rejected value. */
  | { readonly name: 'near_tombstone'; readonly tombstone: string }
  /** A governed thought of the scope says nearly the same with another number or unit, or the opposite. */
  | { readonly name: 'contradicts'; readonly thought_id: string; readonly differs: readonly Difference[] }
  /** Its body is longer than what is read at a glance; in UTF-8 bytes. */
  | { readonly name: 'large'; readonly bytes: number; readonly limit: number }
  /** Of the author's last decided proposals, as far as the viewer may decide in their scopes. */
  | { readonly name: 'author_rejected'; readonly rejected: number; readonly decided: number };

/** About a page of text. */
export const LARGE_BYTES = 4096;
/** Decided proposals of an author that are looked at. */
const LAST_DECIDED = 10;
/** Named from one in four on: everybody has something rejected now and then. */
const REJECTED_SHARE = 0.25;
/** Governed thoughts that a proposal is compared with, those first that share most with it. */
const COMPARED_WITH = 8;

/** One line for people. */
export function describeCare(care: Care): string {
  switch (care.name) {
    case 'replaces':
      return `replaces ${care.thought_id}`;
    case 'near_tombstone':
      return `near rejected value ${care.tombstone}`;
    case 'contradicts':
      return `contradicts ${care.thought_id}: other ${care.differs.join(' and ')}`;
    case 'large':
      return `large: ${care.bytes} bytes, more than ${care.limit}`;
    case 'author_rejected':
      return `author: ${care.rejected} of the last ${care.decided} rejected`;
  }
}

/** Reasons of many proposals, what several share looked up once. Use it at once: it does not follow the index. */
export interface CareReader {
  /** @param near Ids of the rejected values it comes close to. */
  of(row: StoredThought, near: readonly string[]): readonly Care[];
}

export function careReader(index: Index, principal: Principal): CareReader {
  const texts = new Map<string, ComparedText>();
  const decided = new Map<string, DecidedCount>();
  const names = index.scopes().map(({ scope }) => scope);
  const open = names.filter((scope) => mayDecideIn(principal, scope));
  const scopes = open.length === names.length ? null : open;

  function textOf({ blob, thought }: StoredThought): ComparedText {
    const text = texts.get(blob) ?? comparedText(thought.body);
    texts.set(blob, text);
    return text;
  }

  function contradicted(row: StoredThought, replaced: string | undefined): readonly Care[] {
    const { scope, thought } = row;
    const query = { scope, classes: [VISIBILITY_CLASSES.governed], marks: marksOf(thought.body), limit: COMPARED_WITH };
    return index.alikeThoughts(query).flatMap((other): readonly Care[] => {
      const { thought_id } = other.thought;
      if (thought_id === replaced || !isVisible(other.facts, { principal, view: 'governed' })) return [];
      const differs = contradictions(textOf(row), textOf(other));
      return differs.length === 0 ? [] : [{ name: 'contradicts', thought_id, differs }];
    });
  }

  function replacedBy(row: StoredThought): string | undefined {
    const { supersedes_id } = row.thought;
    if (supersedes_id !== undefined) return supersedes_id;
    const linked = legacyPredecessor(index, row);
    const isSeen = linked !== null && viewsOf(principal).some((view) => isVisible(linked.facts, { principal, view }));
    return isSeen ? linked.thought.thought_id : undefined;
  }

  function rejectedOf(author: string): readonly Care[] {
    const count = decided.get(author) ?? index.decidedOf(author, { scopes, limit: LAST_DECIDED });
    decided.set(author, count);
    const isNamed = count.rejected > 0 && count.rejected >= count.decided * REJECTED_SHARE;
    return isNamed ? [{ name: 'author_rejected', ...count }] : [];
  }

  return {
    of(row, near) {
      const replaced = replacedBy(row);
      const bytes = Buffer.byteLength(row.thought.body);
      return [
        ...(replaced === undefined ? [] : [{ name: 'replaces', thought_id: replaced } as const]),
        ...near.map((tombstone) => ({ name: 'near_tombstone', tombstone }) as const),
        ...contradicted(row, replaced),
        ...(bytes > LARGE_BYTES ? [{ name: 'large', bytes, limit: LARGE_BYTES } as const] : []),
        ...rejectedOf(row.thought.agent_id),
      ];
    },
  };
}
