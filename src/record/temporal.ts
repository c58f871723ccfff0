/**
 * The two clocks, and the only module that compares their times.
 *
 * *Valid* time is when a claim is true in the world: `valid_from` to `valid_to`, half-open, settable by who saves it.
 * *Known* time is when the record took something in: the dates of its events, in their order (`store/past/`). Whoever
 * filters by either asks here, in rules or in SQL, so that a malformed date is absent everywhere and never compared.
 */
import { type Outcome, ok, type Refusal, refuse } from './outcome.ts';
import type { JsonObject } from './thought.ts';
import { microsOf } from './time.ts';

/** Keys of `metadata.extra` that hold a time; also the names of the arguments that set them. */
export const VALIDITY_FIELDS = ['valid_from', 'valid_to', 'review_by'] as const;
type ValidityField = (typeof VALIDITY_FIELDS)[number];

/** As a caller gives them, or as a file holds them once they are checked. */
export type Dates = { readonly [Field in ValidityField]?: string | undefined };

/** Microseconds since 1970; what is absent or malformed is missing. */
export interface Validity {
  /** Inclusive. */
  readonly from?: bigint;
  /** Exclusive. */
  readonly to?: bigint;
  readonly reviewBy?: bigint;
  /** Fields that a file holds and that count as absent: no time, or a range that ends before it begins. */
  readonly malformed: readonly ValidityField[];
}

/** ISO 8601 as RFC 3339 has it, or a date alone; at most microseconds. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;
/** An earlier year is a typing error; four digits write no later one. */
const FIRST = yearStart('1000');
const END = yearStart('9999') + 365n * 24n * 3_600n * 1_000_000n;

/** Microseconds since 1970 of an argument; a date alone is its midnight, and without an offset it is UTC. */
export function parseInstant(text: string, field: string): Outcome<bigint> {
  const micros = INSTANT.test(text) ? saneMicros(text) : null;
  if (micros !== null) return ok(micros);
  return refuse('invalid', `"${field}" is no ISO 8601 time of the years 1000 to 9999`, {
    field,
    next: `Send "${field}" as a date or time of the calendar, such as 2026-11-30 or 2026-11-30T09:00:00Z`,
  });
}

/** The dates in the form in which they are stored: UTC, ending in `Z`, without a fraction of zero. */
export function checkDates(dates: Dates): Outcome<Dates> {
  const checked: { [Field in ValidityField]?: string } = {};
  for (const field of VALIDITY_FIELDS) {
    const text = dates[field];
    if (text === undefined) continue;
    const instant = parseInstant(text, field);
    if (!instant.ok) return instant;
    checked[field] = isoOf(instant.value);
  }
  return checkRange(checked) ?? ok(checked);
}

/** Those that are set, as keys of `metadata.extra`. */
export function datesIn(dates: Dates): Readonly<Record<string, string>> {
  return Object.fromEntries(
    VALIDITY_FIELDS.flatMap((field) => (dates[field] === undefined ? [] : [[field, dates[field]]])),
  );
}

function checkRange({ valid_from, valid_to }: Dates): Refusal | null {
  const [from, to] = [saneMicros(valid_from), saneMicros(valid_to)];
  if (from === null || to === null || from < to) return null;
  return refuse('invalid', `"valid_to" is ${valid_to}, which is not after "valid_from", ${valid_from}`, {
    field: 'valid_to',
    next: 'Send a "valid_to" after "valid_from"; it is the first moment at which the claim is no longer true',
  });
}

/** What a file says; other programs may have written it, in any form the codec takes for a time. */
export function validityOf(extra: JsonObject): Validity {
  const [from, to, reviewBy] = VALIDITY_FIELDS.map((field) => saneMicros(extra[field]));
  const isReversed = from != null && to != null && from >= to;
  const malformed = VALIDITY_FIELDS.filter(
    (field) =>
      (extra[field] !== undefined && saneMicros(extra[field]) === null) || (isReversed && field !== 'review_by'),
  );
  return {
    ...(from == null || isReversed ? {} : { from }),
    ...(to == null || isReversed ? {} : { to }),
    ...(reviewBy == null ? {} : { reviewBy }),
    malformed,
  };
}

/** What results show of the dates, and what they mean at `now` (microseconds since 1970). */
export interface ShownDates {
  readonly valid_from?: string;
  readonly valid_to?: string;
  readonly review_by?: string;
  /** Its date of review has come. */
  readonly due?: true;
  /** It is no longer true, as `valid_to` has it. */
  readonly lapsed?: true;
  readonly malformed_dates?: readonly string[];
}

export function showDates(extra: JsonObject, now?: bigint): ShownDates {
  const { from, to, reviewBy, malformed } = validityOf(extra);
  return {
    ...(from === undefined ? {} : { valid_from: isoOf(from) }),
    ...(to === undefined ? {} : { valid_to: isoOf(to) }),
    ...(reviewBy === undefined ? {} : { review_by: isoOf(reviewBy) }),
    ...(hasCome(reviewBy, now) ? { due: true as const } : {}),
    ...(hasCome(to, now) ? { lapsed: true as const } : {}),
    ...(malformed.length === 0 ? {} : { malformed_dates: malformed }),
  };
}

/** Was it true then, as far as its dates say? An absent bound excludes nothing. The rule that {@link VALID_AT} states. */
export function isValidAt({ from, to }: Validity, instant: bigint): boolean {
  return (from === undefined || from <= instant) && (to === undefined || instant < to);
}

/** {@link isValidAt} on `thought t`, with the parameter `valid_at`. */
export const VALID_AT =
  '(t.valid_from IS NULL OR t.valid_from <= @valid_at) AND (t.valid_to IS NULL OR @valid_at < t.valid_to)';

/** When a person should look at it again: the first of its dates that asks for it; at once when one is malformed. */
export function dueOf({ to, reviewBy, malformed }: Validity): bigint | null {
  if (malformed.length > 0) return 0n;
  if (to === undefined || reviewBy === undefined) return to ?? reviewBy ?? null;
  return to < reviewBy ? to : reviewBy;
}

/** {@link dueOf} has come, on `thought`, with the parameter `now`. */
export const DUE = 'due_at <= @now';

/** Whether something dated `time` was recorded at `knownAt`; both in the same unit. */
export function isKnownAt(time: number, knownAt: number): boolean {
  return time <= knownAt;
}

/** Of the events in the index, the time of the last that {@link isKnownAt} holds of, with the parameter `known_at`. */
export const LAST_KNOWN = 'SELECT max(time) FROM event_context WHERE time <= @known_at';

function hasCome(instant: bigint | undefined, now: bigint | undefined): boolean {
  return instant !== undefined && now !== undefined && instant <= now;
}

function saneMicros(text: unknown): bigint | null {
  const micros = typeof text === 'string' ? microsOf(text) : null;
  return micros !== null && micros >= FIRST && micros < END ? micros : null;
}

function isoOf(micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = new Date(Number((micros - fraction) / 1000n)).toISOString().slice(0, 19);
  const digits = fraction === 0n ? '' : `.${String(fraction).padStart(6, '0').replace(/0+$/, '')}`;
  return `${seconds}${digits}Z`;
}

function yearStart(year: string): bigint {
  return BigInt(Date.parse(`${year}-01-01T00:00:00Z`)) * 1000n;
}
