/** When a token ends, as a person writes it: how long from now, or a date. */
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { quote } from '../../record/quote.ts';

const HOUR_MS = 3_600_000;
const UNITS: Readonly<Record<string, number>> = { h: HOUR_MS, d: 24 * HOUR_MS, w: 7 * 24 * HOUR_MS };
const DURATION = /^(\d{1,5})([hdw])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;
/** A credential that outlives whoever made it is forgotten. */
const LONGEST_MS = 2 * 366 * 24 * HOUR_MS;

/**
 * ISO 8601. Code `invalid`, field `expires`.
 *
 * @param now Unix milliseconds.
 */
export function parseExpiry(text: string, now: number): Outcome<string> {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const at = count === undefined ? dateOf(text) : now + Number(count) * (UNITS[unit] ?? 0);
  if (Number.isNaN(at)) return wanted(`${quote(text)} is no duration and no date`);
  if (at <= now) return wanted(`${quote(text)} is not in the future`);
  if (at > now + LONGEST_MS) return wanted(`${quote(text)} is more than two years away`);
  return ok(new Date(at).toISOString());
}

function dateOf(text: string): number {
  if (!DATE.test(text)) return Number.NaN;
  const at = Date.parse(text);
  // 30 February is read as 1 or 2 March by some engines.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, 10)) ? at : Number.NaN;
}

function wanted(problem: string) {
  return refuse('invalid', `Expiry ${problem}`, {
    field: 'expires',
    next: 'Write "12h", "30d", "8w", or a date such as "2027-03-31", at most two years ahead',
  });
}
