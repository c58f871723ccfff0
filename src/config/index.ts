/** Configuration: what the environment says, and what the repository's settings files say. Parsed, never obeyed, here. */
export { addWaymarkBlock } from './add-waymark-block.ts';
export { type Environment, type EnvironmentVariables, type McpSurface, readEnvironment } from './environment.ts';
export {
  parseRepositoryConfig,
  type RepositoryConfig,
  renderRepositoryConfig,
  type WaymarkConfig,
} from './repository-config.ts';
export {
  effectiveScopeSettings,
  parseScopeSettings,
  renderScopeSettings,
  type ScopeSettings,
} from './scope-settings.ts';
