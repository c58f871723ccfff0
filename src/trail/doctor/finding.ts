/** What a check says: one line for a person, and what mends it. */
export type Mark = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** Stable name of what was looked at, e.g. `git`. */
  readonly check: string;
  readonly mark: Mark;
  /** What was found, and the cause when it is not as it should be. */
  readonly message: string;
  /** The command that mends it, or what to do where no command does. Absent on `ok`. */
  readonly mend?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, mark: 'ok', message };
}

/** Works, and will bite: a person should know. */
export function warn(check: string, message: string, mend: string): Finding {
  return { check, mark: 'warn', message, mend };
}

/** Something does not work, or cannot be trusted. */
export function fail(check: string, message: string, mend: string): Finding {
  return { check, mark: 'fail', message, mend };
}
