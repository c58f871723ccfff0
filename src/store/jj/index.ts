/** The version store on Jujutsu. */
export { acceptedJj, findJj } from './find-jj.ts';
export { initJujutsuRepository } from './init.ts';
export { type OpenJujutsuStoreOptions, openJujutsuStore } from './jujutsu-store.ts';
