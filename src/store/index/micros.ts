const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?\s*(Z|[+-]\d{2}:?\d{2})?$/;

/**
 * Microseconds since 1970 of an ISO 8601 time (UTC when it names no offset); 0 when it is none, which sorts last.
 * Exact until the year 2255, rounded after it.
 */
export function microsOf(timestamp: string): number {
  const match = TIMESTAMP.exec(timestamp);
  if (match === null) return 0;
  const [, date, time, fraction = '', offset = 'Z'] = match;
  const zone = offset === 'Z' ? offset : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  const millis = Date.parse(`${date}T${time}${zone}`);
  if (Number.isNaN(millis)) return 0;
  return millis * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}
