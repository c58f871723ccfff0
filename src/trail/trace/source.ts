/** Where a trace finds records; the shape lies in the store, which has sources of its own. */
export type { ForeignSource, TracedThought, TraceRecord, TraceSource } from '../../store/trace-source.ts';
