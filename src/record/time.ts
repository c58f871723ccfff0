/** Timestamps as FAVA writes them on disk (`Z`, microseconds) and in results (`+00:00`). */

/** Every form the codec lets in: ISO 8601, and the looser ones in which YAML 1.1 and pydantic write a time. */
const TIMESTAMP =
  /^(\d{4}-\d{2}-\d{2})(?:(?:[Tt]|[ \t]+)(\d{2}:\d{2})(?::(\d{2})(?:[.,](\d*))?)?[ \t]*(Z|z|[+-]\d{2}(?::?\d{2})?)?)?$/;

interface Timestamp {
  readonly date: string;
  /** `hh:mm:ss` */
  readonly clock: string;
  /** Digits after the point; empty when there are none. */
  readonly fraction: string;
  /** Minutes east of UTC. */
  readonly offset: number;
  /** Unix milliseconds of the whole second. */
  readonly millis: number;
}

/** `1700000000000` -> `2023-11-14T22:13:20.000000Z`. Throws RangeError outside the years 0 to 9999. */
export function isoFromMillis(ms: number): string {
  const iso = new Date(ms).toISOString();
  if (iso.length !== 24) throw new RangeError(`Time ${ms} is outside the years 0 to 9999`);
  return `${iso.slice(0, -1)}000Z`;
}

/**
 * The form of results: `Z` and a missing offset become `+00:00`, any other offset stays, the fraction is untouched.
 * Text that is no timestamp comes back unchanged.
 */
export function toOffsetIso(text: string): string {
  const time = parse(text);
  if (!time) return text;
  const fraction = time.fraction ? `.${time.fraction}` : '';
  return `${time.date}T${time.clock}${fraction}${formatOffset(time.offset)}`;
}

/**
 * Microseconds since 1970 of an ISO 8601 timestamp with an offset or `Z`; without one it is UTC, and a bare date is its
 * midnight, as FAVA's reader has it. Digits beyond the sixth are cut. `null` when malformed or not in the calendar.
 */
export function microsOf(text: string): bigint | null {
  const time = parse(text);
  if (!time) return null;
  const fraction = time.fraction.padEnd(6, '0').slice(0, 6);
  return BigInt(time.millis - time.offset * 60_000) * 1000n + BigInt(fraction);
}

function parse(text: string): Timestamp | null {
  const match = TIMESTAMP.exec(text);
  if (!match) return null;
  const [, date = '', minutes = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const clock = `${minutes}:${seconds}`;
  const offset = parseOffset(zone);
  const millis = Date.parse(`${date}T${clock}Z`);
  if (offset === null || Number.isNaN(millis)) return null;
  // The platform rolls 30 February over into March; such a date is malformed here.
  if (new Date(millis).toISOString().slice(0, 19) !== `${date}T${clock}`) return null;
  return { date, clock, fraction, offset, millis };
}

function parseOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

function formatOffset(offset: number): string {
  const minutes = Math.abs(offset);
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}
