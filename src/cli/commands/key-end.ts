/** `waymark key revoke | rotate` */
import type { RevocationReason } from '../../ledger/index.ts';
import { type Outcome, ok, refuse } from '../../record/outcome.ts';
import { DEFAULT_AGENT_ID } from '../../trail/identity.ts';
import type { RevocationPlan } from '../../trail/revocation-plan.ts';
import { revokeKey } from '../../trail/revoke-key.ts';
import { type RotatedKey, rotateKey } from '../../trail/rotate-key.ts';
import { confirms } from '../confirm.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { askNewPassphrase, askPassphrase, terminalPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { openTerminal } from '../terminal.ts';
import { withSettledRecord } from '../with-record.ts';

export interface RevokeOptions {
  readonly reason: RevocationReason;
  readonly size?: number;
  readonly since?: string;
  readonly yes?: true;
}

export async function revoke(invocation: Invocation, publicKey: string, options: RevokeOptions): Promise<ExitCode> {
  const { reason, size, since, yes } = options;
  return withSettledRecord(invocation, async (record) => {
    const input = {
      publicKey,
      reason,
      ...(size === undefined ? {} : { size }),
      ...(since === undefined ? {} : { since }),
    };
    const done = await revokeKey(record, input, {
      person: personOf(record),
      askPassphrase: terminalPassphrase,
      confirm: async (plan) => {
        for (const line of planLines(plan)) say(invocation, line);
        return yes === true ? ok(null) : askWhetherToGoOn('Revoke it');
      },
    });
    if (!done.ok) return fail(invocation, done);
    printResult(invocation, { status: 'ok', ...done.value }, revokedLines);
    return EXIT.ok;
  });
}

/** @param act What is done, as the question begins. */
export async function askWhetherToGoOn(act: string): Promise<Outcome<null>> {
  const terminal = openTerminal();
  if (terminal === null) {
    return refuse('authority', 'Something stops counting, which is asked on a terminal', {
      next: 'Look at what was listed, then run it again with --yes',
    });
  }
  try {
    if (await confirms(terminal, `${act}, so that this stops counting?`)) return ok(null);
    return refuse('authority', 'Not done: nothing was changed', { next: 'Run it again when you are sure' });
  } finally {
    terminal.close();
  }
}

/** What stops counting, for people. */
export function planLines({ voided, stand, approvals, settings, keys, unrevoked }: RevocationPlan): readonly string[] {
  const named = approvals.length + settings.length + keys.length;
  const what = named === 0 ? 'they approved nothing' : 'among them';
  return [
    `Events that stand: ${stand}, that stop counting, with those of keys it enrolled: ${voided}; ${what}`,
    ...approvals.map((id) => `  the approval of ${id}`),
    ...settings.map((path) => `  the acceptance of ${path}`),
    ...keys.map((key) => `  the enrolment of ${key}`),
    ...unrevoked.map((key) => `  the revocation of ${key}`),
  ];
}

function revokedLines({ public_key, agent_id, reason, stand, voided, approvals }: RevocationPlan): readonly string[] {
  return [
    `Key ${public_key} of ${agent_id} is revoked (${reason}); of its events stand ${stand === 0 ? 'none' : `the first ${stand}`}`,
    ...(approvals.length === 0
      ? []
      : ['"waymark status" lists what is unverified now; "waymark adopt" brings back what is right']),
    ...(voided === 0 ? [] : ['"waymark verify" names every event that no longer counts']),
  ];
}

export interface RotateOptions {
  readonly agent?: string;
  readonly operator?: true;
  readonly owner?: true;
}

export async function rotate(invocation: Invocation, options: RotateOptions): Promise<ExitCode> {
  return withSettledRecord(invocation, async (record) => {
    const kind = options.owner === true ? 'owner' : options.operator === true ? 'operator' : 'agent';
    const agent = options.agent ?? record.environment.agentId ?? DEFAULT_AGENT_ID;
    const terminal = kind === 'agent' ? null : openTerminal();
    try {
      const asking =
        terminal === null
          ? {}
          : {
              askPassphrase: (key: Parameters<typeof askPassphrase>[1]) => askPassphrase(terminal, key),
              newPassphrase: () => askNewPassphrase(terminal),
            };
      const input = { kind, agentId: kind === 'agent' ? agent : personOf(record) } as const;
      const done = await rotateKey(record, input, asking);
      if (!done.ok) return fail(invocation, done);
      printResult(invocation, { status: 'ok', ...done.value }, rotatedLines);
      return EXIT.ok;
    } finally {
      terminal?.close();
    }
  });
}

function rotatedLines({ kind, agent_id, old_key, new_key }: RotatedKey): readonly string[] {
  return [`The ${kind} key of ${agent_id} is ${new_key} now; ${old_key} signs nothing any more`];
}
