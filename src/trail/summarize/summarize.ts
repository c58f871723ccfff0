/** A narrative across records: from the records alone, or by the model this machine is configured for. */
import { linksOf } from '../../ledger/links.ts';
import type { Hash } from '../../ledger/types.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { chat } from '../../review/chat.ts';
import { type ConfiguredModel, type Egress, summaryEgress } from '../../review/egress.ts';
import type { TraceSource } from '../trace/source.ts';
import type { Verifier } from '../trace/verify-record.ts';
import { questionAbout, readAnswer, withoutSecrets } from './by-model.ts';
import type { SummarizeRequest } from './check-input.ts';
import { gather } from './gather.ts';
import { narrate } from './narrative.ts';
import { type ToldRecord, tell } from './step.ts';
import { focused, type Story, storyOf } from './story.ts';
import type { Step, SummarizeResult } from './types.ts';

export interface ReadingOptions {
  readonly request: SummarizeRequest;
  /** The record that `from` names. */
  readonly start: Hash | null;
}

/** What was read of a source; the source is not needed any more. */
export interface Reading {
  readonly request: SummarizeRequest;
  /** Oldest first; not verified yet. */
  readonly told: readonly ToldRecord[];
  /** Records that are here and beyond the limit, and named ones that are not here. */
  readonly left: { readonly beyond: number; readonly missing: number };
  /** Records the told ones name and that are here. */
  readonly here: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** Synchronous, so that it fits one snapshot of an index. */
export function readForSummary(source: TraceSource, options: ReadingOptions): Reading {
  const { request, start } = options;
  const { records, beyond, missing } = gather(source, request, start);
  const named = records.flatMap(({ record }) => linksOf(record).map(({ target }) => target));
  return {
    request,
    told: records.map(tell),
    left: { beyond, missing },
    here: new Set(named.filter((hash) => source.has(hash))),
    warnings: source.warnings(),
  };
}

export interface SummaryTools {
  readonly verifier: Verifier;
  /** The model of this machine, looked up when asked for; absent where nothing may leave it. */
  readonly provider?: (() => Outcome<ConfiguredModel>) | undefined;
  /** Told before anything leaves. */
  readonly announce?: ((egress: Egress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Code `invalid` when another model than the machine's is named. */
export async function summarizeReading(reading: Reading, tools: SummaryTools): Promise<Outcome<SummarizeResult>> {
  const { request, told, left, here } = reading;
  const provider = request.model === undefined ? null : providerFor(request.model, tools);
  if (provider !== null && !provider.ok && provider.code === 'invalid') return provider;
  const verdicts = await tools.verifier.verifyAll(told.map(({ found }) => found));
  const sound = told.filter((_, at) => verdicts[at]?.status === 'valid');
  const onFocus = request.focus.length === 0 ? sound : focused(sound, request.focus);
  const isOff = onFocus.length === 0 && sound.length > 0;
  const story = storyOf(isOff ? sound : onFocus, (hash) => here.has(hash));
  const plain = plainSummary(story);
  const warnings = [
    ...reading.warnings,
    ...(left.missing > 0 ? [`Records that are named and not here: ${left.missing}`] : []),
    ...(left.beyond > 0 ? [`Records beyond "max_records" of ${request.maxRecords}: ${left.beyond}`] : []),
    ...(sound.length < told.length ? [`Records left out since they do not verify: ${told.length - sound.length}`] : []),
    ...(isOff ? ['No record holds a word of "focus"; all are summarized'] : []),
  ];
  const skipped = left.missing + left.beyond + told.length - story.told.length;
  const counted = { ...plain, records_skipped: skipped };
  if (provider === null) return ok({ ...counted, warnings });
  if (!provider.ok) return ok({ ...counted, warnings: [...warnings, `${provider.message}: told without a model`] });
  const byModel = await tellByModel(story, { ...tools, model: provider.value, request });
  return ok({ ...counted, ...byModel, warnings: [...warnings, ...byModel.warnings] });
}

function providerFor(model: string, { provider }: SummaryTools): Outcome<ConfiguredModel> {
  if (provider === undefined)
    return refuse('authority', 'No model is asked over this connection', { next: 'Ask again on the machine itself' });
  const found = provider();
  if (!found.ok || model === 'configured' || model === found.value.model) return found;
  return refuse('invalid', `"model" names another model than this machine is configured for`, {
    field: 'model',
    next: `Send "configured", or leave "model" out; the model is set as trust_gate_model`,
  });
}

function plainSummary(story: Story): Omit<SummarizeResult, 'records_skipped' | 'warnings'> {
  const { told, decisions, turningPoints, openEnds } = story;
  const { text, cited } = narrate(story);
  const withSidecar = told.filter(({ hasSidecar }) => hasSidecar).length;
  return {
    narrative: text,
    narrative_by: 'waymark',
    cited_record_hashes: cited,
    steps: told.map(stepOf),
    decisions: decisions.map(stepOf),
    turning_points: turningPoints.map(stepOf),
    open_ends: openEnds,
    records_summarized: told.length,
    records_with_sidecar: withSidecar,
    records_without_sidecar: told.length - withSidecar,
    model_used: null,
  };
}

function stepOf({ record_hash, at, text }: ToldRecord): Step {
  return { record_hash, at, text };
}

interface TellingTools extends Pick<SummaryTools, 'announce' | 'signal'> {
  readonly model: ConfiguredModel;
  readonly request: SummarizeRequest;
}

/** The members that a model changes; when it fails, its warning alone. */
async function tellByModel(
  { told, openEnds }: Story,
  { model, request, announce, signal }: TellingTools,
): Promise<Partial<SummarizeResult> & Pick<SummarizeResult, 'warnings'>> {
  if (told.length === 0) return { warnings: [] };
  const [steps, ends] = await Promise.all([withoutSecrets(told.map(stepOf)), withoutSecrets(openEnds)]);
  const question = questionAbout({ steps, openEnds: ends, focus: request.focus.join(' ') });
  announce?.(summaryEgress(model));
  const reply = await chat(model, question, { signal });
  const egress = { hosts: [new URL(model.address).host], requests: 1 };
  if (!reply.ok) {
    return { egress, warnings: [`The model gave no usable answer (${reply.reason}): told without it`] };
  }
  const { text, cited, flagged } = readAnswer(
    reply.text,
    told.map(({ record_hash }) => record_hash),
  );
  const unsupported = `Sentences of the model that no record it cites carries: ${flagged.length}, see "flagged_sentences"`;
  return {
    egress,
    narrative: text,
    narrative_by: `model ${model.model}`,
    cited_record_hashes: cited,
    model_used: model.model,
    ...(flagged.length === 0 ? {} : { flagged_sentences: flagged }),
    warnings: flagged.length === 0 ? [] : [unsupported],
  };
}
