/** The version store on plain git. */
export { dirtyPaths } from './dirty-paths.ts';
export type { GitLocation } from './environment.ts';
export { type OpenGitStoreOptions, openGitStore } from './git-store.ts';
export { searchObjects } from './object-search.ts';
export {
  checkPurgeable,
  dropOldHistory,
  removePurgeNote,
  type SwappedHistory,
  swapHistory,
} from './purge.ts';
export { remoteNames } from './remotes.ts';
export { excludeStateFolder, initGitRepository, locateRepository, STATE_FOLDER } from './repository.ts';
export { trackedState } from './tracked-state.ts';
export { settleFiles, uncommittedEdit } from './working-files.ts';
