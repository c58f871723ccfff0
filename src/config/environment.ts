/** What a process is told by its environment. Read once at start-up; a wrong value fails there and not on first use. */
import { isAbsolute, join } from 'node:path';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { AGENT_ID, isAgentId, isReservedAgentId } from '../record/principal.ts';
import { quote } from '../record/quote.ts';

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** `full` also advertises output schemas. */
export type McpSurface = 'full' | 'standard';

export interface Environment {
  /** `WAYMARK_DATA_REPO`: the data repository, as given. */
  readonly dataRepo?: string;
  /** `WAYMARK_AGENT_ID` */
  readonly agentId?: string;
  /** `WAYMARK_OPERATOR=1` asks for operator rights; an unlocked operator key gives them. */
  readonly operator: boolean;
  /** `WAYMARK_SCOPE_HINT` */
  readonly scopeHint?: string;
  /** `WAYMARK_MCP_SURFACE` */
  readonly mcpSurface: McpSurface;
  /** `$XDG_CONFIG_HOME/waymark`: keys, pins. */
  readonly configDir: string;
  /** `$XDG_STATE_HOME/waymark`: newest checkpoints seen. */
  readonly stateDir: string;
  /** `$XDG_CACHE_HOME/waymark`: indexes of mirrors, made again when they are gone. */
  readonly cacheDir: string;
  /** Where atrib's programs keep their records. */
  readonly atribRecords: AtribRecords;
}

export interface AtribRecords {
  /** `ATRIB_RECORDS_DIR`. @default ~/.atrib/records */
  readonly folder: string;
  /** `ATRIB_RECORD_FILE`: this file alone instead of the folder. */
  readonly file?: string;
}

/** FAVA's name for a value of ours (`compact` is its smaller surface). */
const SURFACES: Readonly<Record<string, McpSurface>> = { full: 'full', standard: 'standard', compact: 'standard' };

/**
 * An empty variable counts as unset, as clients write it for "nothing". Each `WAYMARK_` variable wins over its
 * `FAVA_TRAILS_` alias.
 */
export function readEnvironment(env: EnvironmentVariables): Outcome<Environment> {
  const agent = lookUp(env, 'AGENT_ID');
  if (agent && !isAgentId(agent.value)) return malformed(agent, `a match of ${AGENT_ID.source}`);
  if (agent && isReservedAgentId(agent.value)) return malformed(agent, 'another name: this one is of Waymark itself');
  const operator = lookUp(env, 'OPERATOR');
  if (operator && operator.value !== '0' && operator.value !== '1') return malformed(operator, '"1" or "0"');
  const surface = lookUp(env, 'MCP_SURFACE');
  const mcpSurface = surface ? surfaceOf(surface.value) : 'standard';
  if (surface && mcpSurface === undefined) return malformed(surface, '"standard" or "full"');
  const configDir = directory(env, { variable: 'XDG_CONFIG_HOME', fallback: '.config' });
  const stateDir = directory(env, { variable: 'XDG_STATE_HOME', fallback: '.local/state' });
  if (configDir === undefined || stateDir === undefined) return homeless();
  const cacheDir = directory(env, { variable: 'XDG_CACHE_HOME', fallback: '.cache' });

  const dataRepo = lookUp(env, 'DATA_REPO');
  const scopeHint = lookUp(env, 'SCOPE_HINT');
  return ok({
    operator: operator?.value === '1',
    mcpSurface: mcpSurface ?? 'standard',
    configDir,
    stateDir,
    // Without a home nothing of either is known; the state folder is a place of ours that surely is.
    cacheDir: cacheDir ?? join(stateDir, 'cache'),
    atribRecords: atribRecords(env, stateDir),
    ...(dataRepo ? { dataRepo: dataRepo.value } : {}),
    ...(agent ? { agentId: agent.value } : {}),
    ...(scopeHint ? { scopeHint: scopeHint.value } : {}),
  });
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

function lookUp(env: EnvironmentVariables, suffix: string): Variable | undefined {
  for (const name of [`WAYMARK_${suffix}`, `FAVA_TRAILS_${suffix}`]) {
    const value = env[name];
    if (value) return { name, value };
  }
  return undefined;
}

function surfaceOf(value: string): McpSurface | undefined {
  return Object.hasOwn(SURFACES, value) ? SURFACES[value] : undefined;
}

/** atrib's own names, so that a client of its tools need not change them. */
function atribRecords(env: EnvironmentVariables, stateDir: string): AtribRecords {
  const file = env['ATRIB_RECORD_FILE'];
  const folder = env['ATRIB_RECORDS_DIR'] || join(homeOf(env) ?? stateDir, '.atrib', 'records');
  return { folder, ...(file ? { file } : {}) };
}

/** The XDG specification: a relative path is invalid and ignored. */
function directory(env: EnvironmentVariables, at: { variable: string; fallback: string }): string | undefined {
  const base = env[at.variable];
  if (base && isAbsolute(base)) return join(base, 'waymark');
  const home = homeOf(env);
  return home && join(home, at.fallback, 'waymark');
}

function homeOf(env: EnvironmentVariables): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  return home && isAbsolute(home) ? home : undefined;
}

function malformed(variable: Variable, wanted: string): Refusal {
  return refuse('invalid', `${variable.name} is ${quote(variable.value)}, expected ${wanted}`, {
    field: variable.name,
    next: `Correct ${variable.name} or unset it, then start again`,
  });
}

function homeless(): Refusal {
  return refuse('invalid', 'HOME is not set to an absolute path, so there is no place for keys and state', {
    field: 'HOME',
    next: 'Set HOME, or both XDG_CONFIG_HOME and XDG_STATE_HOME, to absolute paths',
  });
}
