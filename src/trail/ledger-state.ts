/** How the logs stand against what this machine remembers of them, and what of that a caller is told. */
import { compareWithRemembered, rememberedLogs, rootOf, type SeenVerdict } from '../ledger/index.ts';
import { readsEverywhere } from '../record/grants.ts';
import type { Principal } from '../record/principal.ts';
import { VISIBILITY_CLASSES } from '../record/visibility.ts';
import type { Index } from '../store/index/index.ts';
import { isLossDeclared } from '../store/losses.ts';

export interface WriterStatus {
  readonly log: string;
  readonly agent_id: string;
  /** Number of events. */
  readonly size: number;
  /** Against the newest checkpoint this machine remembers; `restored`: cut, and its holder declared the loss. */
  readonly remembered: SeenVerdict | 'restored';
}

export type DamagedWriter = WriterStatus & { readonly remembered: 'cut' | 'forked' };

export function writersStatus(index: Index, seenFolder: string): readonly WriterStatus[] {
  const memory = rememberedLogs(seenFolder);
  return index.writers().map(({ log, agent_id, size, peaks }) => {
    const rootAt = (at: number) => (at === size ? rootOf(peaks) : null);
    const verdict = compareWithRemembered({ dir: seenFolder, log }, { size, rootAt });
    const remembered = memory.get(log);
    const isDeclared = verdict === 'cut' && remembered !== undefined && isLossDeclared(index, { log, remembered });
    return { log, agent_id, size, remembered: isDeclared ? 'restored' : verdict };
  });
}

export function isDamaged(writer: WriterStatus): writer is DamagedWriter {
  return writer.remembered === 'cut' || writer.remembered === 'forked';
}

export interface SoundnessOptions {
  readonly principal: Principal;
  readonly writers: readonly WriterStatus[];
}

/**
 * Whether no fault of the logs or of the record's files is known. What is wrong with files is counted over every scope, so
 * whoever does not read everywhere is told of the logs alone.
 */
export function isSoundTo(index: Index, { principal, writers }: SoundnessOptions): boolean {
  if (writers.some(isDamaged)) return false;
  if (!readsEverywhere(principal)) return true;
  // Counting reads as many events as there are, so only where there is something to tell apart.
  const mayBeUnverified = index.tallies().some((tally) => tally.class === VISIBILITY_CLASSES.unverified);
  return index.problems().length === 0 && (!mayBeUnverified || index.counts().unverified === 0);
}
