/** What a tool is: a name, a schema, and one call of one operation. */
import type { ToolAnnotations } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { ok } from '../record/outcome.ts';
import type { Operations } from '../trail/operations.ts';
import { parseArguments } from './arguments.ts';
import type { Person } from './person.ts';

interface ToolFacts {
  /** At most 30 characters of `[a-z_]`: clients drop longer `server + tool` names (cases.md B67). */
  readonly name: string;
  /** The operation's verb, as denials name it. */
  readonly verb: string;
  /** When to use it, for a model; short, since every session pays for it. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** The result when the call is accepted; advertised only on the full surface. */
  readonly output: z.ZodType;
  /** `full`: only the full surface lists it, any answers it. @default everywhere */
  readonly isListed?: 'full';
  /** `ui://` page that hosts of MCP Apps show beside a call. @default none */
  readonly app?: string;
  /** Whether the result carries text that somebody stored, which is then fenced as data. */
  readonly carriesStoredText: boolean;
  /** The whole text of an accepted call, where that is not the result as JSON (fava.md 2.1). */
  readonly markdown?: string;
  /** The text is the result alone as JSON over several lines, as clients of atrib parse it. @default false */
  readonly isIndented?: true;
}

export interface ToolSpec<Input extends z.ZodObject, Needed = Operations> extends ToolFacts {
  readonly input: Input;
  /** A `Question` as its value is put to the person at the client, and the call comes again with the reply. */
  call(operations: Needed, input: z.output<Input>, person: Person): Promise<Outcome<object>>;
}

/** Arguments that passed the schema, ready to run. */
export type PreparedCall<Needed = Operations> = (operations: Needed, person: Person) => Promise<Outcome<object>>;

/** A tool of a server whose calls are given `Needed`. */
export interface Tool<Needed = Operations> extends ToolFacts {
  readonly input: z.ZodObject;
  /** Checks arguments against the schema; an `invalid` refusal names the field, the problem and the next step. */
  prepare(args: Readonly<Record<string, unknown>>): Outcome<PreparedCall<Needed>>;
}

/** Closes over the input type, so that tools of different inputs fit one table. */
export function defineTool<Input extends z.ZodObject, Needed = Operations>(
  spec: ToolSpec<Input, Needed>,
): Tool<Needed> {
  const { call, ...facts } = spec;
  return {
    ...facts,
    prepare(args) {
      const parsed = parseArguments(args, { tool: spec.name, schema: spec.input });
      return parsed.ok ? ok((operations, person) => call(operations, parsed.value, person)) : parsed;
    },
  };
}

/** Annotation sets of fava.md 2.1. Clients ask a person before destructive tools. */
export const READS: ToolAnnotations = { readOnlyHint: true, idempotentHint: true };
export const ADDS: ToolAnnotations = { destructiveHint: false, openWorldHint: true };
export const REPLACES: ToolAnnotations = { destructiveHint: true, openWorldHint: true };
