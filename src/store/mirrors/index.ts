/**
 * Mirrors: folders of JSON lines in which atrib's programs keep the records they wrote (atrib.md 2). This module reads
 * them and answers as a `TraceSource`. Where which record lies is in a SQLite index that is kept in the cache folder,
 * shared by all processes and made again when in doubt. It never writes to a mirror and checks no signature.
 */
export type { MirrorState } from './catch-up.ts';
export type { SkippedLine } from './file-store.ts';
export { MirrorIndexError, type Mirrors, type MirrorsOptions, openMirrors } from './mirrors.ts';
