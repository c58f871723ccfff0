/** The story in sentences, each with the records it is from. The same records give the same text. */
import type { Hash } from '../../ledger/types.ts';
import { citeOf } from './step.ts';
import type { Story } from './story.ts';

export interface Narrative {
  readonly text: string;
  /** In the order of the text. */
  readonly cited: readonly Hash[];
}

/** Of open ends, and of decisions and turning points together; the lists of the answer have all. */
const MAX_OPEN_ENDS = 10;

export function narrate({ told, decisions, turningPoints, openEnds }: Story): Narrative {
  const cited = new Set<Hash>();
  const cite = (hashes: readonly Hash[]) => {
    for (const hash of hashes) cited.add(hash);
    return hashes.map((hash) => `[${citeOf(hash)}]`).join('');
  };
  const [first] = told;
  const last = told.at(-1);
  if (first === undefined || last === undefined) return { text: 'There is nothing to tell.', cited: [] };
  const hashesOf = (list: readonly { readonly record_hash: Hash }[]) => list.map(({ record_hash }) => record_hash);
  const span = first === last ? `On ${dayOf(first.at)}` : `From ${dayOf(first.at)} to ${dayOf(last.at)}`;
  const paragraphs = [
    `${span}, ${counted(told.length, 'record')}.`,
    told.map(({ at, text, record_hash }) => `${at}: ${text} ${cite([record_hash])}.`).join('\n'),
    decisions.length === 0 ? '' : `${counted(decisions.length, 'decision')}: ${cite(hashesOf(decisions))}.`,
    turningPoints.length === 0
      ? ''
      : `${counted(turningPoints.length, 'turning point')}: ${cite(hashesOf(turningPoints))}.`,
    openEnds
      .slice(0, MAX_OPEN_ENDS)
      .map(({ record_hash, text }) => `Open: ${text} ${cite([record_hash])}.`)
      .join('\n'),
    openEnds.length > MAX_OPEN_ENDS ? `${openEnds.length - MAX_OPEN_ENDS} more are open.` : '',
  ];
  return { text: paragraphs.filter((paragraph) => paragraph !== '').join('\n\n'), cited: [...cited] };
}

function dayOf(at: string): string {
  return at.slice(0, 10);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
