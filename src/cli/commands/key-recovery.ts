/** `waymark key recovery | recover`, `waymark key protect --recovery` */
import { resolve } from 'node:path';
import { ok, refuse } from '../../record/outcome.ts';
import { type RecoveredOwner, recoverOwner } from '../../trail/recover-owner.ts';
import { addRecoveryKey, type MadeRecoveryKey, protectRecoveryKey } from '../../trail/recovery-key.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { askNewPassphrase, askPassphraseOrNone, terminalPassphrase } from '../passphrase.ts';
import { openTerminal } from '../terminal.ts';
import { withSettledRecord } from '../with-record.ts';
import { askWhetherToGoOn, planLines } from './key-end.ts';

/** Without a terminal the key has no passphrase, and the answer says so. */
export async function recovery(invocation: Invocation, path: string): Promise<ExitCode> {
  const file = resolve(invocation.cwd, path);
  return withSettledRecord(invocation, async (record) => {
    const passphrase = await newPassphraseOrNone();
    if (passphrase === null) return fail(invocation, noPassphrase(), { exit: EXIT.refused });
    const made = await addRecoveryKey(record, file, {
      askPassphrase: terminalPassphrase,
      ...(passphrase === '' ? {} : { passphrase }),
    });
    if (!made.ok) return fail(invocation, made);
    printResult(invocation, { status: 'ok', ...made.value }, madeLines);
    return EXIT.ok;
  });
}

/** Needs no record: the file is all there is of the key. */
export async function protectRecovery(invocation: Invocation, path: string): Promise<ExitCode> {
  const terminal = openTerminal();
  if (terminal === null) {
    const refusal = refuse('authority', 'A passphrase is asked on a terminal only', { next: 'Run it in a terminal' });
    return fail(invocation, refusal);
  }
  try {
    const passphrase = await askNewPassphrase(terminal);
    if (passphrase === null) return fail(invocation, noPassphrase(), { exit: EXIT.refused });
    const done = protectRecoveryKey(resolve(invocation.cwd, path), passphrase);
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, { status: 'ok', ...done.value }, ({ file }) => [
      `The recovery key in ${file} has a passphrase now`,
    ]);
    return EXIT.ok;
  } finally {
    terminal.close();
  }
}

export interface RecoverOptions {
  readonly since?: string;
  readonly yes?: true;
}

export async function recover(invocation: Invocation, path: string, options: RecoverOptions): Promise<ExitCode> {
  const { since, yes } = options;
  const file = resolve(invocation.cwd, path);
  return withSettledRecord(invocation, async (record) => {
    const done = await recoverOwner(
      record,
      { file, ...(since === undefined ? {} : { since }) },
      {
        askPassphrase: terminalPassphrase,
        confirm: async (plan) => {
          for (const line of planLines(plan)) say(invocation, line);
          return yes === true ? ok(null) : askWhetherToGoOn('Recover it');
        },
      },
    );
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, { status: 'ok', ...done.value }, (recovered) => recoveredLines(recovered, file));
    return EXIT.ok;
  });
}

/** Empty for none, also where nobody can be asked; `null` when the two answers differ. */
async function newPassphraseOrNone(): Promise<string | null> {
  const terminal = openTerminal();
  if (terminal === null) return '';
  try {
    return await askPassphraseOrNone(terminal);
  } finally {
    terminal.close();
  }
}

function noPassphrase() {
  return refuse('invalid', 'No passphrase was given, or the two differ: nothing was changed', { next: 'Run it again' });
}

function madeLines({ public_key, file, protection }: MadeRecoveryKey): readonly string[] {
  const lacks = 'It has no passphrase: "waymark key protect --recovery FILE" gives it one';
  return [
    `The recovery key ${public_key} is in ${file}: keep that file off this machine, and a copy`,
    ...(protection === 'none' ? [lacks] : []),
  ];
}

function recoveredLines(
  { public_key, new_key, stand, voided, approvals, recovery_protection }: RecoveredOwner,
  file: string,
): readonly string[] {
  return [
    `The owner key is ${new_key} now, on this machine; of ${public_key} stand the first ${stand} events`,
    '"waymark key protect" puts it under a passphrase',
    ...(recovery_protection === 'none'
      ? [`The recovery key stays ${file}, which has no passphrase: "waymark key protect --recovery FILE" gives it one`]
      : [`The recovery key stays ${file}`]),
    ...(approvals.length === 0
      ? []
      : ['"waymark status" lists what is unverified now; "waymark adopt" brings back what is right']),
    ...(voided === 0 ? [] : ['"waymark verify" names every event that no longer counts']),
  ];
}
