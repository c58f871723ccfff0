/** Saves a new thought as a draft of the caller. */
import { type Outcome, ok } from '../record/outcome.ts';
import type { Principal } from '../record/principal.ts';
import { isRootLevel, parseScope } from '../record/scope.ts';
import { checkDates, type Dates, datesIn } from '../record/temporal.ts';
import type { Namespace, Thought } from '../record/thought.ts';
import { isoFromMillis } from '../record/time.ts';
import { refuseSecrets } from '../secrets/refuse-secrets.ts';
import { causesOf } from './causes.ts';
import { checkDestination } from './check-grants.ts';
import type { TrailContext } from './context.ts';
import { allow, checkAgentId, checkOwnedExtra } from './guard.ts';
import { causesElsewhere, causesInAnswer, causesInSidecar, checkCauses, resolveCauses } from './named-causes.ts';
import { duplicatesOf } from './neighbours.ts';
import { checkTwin, encodeChecked, stageNewThought } from './stage.ts';
import { summarize } from './summary.ts';
import { tombstoneRefusal } from './tombstones/check-change.ts';
import { Consultation } from './tombstones/consultation.ts';
import type { SaveInput, WriteResult } from './types.ts';
import { inputOf, write } from './write.ts';

export async function save(context: TrailContext, input: SaveInput): Promise<Outcome<WriteResult>> {
  const { principal } = context;
  const checked = checkArguments(input, principal);
  if (!checked.ok) return checked;
  const { scope, dates } = checked.value;
  const namespace: Namespace = input.namespace ?? 'drafts';
  const call = { verb: 'save', input: inputOf(input), idempotencyKey: input.idempotency_key, into: { scope } };
  const elsewhere = await causesElsewhere(context, input.informed_by);
  return write<WriteResult>(context, call, async (draft) => {
    const thought = newThought(context, { ...input, ...dates }, draft.now);
    const files = await stageNewThought(draft, thought, { scope, namespace });
    if (!files.ok) return files;
    const causes = resolveCauses(draft.index, input.informed_by, { principal, elsewhere });
    if (!causes.ok) return causes;
    const { thought_id, body } = thought;
    const duplicate_of = duplicatesOf(draft.index, { scope, body, except: [thought_id], principal });
    const named = [...(input.parent_id ? [input.parent_id] : []), ...thought.relationships.map((to) => to.target_id)];
    return ok({
      events: [
        {
          verb: 'save',
          informed_by: [...causesOf(draft.index, named, principal), ...causes.value.hashes],
          local: {
            scope,
            thought_id: thought.thought_id,
            status: 'draft',
            ...causesInSidecar(causes.value),
          },
          files: files.value,
        },
      ],
      message: `Save thought ${thought.thought_id} [${thought.source_type}] in ${scope} ${namespace}/`,
      answer: {
        status: 'ok',
        thought: summarize(thought, scope),
        message: 'Saved as a draft. Others see it once it is proposed with propose_truth and approved.',
        ...(duplicate_of.length === 0 ? {} : { duplicate_of }),
        ...causesInAnswer(causes.value, rootWarning(scope)),
      },
    });
  });
}

/** Whether {@link save} would accept the input now, as far as that shows without writing; records no denial. */
export async function checkSave(context: TrailContext, input: SaveInput): Promise<Outcome<null>> {
  const secret = await refuseSecrets(input);
  if (secret !== null) return secret;
  const checked = checkArguments(input, context.principal);
  if (!checked.ok) return checked;
  const { scope, dates } = checked.value;
  const granted = checkDestination(context.principal, { scope });
  if (granted !== null) return granted;
  const bytes = encodeChecked(newThought(context, { ...input, ...dates }, Date.now()));
  if (!bytes.ok) return bytes;
  const { repository } = context;
  const { value: twin } = await repository.read((index) => checkTwin(index, { scope }));
  if (twin !== null) return twin;
  const tombstones = new Consultation();
  const text = { scope, body: input.content };
  const { value } = await tombstones.settled(() => repository.read((index) => tombstones.of(index, text)));
  return value.equal === null ? ok(null) : tombstoneRefusal(value.equal);
}

/** The scope, and the dates as they are stored. */
function checkArguments(
  input: SaveInput,
  principal: Principal,
): Outcome<{ readonly scope: string; readonly dates: Dates }> {
  const allowed = allow(
    checkAgentId(input.agent_id, principal),
    checkOwnedExtra(input.metadata?.extra),
    checkCauses(input.informed_by),
  );
  if (!allowed.ok) return allowed;
  const dates = checkDates(input);
  if (!dates.ok) return dates;
  const scope = parseScope(input.trail_name);
  return scope.ok ? ok({ scope: scope.value, dates: dates.value }) : scope;
}

function newThought(context: TrailContext, input: SaveInput, now: number): Thought {
  const { project, branch, tags, extra } = input.metadata ?? {};
  return {
    schema_version: 1,
    thought_id: context.newId(),
    ...(input.parent_id === undefined ? {} : { parent_id: input.parent_id }),
    agent_id: context.principal.agent_id,
    confidence: input.confidence ?? 0.5,
    source_type: input.source_type ?? 'observation',
    validation_status: 'draft',
    ...(input.intent_ref === undefined ? {} : { intent_ref: input.intent_ref }),
    created_at: isoFromMillis(now),
    relationships: input.relationships ?? [],
    metadata: {
      ...(project === undefined ? {} : { project }),
      ...(branch === undefined ? {} : { branch }),
      tags: tags ?? [],
      extra: { ...extra, ...datesIn(input) },
    },
    body: input.content,
  };
}

/** FAVA's warning for a scope of one level: such scopes tend to become everybody's. */
export function rootWarning(scope: string): { warning?: string } {
  return isRootLevel(scope)
    ? { warning: `Scope "${scope}" is at the root: prefer a path such as "${scope}/project"` }
    : {};
}
