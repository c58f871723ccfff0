import { type Refusal, refuse } from '../record/outcome.ts';
import { type FoundSecret, MAX_NESTING, TOO_DEEP } from './find-secret.ts';

/** The refusal of an input that holds a secret: rule and field, never the text. */
export function secretRefusal(found: FoundSecret): Refusal {
  const { rule, field } = found;
  const place = field === '' ? 'The input' : `Field "${field}"`;
  if (rule === TOO_DEEP) {
    return refuse('secret', `${place} nests deeper than ${MAX_NESTING} levels and cannot be checked for secrets`, {
      field,
      rule,
      next: 'Flatten the value and send the call again',
    });
  }
  return refuse('secret', `${place} contains what looks like a secret (rule "${rule}"); nothing was stored`, {
    field,
    rule,
    next: 'Remove it, say where the secret is kept instead, and send the call again; revoke the secret if it is real',
  });
}
