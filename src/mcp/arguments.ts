/** Arguments of a call against the schema of its tool: nothing is stripped, nothing is guessed. */
import type * as z from 'zod';
import type { Outcome, Refusal } from '../record/outcome.ts';
import { ok, refuse } from '../record/outcome.ts';
import { findSecret } from '../secrets/find-secret.ts';
import { secretRefusal } from '../secrets/secret-refusal.ts';
import type { DoorDenial } from '../trail/operations.ts';

export interface ParseArgumentsOptions<S extends z.ZodObject> {
  readonly tool: string;
  readonly schema: S;
}

/** Parses `args`, or refuses with `invalid`. Messages never quote a value: it may hold a secret. */
export function parseArguments<S extends z.ZodObject>(
  args: Readonly<Record<string, unknown>>,
  options: ParseArgumentsOptions<S>,
): Outcome<z.output<S>> {
  const { tool, schema } = options;
  const known = Object.keys(schema.shape);
  const unknown = Object.keys(args).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    return refuse('invalid', `Unknown argument ${quoteName(unknown)}: ${tool} ${argumentsOf(schema)}`, {
      field: shorten(unknown),
      next: `Call ${tool} again with these alone`,
    });
  }
  const parsed = schema.safeParse(args);
  return parsed.success ? ok(parsed.data) : badArgument(parsed.error, { tool, args });
}

/** `needs trail_name, thought_id and takes idempotency_key`. */
function argumentsOf(schema: z.ZodObject): string {
  const names = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    isOptional: field.safeParse(undefined).success,
  }));
  const listed = (isOptional: boolean) =>
    names.filter((each) => each.isOptional === isOptional).map(({ name }) => name);
  const [needed, taken] = [listed(false).join(', '), listed(true).join(', ')];
  if (needed === '') return `takes ${taken || 'no arguments'}`;
  return `needs ${needed}${taken === '' ? '' : ` and takes ${taken}`}`;
}

/**
 * The denial for arguments that hold a secret, if they do.
 *
 * Looked for before the schema, whose messages name unknown arguments: a name may be the secret.
 */
export function secretInArguments(args: Readonly<Record<string, unknown>>, verb: string): DoorDenial | undefined {
  const found = findSecret(args);
  if (found === null) return undefined;
  const { message, next } = secretRefusal(found);
  return { verb, code: 'secret', rule: found.rule, field: found.field, message, next };
}

/**
 * The denial for an argument that claims authority, if there is one.
 *
 * Authority lives in the process or the authenticated connection, so `operator`, `principal` and every name starting
 * with `_` are refused at the root, whatever their value.
 */
export function authorityClaim(args: Readonly<Record<string, unknown>>, verb: string): DoorDenial | undefined {
  const name = Object.keys(args).find((key) => key === 'operator' || key === 'principal' || key.startsWith('_'));
  if (name === undefined) return undefined;
  return {
    verb,
    rule: 'caller_authority_in_arguments',
    // A denial is recorded and signed; a name the caller invented could carry text.
    field: name.startsWith('_') ? '_*' : name,
    message: `Argument ${quoteName(name)} is refused: who calls is decided by the process, never by an argument`,
    next: 'Remove it; an operator works in a process of their own, for example with `waymark review`',
  };
}

function badArgument(
  error: z.ZodError,
  call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
): Refusal {
  const issue = error.issues[0];
  const root = String(issue?.path[0] ?? '');
  const field = shorten((issue?.path ?? []).map(String).join('.'));
  const missing = issue?.path.length === 1 && call.args[root] === undefined;
  const problem = missing ? 'is required' : `is not valid: ${decapitalize(issue?.message ?? 'unknown problem')}`;
  return refuse('invalid', `Argument "${field}" ${problem}`, {
    field,
    next: `Correct "${field}" and call ${call.tool} again`,
  });
}

function quoteName(name: string): string {
  return JSON.stringify(shorten(name));
}

function shorten(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 64)}...`;
}

function decapitalize(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1);
}
