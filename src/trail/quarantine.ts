/**
 * An operator withholds what an agent wrote from a time on, with one event, until each thought is decided anew.
 *
 * For an agent that was misled or taken over. It judges nothing and changes no file; its key is another matter
 * (`waymark key revoke`).
 */
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { isAgentId } from '../record/principal.ts';
import { microsOf } from '../record/time.ts';
import type { Index } from '../store/index/index.ts';
import { checkReason } from './check-reason.ts';
import type { TrailContext } from './context.ts';
import { checkOperator } from './guard.ts';
import { summarizeStored } from './summary.ts';
import type { ThoughtSummary } from './types.ts';
import { inputOf, write } from './write.ts';

export interface QuarantineInput {
  readonly agent_id: string;
  /** ISO 8601, inclusive; by the clock of whoever signed. */
  readonly since: string;
  readonly reason: string;
  /** Says what it would withhold and writes nothing. */
  readonly dry_run?: boolean | undefined;
}

export interface QuarantineResult {
  readonly status: 'ok';
  /** What is withheld by it, or would be. */
  readonly thoughts: readonly ThoughtSummary[];
  readonly dry_run: boolean;
  readonly message: string;
}

/** Operator only. Thoughts in quarantine already stay so and are not named again. */
export async function quarantine(context: TrailContext, input: QuarantineInput): Promise<Outcome<QuarantineResult>> {
  const { principal, repository } = context;
  const refusal = checkOperator('A quarantine', principal) ?? checkInput(input);
  if (refusal !== null) return refusal;
  const since = sinceOf(input.since);
  if (!since.ok) return since;
  const reach = { agent_id: input.agent_id, since: since.value };
  if (input.dry_run === true) {
    const { value: found } = await repository.read((index) => withheldBy(index, reach));
    return found.ok ? ok(answerFor(found.value, true)) : found;
  }
  const call = { verb: 'quarantine', input: inputOf(input), idempotencyKey: undefined, alone: true as const };
  const written = await write<QuarantineResult>(context, call, async ({ index }) => {
    const found = withheldBy(index, reach);
    if (!found.ok) return found;
    return ok({
      events: [
        {
          verb: 'quarantine' as const,
          informed_by: [],
          local: { quarantine: reach, reason: input.reason },
          files: [],
        },
      ],
      message: `Put into quarantine what ${input.agent_id} wrote since ${new Date(reach.since).toISOString()}`,
      answer: answerFor(found.value, false),
    });
  });
  // With many thoughts the index is made anew; until then reads answer from before.
  if (written.ok) await repository.settleIndex();
  return written;
}

type Reach = Parameters<Index['pathsWritten']>[0];

function withheldBy(index: Index, reach: Reach): Outcome<readonly ThoughtSummary[]> {
  if (!index.keys().some(({ agent_id }) => agent_id === reach.agent_id)) {
    const rows = index.pathsWritten({ ...reach, since: 0 });
    // An adopted thought has an author without a key.
    if (rows.length === 0) {
      return refuse('not_found', `Nobody of the name "${reach.agent_id}" wrote anything here`, {
        field: 'agent_id',
        next: '"waymark key list" names the agents',
      });
    }
  }
  const rows = index.pathsWritten(reach).flatMap((path) => index.thoughtByPath(path) ?? []);
  return ok(rows.filter(({ held }) => held).map((row) => summarizeStored(row)));
}

function answerFor(thoughts: readonly ThoughtSummary[], dryRun: boolean): QuarantineResult {
  const n = `${thoughts.length} ${thoughts.length === 1 ? 'thought' : 'thoughts'}`;
  const message = dryRun
    ? `It would withhold ${n}; nothing was changed.`
    : `Withheld until decided anew: ${n}. "waymark review" lists them. What an approved one had replaced stays retired.`;
  return { status: 'ok', thoughts, dry_run: dryRun, message };
}

function sinceOf(text: string): Outcome<number> {
  const micros = microsOf(text);
  if (micros !== null && micros >= 0n) return ok(Number(micros / 1000n));
  return refuse('invalid', `"since" is no time: expected ISO 8601, as 2026-11-30T12:00:00Z`, {
    field: 'since',
    next: 'Send the time from which on nothing of the agent is to be trusted',
  });
}

function checkInput({ agent_id, reason }: QuarantineInput): Refusal | null {
  if (!isAgentId(agent_id)) {
    return refuse('invalid', '"agent_id" is malformed', {
      field: 'agent_id',
      next: '"waymark key list" names the agents',
    });
  }
  return checkReason(reason, 'Say why nothing of it is to be trusted');
}
