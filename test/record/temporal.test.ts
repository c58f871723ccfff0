import { expect, test } from 'vitest';
import {
  checkDates,
  dueOf,
  isValidAt,
  parseInstant,
  showDates,
  VALIDITY_FIELDS,
  validityOf,
} from '../../src/record/temporal.ts';

const DAY = 86_400_000_000n;

function micros(text: string): bigint {
  const parsed = parseInstant(text, 'valid_at');
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.value;
}

test('parseInstant takes dates and times of the calendar, to the microsecond and in UTC', () => {
  expect(micros('1970-01-02')).toBe(DAY);
  expect(micros('1970-01-01T00:00:00.000001Z')).toBe(1n);
  expect(micros('1970-01-01T02:00:00+02:00')).toBe(0n);
  expect(micros('1970-01-01T00:00')).toBe(0n);
  expect(micros('2024-02-29')).toBe(micros('2024-02-28') + DAY);
  expect(micros('1000-01-01')).toBeLessThan(0n);
  expect(micros('9999-12-31T23:59:59.999999Z')).toBeGreaterThan(0n);
});

/** Each of them would be NaN, or another day, for who compares what the platform makes of it. */
const MALFORMED = [
  '',
  'NaN',
  'null',
  'yesterday',
  '2026',
  '2026-13-01',
  '2026-00-10',
  '2025-02-29',
  '2026-02-30T10:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:60Z',
  '2026-01-01T10:00:00+25:00',
  '2026-01-01T10:00:00.1234567Z',
  '2026-01-01 10:00:00',
  '01/02/2026',
  '20260101',
  '+012026-01-01',
  '-000001-01-01',
  '0026-01-01',
  '9999-12-31T23:59:59-01:00',
  ' 2026-01-01',
  '2026-01-01\n',
  '１９７０-01-01',
  '1767225600000',
] as const;

test.each(MALFORMED)('parseInstant refuses %j, with the field and a next step', (text) => {
  expect(parseInstant(text, 'known_at')).toMatchObject({ ok: false, code: 'invalid', field: 'known_at' });
  for (const field of VALIDITY_FIELDS) expect(checkDates({ [field]: text })).toMatchObject({ ok: false, field });
});

test('checkDates gives one form for one moment, and refuses a range that does not go forward', () => {
  const dates = { valid_from: '2026-01-01T01:30:00.500+01:30', valid_to: '2026-01-02', review_by: '2026-01-01' };
  expect(checkDates(dates)).toEqual({
    ok: true,
    value: {
      valid_from: '2026-01-01T00:00:00.5Z',
      valid_to: '2026-01-02T00:00:00Z',
      review_by: '2026-01-01T00:00:00Z',
    },
  });
  expect(checkDates({ valid_from: '1999-12-31T23:59:59.000001Z' })).toMatchObject({
    value: { valid_from: '1999-12-31T23:59:59.000001Z' },
  });
  expect(checkDates({ valid_from: '1950-01-01T00:00:00.25Z' })).toMatchObject({
    value: { valid_from: '1950-01-01T00:00:00.25Z' },
  });
  expect(checkDates({})).toEqual({ ok: true, value: {} });
  for (const valid_from of ['2026-01-02', '2026-01-03', '2026-01-02T01:00:00+01:00']) {
    expect(checkDates({ valid_from, valid_to: '2026-01-02' })).toMatchObject({ ok: false, field: 'valid_to' });
  }
});

test('isValidAt is half-open, and an absent bound excludes nothing', () => {
  const june = validityOf({ valid_from: '2025-06-01', valid_to: '2025-07-01' });
  const at = (text: string) => isValidAt(june, micros(text));
  expect(at('2025-05-31T23:59:59.999999Z')).toBe(false);
  expect(at('2025-06-01')).toBe(true);
  expect(at('2025-06-30T23:59:59.999999Z')).toBe(true);
  expect(at('2025-07-01')).toBe(false);
  expect(isValidAt(validityOf({ valid_from: '2025-06-01' }), micros('2999-01-01'))).toBe(true);
  expect(isValidAt(validityOf({ valid_to: '2025-06-01' }), micros('1001-01-01'))).toBe(true);
  expect(isValidAt(validityOf({}), micros('2025-06-01'))).toBe(true);
});

test('validityOf counts as absent, and names, what a file holds that is no time', () => {
  for (const valid_from of [17, null, true, ['2025-06-01'], { at: '2025-06-01' }, '2025-06-31', '0000-01-01']) {
    const validity = validityOf({ valid_from, valid_to: '2025-07-01' });
    expect(validity).toEqual({ to: micros('2025-07-01'), malformed: ['valid_from'] });
    expect(dueOf(validity)).toBe(0n);
  }
  // As PyYAML writes a time.
  expect(validityOf({ valid_from: '2025-06-01 00:00:00+00:00' })).toEqual({
    from: micros('2025-06-01'),
    malformed: [],
  });
  const reversed = validityOf({ valid_from: '2025-07-01', valid_to: '2025-06-01', review_by: '2025-06-01' });
  expect(reversed).toEqual({ reviewBy: micros('2025-06-01'), malformed: ['valid_from', 'valid_to'] });
});

test('showDates marks what has come, and only once it has', () => {
  const extra = { valid_to: '2025-06-01', review_by: '2025-05-01' };
  expect(showDates(extra, micros('2025-05-01') - 1n)).not.toHaveProperty('due');
  expect(showDates(extra, micros('2025-05-01'))).toMatchObject({ due: true });
  expect(showDates(extra, micros('2025-06-01') - 1n)).not.toHaveProperty('lapsed');
  expect(showDates(extra, micros('2025-06-01'))).toMatchObject({ lapsed: true, valid_to: '2025-06-01T00:00:00Z' });
  expect(showDates(extra)).not.toHaveProperty('due');
  expect(dueOf(validityOf(extra))).toBe(micros('2025-05-01'));
});
