/** The version store on plain git. */
export { type OpenGitStoreOptions, openGitStore } from './git-store.ts';
export { initGitRepository } from './repository.ts';
export { uncommittedEdit } from './working-files.ts';
