/**
 * A model's verdict, read strictly: one JSON object, alone or as the whole content of one code fence.
 *
 * Nothing is cut out of prose, since whoever wrote the text under review may have written a verdict into it. What is not
 * exactly a verdict approves nothing (cases.md B40).
 */
import { z } from 'zod';

export interface ModelVerdict {
  readonly verdict: 'approve' | 'reject';
  /** Text of a stranger. */
  readonly reasoning: string;
  /** 0 to 1. */
  readonly confidence?: number;
}

export const VERDICT_FAULTS = {
  empty: 'it is empty',
  too_long: 'it is too long for a verdict',
  not_json: 'it is not one JSON object alone, or alone in one code fence',
  not_an_object: 'its JSON is not an object',
  unknown_member: 'its object has other members than "verdict", "reasoning" and "confidence"',
  repeated_member: 'its object has a member twice',
  no_verdict: 'its "verdict" is missing, or neither "approve" nor "reject"',
  no_reasoning: 'its "reasoning" is missing, empty or too long',
  bad_confidence: 'its "confidence" is not a number from 0 to 1',
} as const;
export type VerdictFault = keyof typeof VERDICT_FAULTS;

export type ReadVerdict =
  | { readonly ok: true; readonly value: ModelVerdict }
  | { readonly ok: false; readonly fault: VerdictFault };

/** UTF-16 units; a verdict whose every character is escaped is shorter. */
const MAX_ANSWER = 32 * 1024;
/** UTF-8 bytes: escaped for a file it still fits where a decision is kept free (`record/limits.ts`). */
export const MAX_REASONING_BYTES = 3_000;

const verdict = z.strictObject({
  verdict: z.enum(['approve', 'reject']),
  reasoning: z.string().refine((text) => /\S/.test(text) && Buffer.byteLength(text) <= MAX_REASONING_BYTES),
  confidence: z.number().min(0).max(1).exactOptional(),
});

/** Never throws, and quotes nothing of the answer. */
export function readVerdict(answer: string): ReadVerdict {
  if (answer.length > MAX_ANSWER) return { ok: false, fault: 'too_long' };
  const text = unfenced(trimmed(answer));
  if (text === '') return { ok: false, fault: 'empty' };
  const value = parse(text);
  if (value === undefined) return { ok: false, fault: 'not_json' };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, fault: 'not_an_object' };
  const parsed = verdict.safeParse(value);
  if (!parsed.success) return { ok: false, fault: faultOf(parsed.error.issues) };
  // Every value is text or a number, so what stands before a colon is a member. Of two of one name the parser took one.
  const members = [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon === ':');
  if (members.length !== Object.keys(value).length) return { ok: false, fault: 'repeated_member' };
  return { ok: true, value: parsed.data };
}

/** Without what JSON takes for white space. By hand: an expression would look at each run of blanks once for each blank. */
function trimmed(text: string): string {
  const isBlank = (at: number) => ' \t\r\n'.includes(text.charAt(at));
  let [start, end] = [0, text.length];
  while (start < end && isBlank(start)) start += 1;
  while (end > start && isBlank(end - 1)) end -= 1;
  return text.slice(start, end);
}

/** The content of a fence that holds everything; a second one inside leaves what is no JSON. */
function unfenced(text: string): string {
  const [first = '', ...rest] = text.split('\n');
  const last = rest.pop() ?? '';
  const isFence = /^```(?:json)?[ \t]*\r?$/i.test(first) && /^[ \t]*```$/.test(last) && rest.length > 0;
  return isFence ? trimmed(rest.join('\n')) : text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function faultOf(issues: readonly z.core.$ZodIssue[]): VerdictFault {
  if (issues.some(({ code }) => code === 'unrecognized_keys')) return 'unknown_member';
  const fields = issues.map(({ path }) => path[0]);
  if (fields.includes('verdict')) return 'no_verdict';
  return fields.includes('reasoning') ? 'no_reasoning' : 'bad_confidence';
}
