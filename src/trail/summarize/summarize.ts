/** A narrative across records: from the records alone, or by the model this machine is configured for. */
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { type ChatProvider, chat } from '../../review/chat.ts';
import type { TracedThought, TraceSource } from '../trace/source.ts';
import type { Egress } from '../trace/types.ts';
import { Verifier } from '../trace/verify-record.ts';
import { questionAbout, readAnswer, withoutSecrets } from './by-model.ts';
import type { SummarizeRequest } from './check-input.ts';
import { type Gathered, gather } from './gather.ts';
import { narrate } from './narrative.ts';
import { tell, type ToldRecord } from './step.ts';
import { focused, type Story, storyOf } from './story.ts';
import type { Step, SummarizeResult } from './types.ts';

export interface Sources {
  readonly source: TraceSource;
  readonly textOf: (thought: TracedThought) => string | null;
}

/** What was read of the sources; they are not needed any more. */
export interface Reading {
  readonly gathered: Gathered;
  readonly told: readonly ToldRecord[];
  readonly present: ReadonlySet<Hash>;
  readonly warnings: readonly string[];
}
