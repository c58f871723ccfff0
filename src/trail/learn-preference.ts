/** Saves what a person or client prefers, as a draft among the preferences (fava.md 2.2). */
import type { Outcome } from '../record/outcome.ts';
import type { TrailContext } from './context.ts';
import { checkOperator } from './guard.ts';
import { save } from './save.ts';
import type { LearnPreferenceInput, WriteResult } from './types.ts';

export async function learnPreference(
  context: TrailContext,
  input: LearnPreferenceInput,
): Promise<Outcome<WriteResult>> {
  const refusal = checkOperator('learn_preference', context.principal);
  if (refusal !== null) return refusal;
  const { preference_type = 'firm', ...rest } = input;
  return save(context, { ...rest, source_type: 'user_input', namespace: `preferences/${preference_type}` });
}
