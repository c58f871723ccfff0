/** What the process says to a script. */
import type { Refusal, RefusalCode } from '../record/outcome.ts';

export const EXIT = {
  ok: 0,
  /** The record refuses, or is not as it should be; also a fault of Waymark itself. */
  refused: 1,
  /** The command line is wrong. */
  usage: 2,
  /** No record, no git, a bad variable, a damaged key file, a port in use. */
  environment: 3,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

const OF_CODE: Partial<Record<RefusalCode, ExitCode>> = {
  invalid: EXIT.usage,
  storage: EXIT.environment,
  repository: EXIT.environment,
};

export function exitCodeOf(refusal: Refusal): ExitCode {
  return OF_CODE[refusal.code] ?? EXIT.refused;
}
