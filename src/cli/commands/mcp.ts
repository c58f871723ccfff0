/**
 * `waymark mcp`
 *
 * Serves first and opens the record on the first call: clients wait for tools/list, and some start two processes and
 * keep one, so starting does no work that two starters would fight over.
 */
import { createLog } from '../../mcp/log.ts';
import { beforeTimeout } from '../../mcp/running-calls.ts';
import { createServerFactory } from '../../mcp/server-factory.ts';
import { serveStdio } from '../../mcp/stdio.ts';
import { machineModelOf } from '../../trail/gate/machine.ts';
import { type Egress, egressAtStart } from '../../trail/gate/overview.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { findRecord } from '../find-record.ts';
import { fail, type Invocation } from '../invocation.ts';
import { lazyOperations } from '../lazy-operations.ts';

/** Counted denials and git's index are written within this, in milliseconds. */
const CLOSE_GRACE_MS = 600;

export async function mcp(invocation: Invocation): Promise<ExitCode> {
  // stdout is the protocol's, whatever happens.
  const quiet: Invocation = { ...invocation, out: invocation.err };
  const found = findRecord(quiet);
  if (!found.ok) return fail(quiet, found, { exit: EXIT.environment });
  const { environment, located } = found.value;
  const log = createLog();
  const announce = (egress: Egress) => log.info({ trust_gate_egress: egress }, 'about to ask the model');
  log.info(
    { trust_gate_egress: egressAtStart(located.config, machineModelOf(environment, invocation.env)) },
    'serving',
  );
  const lazy = lazyOperations(async () => {
    const { openStdioSession } = await import('../stdio-session.ts');
    return openStdioSession(quiet, { ...found.value, announce });
  });
  const factory = createServerFactory({
    operationsFor: lazy.operationsFor,
    ...(environment.scopeHint === undefined ? {} : { scopeHint: environment.scopeHint }),
    version: invocation.version,
    surface: environment.mcpSurface,
    log,
  });
  await serveStdio(factory);
  // The client waits 2 s for the end; what is left undone here, the next process does.
  await beforeTimeout(lazy.close(), CLOSE_GRACE_MS);
  return EXIT.ok;
}
