/** Keys of the settings files, and environment variables. Producer: who writes or sets it. Consumer: who acts on it. */
import { later, type Table } from './entry.ts';

const PARSED = 'test/config/repository-config.test.ts: parseRepositoryConfig understands every key of FAVA and our own';
const WRITTEN = 'test/config/scope-settings.test.ts: renderScopeSettings without a parent is the dump FAVA writes';
const NEAREST = 'test/config/scope-settings.test.ts: effectiveScopeSettings takes the nearest value';
const GATE = 'test/cases/gate.test.ts';
const MODELS = 'test/trail/machine-settings.test.ts';
const READ = 'test/config/environment.test.ts: readEnvironment reads each variable';

/** FAVA's keys that are kept for FAVA and not obeyed have the test that keeps them as consumer. */
export const repositoryKeys: Table = {
  trails_dir: ['src/trail/init.ts', 'src/config/repository-config.ts'],
  remote_url: [
    'src/config/repository-config.ts',
    'test/trail/settings-status.test.ts: remote_url of config.yaml is compared',
  ],
  push_strategy: ['src/trail/init.ts', 'src/trail/locate.ts'],
  trust_gate: ['docs/gate.md', `${GATE}: without a model people decide`],
  trust_gate_provider: ['docs/gate.md', `${MODELS}: a machine that names a provider`],
  trust_gate_model: ['docs/gate.md', `${MODELS}: a machine that names a provider`],
  trust_gate_api_base: ['docs/gate.md', `${MODELS}: a model of this machine needs no key`],
  trust_gate_api_key_env: ['docs/gate.md', `${MODELS}: a machine that names a provider`],
  openrouter_api_key_env: ['docs/gate.md', `${MODELS}: a machine that names a provider`],
  trust_gate_api_key_file: ['docs/gate.md', `${MODELS}: a key file is read anew`],
  trust_gate_extra_body: ['docs/gate.md', 'src/config/provider-settings.ts'],
  trust_gate_timeout_secs: ['docs/gate.md', `${GATE}: a model that is slow or hangs up`],
  tool_timeout_secs: [PARSED, PARSED],
  trust_gate_decisions_config: ['docs/gate.md', `${GATE}: decisions: at the threshold it approves`],
  trails: ['src/config/repository-config.ts', 'test/trail/settings-status.test.ts: drafts older than stale_draft_days'],
  hooks: later(7),
  waymark: ['src/trail/init.ts', 'src/trail/locate.ts'],
  'waymark.layout': [
    'src/trail/init.ts',
    'test/config/repository-config.test.ts: parseRepositoryConfig refuses malformed files',
  ],
  'waymark.id': ['src/trail/init.ts', 'src/trail/open.ts'],
  'waymark.owner': ['src/trail/init.ts', 'src/trail/open.ts'],
  'waymark.branch': ['src/trail/init.ts', 'src/trail/open.ts'],
};

export const scopeKeys: Table = {
  name: ['src/config/scope-settings.ts', WRITTEN],
  default_namespace: ['src/config/scope-settings.ts', WRITTEN],
  trust_gate_policy: ['docs/gate.md', 'src/trail/gate/policy.ts'],
  gc_interval_snapshots: ['src/config/scope-settings.ts', WRITTEN],
  gc_interval_seconds: ['src/config/scope-settings.ts', NEAREST],
  stale_draft_days: [
    'src/config/scope-settings.ts',
    'test/trail/settings-status.test.ts: drafts older than stale_draft_days',
  ],
  hooks: later(7),
  confirm: ['src/config/scope-settings.ts', 'src/trail/decide-checks.ts'],
  decisions: [
    'src/trail/decide-checks.ts',
    'test/trail/attested.test.ts: a scope whose decisions are signed refuses an attested one',
  ],
  quorum: ['src/config/scope-settings.ts', 'src/trail/quorum/ballot.ts'],
  trust_gate_tiers: [
    'src/config/scope-settings.ts',
    'test/trail/quorum/quorum.test.ts: policies come from the tier of a source type',
  ],
  known_at: [
    'src/trail/as-known.ts',
    'test/cases/two-clocks.test.ts: where the settings open it, an agent sees what was approved then',
  ],
  separation: ['src/config/scope-settings.ts', 'src/trail/decide-checks.ts'],
};

/** Of `waymark/config.yaml` of the machine, beside FAVA's keys of the trust gate. */
export const machineKeys: Table = {
  atrib_log_url: ['docs/limits.md', 'src/trail/machine-settings.ts'],
  atrib_archive_url: ['docs/limits.md', 'src/trail/machine-settings.ts'],
  serve: ['docs/serving.md', 'src/trail/machine-settings.ts'],
};

/** Producer: the text that tells a person of it, or the program that sets it. */
export const variables: Table = {
  WAYMARK_DATA_REPO: ['src/cli/program.ts', READ],
  WAYMARK_AGENT_ID: ['src/cli/program.ts', READ],
  WAYMARK_OPERATOR: ['src/cli/program.ts', READ],
  WAYMARK_SCOPE_HINT: ['src/cli/program.ts', READ],
  WAYMARK_MCP_SURFACE: ['src/cli/program.ts', READ],
  FAVA_TRAILS_DATA_REPO: ['README.md: FAVA_TRAILS_*', READ],
  FAVA_TRAILS_AGENT_ID: ['README.md: FAVA_TRAILS_*', READ],
  FAVA_TRAILS_OPERATOR: ['README.md: FAVA_TRAILS_*', READ],
  FAVA_TRAILS_SCOPE_HINT: ['README.md: FAVA_TRAILS_*', READ],
  FAVA_TRAILS_MCP_SURFACE: ['README.md: FAVA_TRAILS_*', READ],
  XDG_CONFIG_HOME: ['README.md', 'test/config/environment.test.ts: readEnvironment takes absolute XDG folders'],
  XDG_STATE_HOME: ['docs/format.md', 'test/config/environment.test.ts: readEnvironment takes absolute XDG folders'],
  XDG_CACHE_HOME: ['docs/format.md', 'test/config/environment.test.ts: readEnvironment takes the cache folder of XDG'],
  ATRIB_RECORDS_DIR: [
    'docs/format.md',
    'test/config/environment.test.ts: readEnvironment takes the cache folder of XDG',
  ],
  ATRIB_RECORD_FILE: [
    'docs/format.md',
    'test/config/environment.test.ts: readEnvironment takes the cache folder of XDG',
  ],
  HOME: ['README.md', 'test/config/environment.test.ts: readEnvironment with a home only has defaults'],
  USERPROFILE: ['src/config/environment.ts', 'test/config/environment.test.ts'],
  ATRIB_CONTEXT_ID: ['src/ledger/context.ts', 'test/ledger/context.test.ts: resolveContextId takes traceparent'],
  CLAUDE_CODE_SESSION_ID: ['src/ledger/context.ts', 'test/ledger/context.test.ts: resolveContextId takes traceparent'],
  CODEX_THREAD_ID: ['src/ledger/context.ts', 'test/ledger/context.test.ts: takes a thread of Codex'],
  ATRIB_CHAIN_TAIL_: ['src/ledger/chain.ts', 'test/vectors/atrib/1.2.3/multi-producer/cases/env-tail-wins.json'],
};
