/** One run of one command: what it was told, where its words go, how they look. */
import type { EnvironmentVariables } from '../config/index.ts';
import type { Refusal } from '../record/outcome.ts';
import { type ExitCode, exitCodeOf } from './exit-code.ts';
import { terminalText } from './terminal-text.ts';

export interface Invocation {
  readonly env: EnvironmentVariables;
  /** Absolute. */
  readonly cwd: string;
  /** Of the package. */
  readonly version: string;
  readonly json: boolean;
  /** The result; stdout. */
  readonly out: (text: string) => void;
  /** Waits until stdout takes more; `false` once nobody reads it. For results that have no end. */
  readonly drained: () => Promise<boolean>;
  /** Everything else; stderr. */
  readonly err: (text: string) => void;
  /** stderr is a terminal. */
  readonly isWatched: boolean;
}

/** Prints a result: as JSON, or as the lines that `render` makes of it, control characters made visible. */
export function printResult<T>(invocation: Invocation, value: T, render: (value: T) => readonly string[]): void {
  if (invocation.json) invocation.out(`${JSON.stringify(value)}\n`);
  else for (const line of render(value)) invocation.out(`${terminalText(line)}\n`);
}

export interface FailOptions {
  /** @default by the refusal's code */
  readonly exit?: ExitCode;
}

/** Prints a refusal, on stdout as JSON or on stderr for people, and answers its exit code. */
export function fail(invocation: Invocation, refusal: Refusal, options: FailOptions = {}): ExitCode {
  const { code, message, next, field, rule, details } = refusal;
  if (invocation.json) {
    const facts = { ...details, status: 'error', code, message, next, field, rule };
    invocation.out(`${JSON.stringify(facts)}\n`);
  } else {
    say(invocation, `${message}\n  ${next}`);
  }
  return options.exit ?? exitCodeOf(refusal);
}

/** A line to the person, beside the result. */
export function say({ err }: Invocation, text: string): void {
  err(`waymark: ${terminalText(text)}\n`);
}
