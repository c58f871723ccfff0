import { expect, test } from 'vitest';
import { createIdFactory, isThoughtId } from '../../src/record/ids.ts';

test('createIdFactory rises strictly while the clock stands, falls and moves on', () => {
  const clock = [
    1_700_000_000_000, 1_700_000_000_000, 1_600_000_000_000, 0, -5, 1_700_000_000_000.7, 1_700_000_000_009,
  ];
  let now = 0;
  const nextId = createIdFactory({ now: () => now });
  const ids = clock.map((time) => {
    now = time;
    return nextId();
  });
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(clock.length);
  expect(ids.every(isThoughtId)).toBe(true);
});

test('createIdFactory accepts a clock that starts at zero or below', () => {
  expect(isThoughtId(createIdFactory({ now: () => 0 })())).toBe(true);
  expect(isThoughtId(createIdFactory({ now: () => -1 })())).toBe(true);
});

test('two factories at one time share the time part and nothing else', () => {
  const [one, two] = [
    createIdFactory({ now: () => 1_700_000_000_000 })(),
    createIdFactory({ now: () => 1_700_000_000_000 })(),
  ];
  expect(one.slice(0, 10)).toBe(two.slice(0, 10));
  expect(one.slice(10)).not.toBe(two.slice(10));
});

test('isThoughtId accepts 26 upper-case Crockford characters only', () => {
  expect(isThoughtId('01KD2Q8W5N7YJ3V9T4B6RCXEMA')).toBe(true);
  for (const text of [
    '',
    '01kd2q8w5n7yj3v9t4b6rcxema',
    '01KD2Q8W5N7YJ3V9T4B6RCXEM',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMAA',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMI',
    '01KD2Q8W5N7YJ3V9T4B6RCXEML',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMO',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMU',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMA\n',
    '../2Q8W5N7YJ3V9T4B6RCXEMA0',
  ]) {
    expect(isThoughtId(text), text).toBe(false);
  }
});
