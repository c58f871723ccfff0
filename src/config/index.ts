/** Configuration: what the environment says, and what the repository's settings files say. Parsed, never obeyed, here. */
export { addWaymarkBlock } from './add-waymark-block.ts';
export { type Environment, type EnvironmentVariables, type McpSurface, readEnvironment } from './environment.ts';
export { checkGovernedFile } from './governed-file.ts';
export { MACHINE_KEYS, type MachineConfig, parseFavaMachineConfig, parseMachineConfig } from './machine-config.ts';
export type { ModelService } from './model-providers.ts';
export {
  ignoredProviderKeys,
  type MachineConfigs,
  type ProviderSettings,
  providerSettings,
} from './provider-settings.ts';
export {
  parseRepositoryConfig,
  REPOSITORY_KEYS,
  type RepositoryConfig,
  renderRepositoryConfig,
  scopeDefaults,
  type WaymarkConfig,
} from './repository-config.ts';
export {
  effectiveScopeSettings,
  parseScopeSettings,
  policyFor,
  renderScopeSettings,
  SCOPE_KEYS,
  type ScopeSettings,
  strictestPolicy,
  UNSET_POLICY,
} from './scope-settings.ts';
export {
  DEFAULT_SERVE_SETTINGS,
  type NotifySettings,
  type OAuthSettings,
  type ServeLimits,
  type ServeSettings,
} from './serve-settings.ts';
export { isLoopback, parseServiceAddress } from './service-address.ts';
export { parseTombstone, renderTombstone, type TombstoneFile } from './tombstone-file.ts';
export { parseTombstoneKeys, renderTombstoneKeys, type TombstoneKeys } from './tombstone-keys.ts';
