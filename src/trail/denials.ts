/**
 * Records denials: every well-formed call that a rule refuses leaves a signed event that names rule and field, never
 * text. The first is written before the answer if the lock is free soon; repeats are one counted event a minute.
 */
import type { SidecarFacts } from '../ledger/types.ts';
import { isThoughtId } from '../record/ids.ts';
import { ok, type Refusal } from '../record/outcome.ts';
import { parseScope } from '../record/scope.ts';
import type { TrailContext } from './context.ts';
import { ownSignatory } from './signatory.ts';

export interface Denial {
  readonly verb: string;
  readonly refusal: Refusal;
  /** The call's scope and thought, as given; kept only when well formed and when the rule is not about secrets. */
  readonly scope?: string;
  readonly thought_id?: string;
}

const BEFORE_ANSWER_MS = 200;
const REPEAT_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Denials recorded an hour for one caller; beyond it a flood could grow the record without end. */
const HOURLY_LIMIT = 600;

interface Repeats {
  count: number;
  readonly denial: Denial;
  readonly context: TrailContext;
}

export class Denials {
  readonly #now: () => number;
  readonly #repeats = new Map<string, Repeats>();
  readonly #recorded = new Map<string, number[]>();
  readonly #pending = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The refusal to answer: as it was, or with `not_recorded` when it is not recorded by then. */
  async record(context: TrailContext, denial: Denial): Promise<Refusal> {
    const key = keyOf(context, denial);
    const known = this.#repeats.get(key);
    if (known !== undefined && known.count > 0) {
      known.count += 1;
      return denial.refusal;
    }
    // Both the first and the event that counts its repeats take a place of the hour's.
    if (!this.#takePlace(context)) return notRecorded(denial.refusal);
    this.#timer ??= setTimeout(() => void this.flush(), REPEAT_MS).unref();
    if (known !== undefined) {
      known.count = 1;
      return denial.refusal;
    }
    const repeats: Repeats = { count: 0, denial, context };
    this.#repeats.set(key, repeats);
    const written = this.#write(context, denial, 1).then((isWritten) => {
      // Counted with the repeats, so that one that failed is tried again.
      if (!isWritten) repeats.count += 1;
      return isWritten;
    });
    // Slow is not failed, but the answer does not wait for it and says what is so now.
    const isRecorded = await Promise.race([written, wait(BEFORE_ANSWER_MS)]);
    return isRecorded ? denial.refusal : notRecorded(denial.refusal);
  }

  /** Writes the counted repeats; also called at close. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // First, since one that fails is counted again.
    await Promise.all(this.#pending);
    const repeated = [...this.#repeats.values()].filter((entry) => entry.count > 0);
    this.#repeats.clear();
    await Promise.all(repeated.map(({ context, denial, count }) => this.#write(context, denial, count)));
  }

  async #write(context: TrailContext, denial: Denial, count: number): Promise<boolean> {
    const writing = writeDenial(context, denial, count).catch(() => false);
    this.#pending.add(writing);
    void writing.finally(() => this.#pending.delete(writing));
    return writing;
  }

  #takePlace(context: TrailContext): boolean {
    const who = `${context.principal.role} ${context.principal.agent_id}`;
    const since = this.#now() - HOUR_MS;
    const recent = (this.#recorded.get(who) ?? []).filter((at) => at > since);
    if (recent.length >= HOURLY_LIMIT) return false;
    this.#recorded.set(who, [...recent, this.#now()]);
    return true;
  }
}

async function writeDenial(context: TrailContext, denial: Denial, count: number): Promise<boolean> {
  const { principal, repository, contextId, inbound } = context;
  const by = ownSignatory(context);
  const { agent_id, role } = by;
  const signer = await by.signer();
  if (!signer.ok) return false;
  const { rule = denial.refusal.code, field } = denial.refusal;
  const local: SidecarFacts = {
    agent_id,
    role,
    via: principal.via,
    ...targetOf(denial),
    denial: { rule, verb: denial.verb, ...(field === undefined ? {} : { field }), count },
  };
  // Counted repeats are several calls, which may follow several records.
  const chain = inbound === undefined || count > 1 ? {} : { inbound };
  const written = await repository.write<null>({
    signer: signer.value,
    agent_id,
    role,
    decide: async () =>
      ok({
        events: [{ verb: 'deny', informed_by: [], context_id: contextId, ...chain, local, files: [] }],
        message: `Deny ${denial.verb}: ${rule}`,
        answer: null,
      }),
  });
  return written.ok;
}

function targetOf({ refusal, scope, thought_id }: Denial): Pick<SidecarFacts, 'scope' | 'thought_id'> {
  // A call that holds a secret may hold it in the scope or id as well.
  if (refusal.code === 'secret') return {};
  const parsed = scope === undefined ? null : parseScope(scope);
  return {
    ...(parsed?.ok ? { scope: parsed.value } : {}),
    ...(thought_id !== undefined && isThoughtId(thought_id) ? { thought_id } : {}),
  };
}

function keyOf({ principal }: TrailContext, denial: Denial): string {
  const { scope, thought_id } = targetOf(denial);
  return JSON.stringify([principal.role, principal.agent_id, denial.verb, denial.refusal.rule, scope, thought_id]);
}

function notRecorded(refusal: Refusal): Refusal {
  return { ...refusal, details: { ...refusal.details, not_recorded: true } };
}

function wait(milliseconds: number): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(false), milliseconds).unref();
  });
}
