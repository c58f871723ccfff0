/**
 * Records that are not here, looked for in the log and the archive that a person configured on this machine.
 *
 * A record of the archive extends the walk; a log knows only that a record exists, who made it and when. Both are asked
 * about hashes and told nothing else.
 */
import { randomBytes } from 'node:crypto';
import { isHash } from '../../../ledger/hash.ts';
import type { Hash } from '../../../ledger/types.ts';
import type { AtribServices } from '../../machine-settings.ts';
import { memorySource } from '../memory-source.ts';
import type { ForeignSource } from '../source.ts';
import type { Egress, LoggedFacts } from '../types.ts';
import { readArchived, readLookup } from './answers.ts';
import { REMOTE_LIMITS, RemoteCall, type RemoteLimits } from './remote-call.ts';

export interface RemoteOptions {
  /** Asked once. */
  readonly services: () => AtribServices;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** @default {@link REMOTE_LIMITS} */
  readonly limits?: RemoteLimits;
}

export interface Missing {
  /** What is no whole hash is not asked about. */
  readonly hash: Hash;
  /** The record is here and the caller must not see it. */
  readonly isWithheld: boolean;
}

export interface ExtendOptions<W> {
  /** Walks the local records together with `fetched`; called again whenever there is more of it. */
  readonly walk: (fetched: ForeignSource) => W | Promise<W>;
  /** What a walk met and did not find. */
  readonly missingOf: (walked: W) => readonly Missing[];
  /** How often the archive is asked for what the last walk missed. */
  readonly rounds: number;
}

export interface Extended<W> {
  readonly walked: W;
  /** Of hashes that are still missing. */
  readonly logged: ReadonlyMap<Hash, LoggedFacts>;
  readonly warnings: readonly string[];
  /** Absent when nothing left this machine. */
  readonly egress?: Egress;
}

export class RemoteRecords {
  readonly #options: RemoteOptions;
  /** Kept between calls: a hash names the same bytes for ever, and the pages of one trace must agree. */
  readonly #fetched = memorySource();
  #services: AtribServices | null = null;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /** Whether there is anybody to ask. */
  get isConfigured(): boolean {
    const { log, archive } = this.#asked();
    return log !== null || archive !== null;
  }

  async extend<W>({ walk, missingOf, rounds }: ExtendOptions<W>): Promise<Extended<W>> {
    const { log, archive } = this.#asked();
    const call = new RemoteCall(this.#options.limits ?? REMOTE_LIMITS);
    const asked = new Set<Hash>();
    let walked = await walk(this.#fetched);
    for (let round = 0; archive !== null && round < rounds; round += 1) {
      const open = missingOf(walked).filter(({ hash }) => isHash(hash) && !asked.has(hash));
      for (const { hash } of open) asked.add(hash);
      const fetched = await this.#fetch(call, { archive, open });
      if (fetched === 0) break;
      walked = await walk(this.#fetched);
    }
    const logged =
      log === null
        ? new Map()
        : await this.#lookUp(call, { log, open: missingOf(walked).filter(({ hash }) => isHash(hash)) });
    const egress = call.egress();
    return { walked, logged, warnings: call.warnings(), ...(egress === undefined ? {} : { egress }) };
  }

  #asked(): AtribServices {
    this.#services ??= this.#options.services();
    return this.#services;
  }

  /** The number of records that came. */
  async #fetch(call: RemoteCall, { archive, open }: { archive: string; open: readonly Missing[] }): Promise<number> {
    let count = 0;
    await call.each(open, async (missing) => {
      const { hash } = missing;
      const reply = await call.get(`${archive}/record/${hexToAsk(missing)}`);
      const answer = await readArchived(reply, { hash, now: this.#options.now() });
      call.note('archive', answer);
      if (answer.kind !== 'found' || missing.isWithheld) return;
      this.#fetched.add(answer.value);
      count += 1;
    });
    return count;
  }

  async #lookUp(
    call: RemoteCall,
    { log, open }: { log: string; open: readonly Missing[] },
  ): Promise<ReadonlyMap<Hash, LoggedFacts>> {
    const logged = new Map<Hash, LoggedFacts>();
    await call.each(open, async (missing) => {
      const answer = readLookup(await call.get(`${log}/lookup/${hexToAsk(missing)}`), missing.hash);
      call.note('log', answer);
      if (answer.kind === 'found' && !missing.isWithheld) logged.set(missing.hash, answer.value);
    });
    return logged;
  }
}

/**
 * For a record that is withheld a number of no record is asked about instead. The service does not learn the hash; and
 * the caller, who sees how many requests there were and how long they took, learns as much as of a record that is
 * nowhere.
 */
function hexToAsk({ hash, isWithheld }: Missing): string {
  return isWithheld ? randomBytes(32).toString('hex') : hash.slice('sha256:'.length);
}
