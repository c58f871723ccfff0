/** What is said of one record or link of a trace, the same in every rendering. Control characters are visible. */
import type { LinkKind } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import { lineOf } from '../../record/preview.ts';
import { revealLine } from '../../record/reveal.ts';
import { DANGLING_REASONS, type DanglingDetail, type Direction, type VisitedRecord } from './types.ts';
import type { TraceEdge, TraceView } from './view.ts';

/** From a record to what it names, and back. */
const LINK_WORDS: Readonly<Record<LinkKind, readonly [there: string, back: string]>> = {
  informed_by: ['informed by', 'informed'],
  annotates: ['annotates', 'annotated by'],
  revises: ['revises', 'revised by'],
  chain: ['follows', 'followed by'],
  provenance: ['stems from', 'led to'],
};

export interface LinkEnds {
  /** The record that is drawn first, and the one it leads to. */
  readonly from: Hash;
  readonly to: Hash;
  readonly direction: Direction;
}

/** What the first is to the other, as in `informed by`; of several links all that the walk could take. */
export function linkWords({ from, to, direction }: LinkEnds, edges: readonly TraceEdge[]): string {
  const words = edges.flatMap((edge) => {
    const [there, back] = LINK_WORDS[edge.kind];
    if (direction !== 'forward' && edge.from === from && edge.to === to) return [there];
    return direction !== 'backward' && edge.from === to && edge.to === from ? [back] : [];
  });
  return words.length === 0 ? 'leads to' : [...new Set(words)].join(', ');
}

export function wordOf(kind: LinkKind): string {
  return LINK_WORDS[kind][0];
}

/** What the record is about: the thought's first words, else what its writer put beside it, else its type alone. */
export function whatOf(record: VisitedRecord): string {
  const { sidecar_summary: summary = {}, thought, erased_by } = record;
  const told = summary.what ?? summary.intent ?? summary.span_name ?? summary.tool_name ?? record.tool_name;
  const text = thought?.content_preview ?? told;
  const act = summary.verb ?? typeName(record.event_type);
  if (erased_by !== undefined) return revealLine(`${act}: erased`);
  if (text === undefined) return revealLine(act);
  // The two types of which a mirror mostly consists go without saying.
  return revealLine(act === 'observation' || act === 'tool_call' ? lineOf(text) : `${act}: ${lineOf(text)}`);
}

/** The last part of a type's URI. */
function typeName(eventType: string): string {
  return /[^/:#]+$/.exec(eventType)?.[0] ?? eventType;
}

/**
 * Who signed: the agent where this record's own ledger proves the name, else the beginning of the key. Whatever a
 * mirror says beside a record, anybody may have written.
 */
export function whoOf(record: VisitedRecord): string {
  const { source, sidecar_summary, content_matches, erased_by, verification, creator_key, thought } = record;
  const isProven =
    (content_matches === true || erased_by !== undefined) &&
    (verification === undefined || verification.status === 'valid');
  const agent = source.startsWith('ledger/') && isProven ? sidecar_summary?.agent_id : undefined;
  // Of an approval whom the thought names, unless somebody else approved it since.
  const approver = sidecar_summary?.verb === 'approve' ? thought?.approved_by : undefined;
  const named = approver?.endsWith(`(human:${agent})`) ? approver.replace('(human:', '(') : agent;
  const { attested } = sidecar_summary ?? {};
  if (agent !== undefined && attested !== undefined) return revealLine(`${attested} (attested by ${agent})`);
  return revealLine(named ?? `${creator_key.slice(0, 8)}…`);
}

/** `2026-11-30T09:15:00Z` */
export function whenOf({ timestamp }: Pick<VisitedRecord, 'timestamp'>): string {
  const time = new Date(timestamp);
  return Number.isNaN(time.getTime()) ? 'no time' : `${time.toISOString().slice(0, -5)}Z`;
}

/** Of the thought it is about; `null` for records about none. */
export function statusOf({ thought }: VisitedRecord): string | null {
  if (thought === undefined) return null;
  return thought.superseded ? 'superseded' : thought.status;
}

/** Whether the signature holds, and whether what stands beside the record is what was signed. */
export function markOf({ verification, content_matches }: VisitedRecord): string {
  const unlike = content_matches === false ? ', but its sidecar is not the one that was signed' : '';
  if (verification === undefined) return `not checked${unlike}`;
  const { status, reason } = verification;
  if (status === 'valid') return unlike === '' ? '✓ verified' : `✗ verified${unlike}`;
  const sign = status === 'unverifiable' ? '?' : '✗';
  return revealLine(`${sign} ${status.replace('_', ' ')}${reason === undefined ? '' : `: ${reason}`}${unlike}`);
}

export function absenceOf({ reason, logged }: DanglingDetail): string {
  switch (reason) {
    case 'missing':
      return 'missing';
    case 'out_of_scope':
      return 'out of scope: of another context';
    case 'unreadable':
      return 'unreadable: it is here and cannot be read';
    case 'logged_elsewhere':
      return logged === undefined
        ? 'logged elsewhere'
        : revealLine(
            `logged elsewhere: ${typeName(logged.event_type)} of key ${logged.creator_key.slice(0, 8)}, ${whenOf(logged)}`,
          );
  }
}

/** What a person can tell it by, and type: the first 8 hex digits. */
export function shortHash(hash: Hash): string {
  return hash.slice('sha256:'.length, 'sha256:'.length + 8);
}

/** Of the records that are shown: all is well, or how many are not. */
export function proofLine({ records, absent }: TraceView): string {
  const shown = [...records.values()];
  const verified = shown.filter(
    ({ verification, content_matches }) => verification?.status === 'valid' && content_matches !== false,
  ).length;
  const unchecked = shown.filter(({ verification }) => verification === undefined).length;
  const rest = shown.length - verified - unchecked;
  const lost = DANGLING_REASONS.flatMap((reason) => {
    const count = [...absent.values()].filter((detail) => detail.reason === reason).length;
    return count === 0 ? [] : [`${count} ${reason.replace('_', ' ')}`];
  });
  const counts = [
    ...(verified > 0 ? [`${verified} verified`] : []),
    ...(unchecked > 0 ? [`${unchecked} not checked`] : []),
    ...(rest > 0 ? [`${rest} NOT VERIFIED`] : []),
    ...lost,
  ];
  return `${shown.length} ${shown.length === 1 ? 'record' : 'records'}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}
