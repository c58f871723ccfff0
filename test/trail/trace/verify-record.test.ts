/** What a trace says of a record: proved, wrongly signed, malformed, or signed well and worth nothing here. */
import { expect, test } from 'vitest';
import { encodeBase64url, jcs, recordHash, signRecord } from '../../../src/ledger/index.ts';
import type { AtribRecord } from '../../../src/ledger/types.ts';
import type { TraceRecord } from '../../../src/trail/trace/source.ts';
import { Verifier } from '../../../src/trail/trace/verify-record.ts';
import { NOW, testSigner } from '../../ledger/support.ts';
import { recordAt } from './memory-source.ts';

const TYPES = 'https://atrib.dev/v1/types/';
const [ONE, TWO, THREE] = [testSigner(1), testSigner(2), testSigner(3)];

function found(record: AtribRecord, over: Partial<TraceRecord> = {}): TraceRecord {
  return { hash: recordHash(record), record, local: null, source: 'x.jsonl', ...over };
}

function signed(over: Partial<AtribRecord> = {}): AtribRecord {
  const { signature: _, ...unsigned } = recordAt(1).record;
  return signRecord({ ...unsigned, creator_key: ONE.publicKey, ...over }, ONE);
}

/** Signed by the first as creator; of `forged` the entry is of other bytes. */
function transaction(forged: readonly (typeof ONE)[] = []): AtribRecord {
  const { signature: _, ...unsigned } = signed({ event_type: `${TYPES}transaction` });
  const body = { ...unsigned, signers: [] };
  const signers = [ONE, TWO, THREE].map((signer) => ({
    creator_key: signer.publicKey,
    signature: encodeBase64url(signer.sign(forged.includes(signer) ? jcs('other') : jcs(body))),
  }));
  return { ...body, signers };
}

test('each record gets its own verdict, in the order asked, the reason named', async () => {
  const sound = signed();
  const tampered = { ...sound, timestamp: 2 };
  const verdicts = await new Verifier(() => NOW).verifyAll([
    found(sound),
    found(tampered),
    found({ ...sound, content_id: 'x' }),
    found(signed({ timestamp: NOW + 3_600_000 })),
    found(sound, { discounted: 'unknown_key' }),
    found(tampered, { discounted: 'event_unsigned' }),
    found(transaction()),
    found(transaction([TWO, THREE])),
    found(transaction([ONE])),
  ]);
  expect(verdicts).toEqual([
    { status: 'valid' },
    { status: 'bad_signature', reason: 'signature_invalid' },
    { status: 'malformed', reason: 'content_id' },
    { status: 'malformed', reason: 'timestamp_in_future' },
    { status: 'unverifiable', reason: 'unknown_key' },
    { status: 'bad_signature', reason: 'signature_invalid' },
    { status: 'valid' },
    { status: 'unverifiable', reason: '2 of 3 signers do not verify' },
    { status: 'bad_signature', reason: 'signature_invalid' },
  ]);
});

test('a verdict is kept by hash, and one that only waiting changes is not', async () => {
  let now = NOW;
  const verifier = new Verifier(() => now);
  const early = found(signed({ timestamp: NOW + 3_600_000 }));
  expect(await verifier.verifyAll([early])).toEqual([{ status: 'malformed', reason: 'timestamp_in_future' }]);
  now += 3_600_000;
  expect(await verifier.verifyAll([early])).toEqual([{ status: 'valid' }]);
  now = 0;
  expect(await verifier.verifyAll([early])).toEqual([{ status: 'valid' }]);
  expect(await verifier.verifyAll([{ ...early, discounted: 'wrong_role' }])).toEqual([
    { status: 'unverifiable', reason: 'wrong_role' },
  ]);
});
