/** The version store on Jujutsu. */
export { commitBelow, moveBookmark } from './bookmark.ts';
export { ACCEPTED_VERSIONS, acceptedJj, findJj } from './find-jj.ts';
export { initJujutsuRepository } from './init.ts';
export { type OpenJujutsuStoreOptions, openJujutsuStore } from './jujutsu-store.ts';
export { checkNothingBeside, forgetOldOperations, withJj } from './purge.ts';
