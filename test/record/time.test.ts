import { expect, test } from 'vitest';
import { isoFromMillis, microsOf, toOffsetIso } from '../../src/record/time.ts';

test('isoFromMillis writes microseconds and Z as FAVA does', () => {
  expect(isoFromMillis(Date.UTC(2026, 10, 30, 9, 15, 27, 104))).toBe('2026-11-30T09:15:27.104000Z');
  expect(isoFromMillis(0)).toBe('1970-01-01T00:00:00.000000Z');
  expect(() => isoFromMillis(8.64e15)).toThrow(RangeError);
  expect(() => isoFromMillis(Number.NaN)).toThrow(RangeError);
});

test('microsOf reads offsets, Z, no offset and dates to the microsecond', () => {
  const second = BigInt(Date.UTC(2026, 10, 30, 9, 15, 27)) * 1000n;
  for (const [text, micros] of [
    ['2026-11-30T09:15:27.104233Z', second + 104_233n],
    ['2026-11-30T09:15:27.104233+00:00', second + 104_233n],
    ['2026-11-30T11:15:27.104233+02:00', second + 104_233n],
    ['2026-11-30T03:45:27-0530', second],
    ['2026-11-30 09:15:27', second],
    ['2026-11-30t09:15:27z', second],
    ['2026-11-30T09:15:27.1Z', second + 100_000n],
    ['2026-11-30T09:15:27.104233999Z', second + 104_233n],
    ['2026-11-30T09:15:27.Z', second],
    ['2026-11-30 \t09:15:27.104233 +00:00', second + 104_233n],
    ['2026-11-30T09:15:27.1042339999999Z', second + 104_233n],
    ['2026-11-30T09:15Z', second - 27_000_000n],
    ['2026-11-30', BigInt(Date.UTC(2026, 10, 30)) * 1000n],
    ['2024-02-29T00:00:00Z', BigInt(Date.UTC(2024, 1, 29)) * 1000n],
    ['1969-12-31T23:59:59.999999Z', -1n],
  ] as const) {
    expect(microsOf(text), text).toBe(micros);
  }
});

test('microsOf answers null for what is no time in the calendar', () => {
  expect(microsOf('2026-02-28T00:00:00Z')).not.toBeNull();
  for (const text of [
    '',
    'yesterday',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-11-30T24:00:00Z',
    '2026-11-30T09:60:00Z',
    '2026-11-30T09:15:60Z',
    '2026-11-30T09:15:27+24:00',
    '2026-11-30T09:15:27+02:60',
    '2026-11-30T09:15:27Z\n',
    '+002026-11-30T09:15:27Z',
    '20261130T091527Z',
  ]) {
    expect(microsOf(text), text).toBeNull();
  }
});

test('toOffsetIso turns UTC into +00:00 and keeps other offsets, fractions and malformed text', () => {
  expect(toOffsetIso('2026-11-30T09:15:27.104233Z')).toBe('2026-11-30T09:15:27.104233+00:00');
  expect(toOffsetIso('2026-11-30 09:15:27')).toBe('2026-11-30T09:15:27+00:00');
  expect(toOffsetIso('2026-11-30T09:15:27-05:30')).toBe('2026-11-30T09:15:27-05:30');
  expect(toOffsetIso('2026-11-30T09:15:27+02')).toBe('2026-11-30T09:15:27+02:00');
  expect(toOffsetIso('yesterday')).toBe('yesterday');
});
