/** Rules on the arguments that choose a view (fava.md 2.4). */
import { type Refusal, refuse } from '../record/outcome.ts';
import type { Status } from '../record/thought.ts';
import type { Mode } from '../record/visibility.ts';

const AUTHORING_STATUSES: readonly Status[] = ['draft', 'proposed', 'error', 'rejected'];

export interface ViewArguments {
  readonly mode?: Mode | undefined;
  readonly statuses?: readonly Status[] | undefined;
  readonly include_superseded?: boolean | undefined;
}

export function checkStatuses(input: ViewArguments): Refusal | null {
  const mode = input.mode ?? 'governed';
  if (input.include_superseded === true && mode !== 'history') {
    return refuse('authority', '"include_superseded" goes with mode "history" only', {
      field: 'include_superseded',
      rule: 'history_needs_operator',
      next: 'Leave it out, or ask an operator',
    });
  }
  if (input.statuses === undefined) return null;
  if (mode === 'governed') {
    return refuse('invalid', '"statuses" does not go with the governed view, which holds approved thoughts only', {
      field: 'statuses',
      next: 'Leave it out, or use mode "authoring" for your own drafts',
    });
  }
  const wrong = input.statuses.find((status) => mode === 'authoring' && !AUTHORING_STATUSES.includes(status));
  if (wrong === undefined) return null;
  return refuse(
    'invalid',
    `Status "${wrong}" is not in mode "authoring", which holds ${AUTHORING_STATUSES.join(', ')}`,
    {
      field: 'statuses',
      next: 'Choose among those',
    },
  );
}
