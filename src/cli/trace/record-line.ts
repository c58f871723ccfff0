/** One record of a trace on one line of 100 columns, and what stands beside it on more. */
import type { VisitedRecord } from '../../trail/trace/types.ts';
import { markOf, shortHash, statusOf, whatOf, whenOf, whoOf } from '../../trail/trace/words.ts';
import { terminalText } from '../terminal-text.ts';

const WIDTH = 100;
/** Least room for what a record is about, however deep it stands. */
const MIN_WHAT = 20;
const MAX_CONTENT_LINES = 20;

/** Widths. */
export interface Columns {
  readonly status: number;
  readonly who: number;
}

export function columnsOf(records: readonly VisitedRecord[]): Columns {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  return {
    status: widest(records.map((record) => statusOf(record) ?? '')),
    who: widest(records.map(whoOf)),
  };
}

const GAP = '  ';
const WHEN = '2026-11-30T09:15:00Z'.length;
const HASH = 8;
const MARK = '✓ verified'.length;
/** Of what follows on a name that stands for a record drawn elsewhere. */
const PLACE = GAP.length + HASH + ', see above'.length;

export interface RecordLineOptions {
  readonly columns: Columns;
  /** What stands left of it. */
  readonly lead: string;
}

export function recordLine(record: VisitedRecord, { columns, lead }: RecordLineOptions): string {
  const facts = [
    ...(columns.status === 0 ? [] : [(statusOf(record) ?? '').padEnd(columns.status)]),
    whoOf(record).padEnd(columns.who),
    whenOf(record).padEnd(WHEN),
    shortHash(record.record_hash),
  ].join(GAP);
  const room = Math.max(MIN_WHAT, WIDTH - lead.length - facts.length - MARK - 2 * GAP.length);
  return `${lead}${cut(whatOf(record), room).padEnd(room)}${GAP}${facts}${GAP}${markOf(record)}`;
}

/** What stands beside the record, where it was asked for. */
export function contentLines({ local_content: content }: VisitedRecord): readonly string[] {
  if (content === undefined) return [];
  const text = typeof content === 'string' ? content : JSON.stringify(content, null, 1);
  const lines = terminalText(text).split('\n');
  if (lines.length <= MAX_CONTENT_LINES) return lines;
  return [...lines.slice(0, MAX_CONTENT_LINES), `… ${lines.length - MAX_CONTENT_LINES} more lines: --format json`];
}

/** What a record is called where it is drawn elsewhere, given what stands left of it. */
export function nameOf(record: VisitedRecord, { lead }: Omit<RecordLineOptions, 'columns'>): string {
  return `${cut(whatOf(record), WIDTH - lead.length - PLACE)}${GAP}${shortHash(record.record_hash)}`;
}

/** No character is split. */
function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
