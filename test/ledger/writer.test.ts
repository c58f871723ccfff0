import { expect, test } from 'vitest';
import {
  checkpointPath,
  eventPath,
  logNameOf,
  parseEventPath,
  repositoryIdOf,
  sha256,
} from '../../src/ledger/index.ts';
import { testSigner } from './support.ts';

const { publicKey } = testSigner(1);
const log = logNameOf(publicKey);

test('log and repository are named by the digest of a key', () => {
  const digest = Buffer.from(sha256(Buffer.from(publicKey, 'base64url'))).toString('hex');
  expect(log).toBe(digest.slice(0, 16));
  expect(repositoryIdOf(publicKey)).toBe(digest.slice(0, 32));
  expect(() => logNameOf(`${publicKey}=`)).toThrow(TypeError);
  expect(() => repositoryIdOf('short')).toThrow(TypeError);
});

test('event paths hold the number in hex and read back', () => {
  expect(eventPath(log, 0)).toBe(`ledger/${log}/0000/00/00.jsonl`);
  expect(eventPath(log, 0x12ab34cd)).toBe(`ledger/${log}/12ab/34/cd.jsonl`);
  for (const seq of [0, 255, 256, 65_536, 0xffffffff])
    expect(parseEventPath(eventPath(log, seq))).toEqual({ log, seq });
  for (const seq of [-1, 1.5, 2 ** 32, Number.NaN]) expect(() => eventPath(log, seq)).toThrow(RangeError);
  expect(checkpointPath(log)).toBe(`ledger/${log}/checkpoint`);
});

test('parseEventPath takes nothing else for an event', () => {
  const path = eventPath(log, 7);
  for (const other of [`x/${path}`, `${path}\n`, path.toUpperCase(), path.replace('07', '7'), checkpointPath(log)]) {
    expect(parseEventPath(other)).toBeNull();
  }
});
