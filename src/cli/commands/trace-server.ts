/** `waymark trace-server`: what a client of `@atrib/trace` starts instead. It needs no record and opens none. */
import { readEnvironment } from '../../config/index.ts';
import { createLog } from '../../mcp/log.ts';
import { serveStdio } from '../../mcp/stdio.ts';
import { createTraceServer } from '../../mcp/trace-server.ts';
import type { Egress } from '../../trail/gate/overview.ts';
import { machineModel } from '../../trail/machine-settings.ts';
import { summarizeMirrors } from '../../trail/summarize/summarize-mirrors.ts';
import { LazyMirrors } from '../../trail/trace/mirrors.ts';
import { openRemote } from '../../trail/trace/remote/open-remote.ts';
import { traceMirrors } from '../../trail/trace/trace-mirrors.ts';
import { Tracer } from '../../trail/trace/tracer.ts';
import { Verifier } from '../../trail/trace/verify-record.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation } from '../invocation.ts';

export async function traceServer(invocation: Invocation): Promise<ExitCode> {
  // stdout is the protocol's, whatever happens.
  const quiet: Invocation = { ...invocation, out: invocation.err };
  const read = readEnvironment(invocation.env);
  if (!read.ok) return fail(quiet, read, { exit: EXIT.environment });
  const { atribRecords, cacheDir, mcpSurface } = read.value;
  const mirrors = new LazyMirrors({ ...atribRecords, cacheFolder: cacheDir });
  const now = Date.now;
  const tools = { mirrors, tracer: new Tracer(now), remote: openRemote({ environment: read.value, now }) };
  const provider = () => machineModel(read.value, invocation.env);
  const log = createLog();
  const announce = (egress: Egress) => log.info({ trust_gate_egress: egress }, 'about to ask the model');
  const summaryTools = { mirrors, verifier: new Verifier(now), provider, announce };
  // A folder that is misspelt answers as an empty one.
  log.info({ mirrors: atribRecords.file ?? atribRecords.folder }, 'serving');
  const factory = createTraceServer({
    trace: (input) => traceMirrors(input, tools),
    summarize: (input) => summarizeMirrors(input, summaryTools),
    version: invocation.version,
    surface: mcpSurface,
    log,
  });
  try {
    await serveStdio(factory);
    return EXIT.ok;
  } finally {
    mirrors.close();
  }
}
