/** What can be proved of the records a trace met: form and signature, each of them checked once in a process. */
import { TRANSACTION } from '../../ledger/event-type.ts';
import { verifiedSigners, verifyRecordAsync } from '../../ledger/record.ts';
import type { Hash } from '../../ledger/types.ts';
import { putBounded } from '../../record/put-bounded.ts';
import type { TraceRecord } from './source.ts';
import type { Verification } from './types.ts';

const MAX_CACHED = 20_000;

/** Verdicts by record hash. Only a hash that was computed from the bytes just read may be asked about. */
export class Verifier {
  readonly #now: () => number;
  readonly #verdicts = new Map<Hash, Promise<Verification>>();

  /** @param now Unix milliseconds; a record far ahead of it is malformed */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** In the order of `records`, all at once on the thread pool. */
  verifyAll(records: readonly TraceRecord[]): Promise<readonly Verification[]> {
    return Promise.all(records.map((record) => this.#verify(record)));
  }

  /** Starts what will be asked about: the thread pool works meanwhile. */
  begin(record: TraceRecord): void {
    void this.#verdictOf(record);
  }

  async #verify(found: TraceRecord): Promise<Verification> {
    const { discounted } = found;
    const verdict = await this.#verdictOf(found);
    if (verdict.status !== 'valid' || discounted === undefined) return verdict;
    return { status: 'unverifiable', reason: discounted };
  }

  #verdictOf({ hash, record }: TraceRecord): Promise<Verification> {
    const known = this.#verdicts.get(hash);
    if (known !== undefined) return known;
    const verdict = judge(record, this.#now());
    putBounded(this.#verdicts, [hash, verdict], { limit: MAX_CACHED });
    const forget = () => void this.#verdicts.delete(hash);
    // A record from the future becomes valid by waiting.
    verdict.then(({ reason }) => reason === 'timestamp_in_future' && forget(), forget);
    return verdict;
  }
}

async function judge(record: TraceRecord['record'], now: number): Promise<Verification> {
  const verdict = await verifyRecordAsync(record, { now });
  if (!verdict.ok) {
    return { status: verdict.code === 'signature_invalid' ? 'bad_signature' : 'malformed', reason: verdict.code };
  }
  if (record.event_type !== TRANSACTION || record.signers === undefined) return { status: 'valid' };
  // The creator's entry holds, which is all atrib asks; another's name on it may still be a lie.
  const named = new Set(record.signers.map(({ creator_key }) => creator_key)).size;
  const failing = named - (await verifiedSigners(record)).length;
  if (failing === 0) return { status: 'valid' };
  return { status: 'unverifiable', reason: `${failing} of ${named} signers do not verify` };
}
