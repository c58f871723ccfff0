/**
 * Thoughts to measure on: English-like engineering notes of about 1 KB, the same for the same count and scopes.
 *
 * Of ten thoughts six are approved and current, two drafts, one proposed and one rejected. Each rare marker is in eight
 * approved thoughts and nowhere else.
 */
import { monotonicFactory } from 'ulid';
import { createRandom } from './random.ts';
import { createWordSource } from './vocabulary.ts';

export type CorpusStatus = 'approved' | 'draft' | 'proposed' | 'rejected';

export interface CorpusThought {
  readonly id: string;
  readonly scope: string;
  readonly status: CorpusStatus;
  readonly sourceType: 'decision' | 'observation' | 'inference';
  /** ISO 8601, UTC, microseconds. */
  readonly createdAt: string;
  readonly tags: readonly string[];
  readonly body: string;
}

export interface CorpusOptions {
  readonly count: number;
  readonly scopes: number;
}

export const RARE_HITS = 8;
/** Words nobody writes. Several, so that a query is not answered from what the one before it left in a cache. */
export const RARE_MARKERS: readonly string[] = Array.from({ length: 16 }, (_, n) => `qzvelk${'bcdfghjkmnpqrstw'[n]}ux`);

const BODY_CHARACTERS = 1000;
const STATUS_OF_TEN: readonly CorpusStatus[] = [
  'approved',
  'draft',
  'approved',
  'approved',
  'proposed',
  'approved',
  'draft',
  'approved',
  'rejected',
  'approved',
];
const TAGS = ['gotcha', 'retries', 'release', 'storage', 'review', 'api', 'latency', 'security'];
const SOURCE_TYPES = ['decision', 'observation', 'inference'] as const;
const FIRST_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 60_000;

export function scopeName(n: number): string {
  return `bench/team-${String(n).padStart(2, '0')}`;
}

/** Approved and current thoughts among the first `count`. */
export function approvedAmong(count: number): number {
  return Array.from({ length: count % 10 }, (_, n) => STATUS_OF_TEN[n]).reduce(
    (sum, status) => sum + (status === 'approved' ? 1 : 0),
    Math.floor(count / 10) * 6,
  );
}

export function* corpus(options: CorpusOptions): Generator<CorpusThought> {
  const random = createRandom(options.count);
  const word = createWordSource(random);
  const nextId = monotonicFactory(random);
  const markers = markerPlan(approvedAmong(options.count));
  let approved = 0;
  for (let n = 0; n < options.count; n += 1) {
    const status = STATUS_OF_TEN[n % 10] ?? 'approved';
    const own = status === 'approved' ? (markers.get(approved) ?? []) : [];
    if (status === 'approved') approved += 1;
    const at = FIRST_MS + n * STEP_MS;
    yield {
      id: nextId(at),
      // Ten in a row, since statuses repeat every ten and each scope needs all of them.
      scope: scopeName(Math.floor(n / 10) % options.scopes),
      status,
      sourceType: SOURCE_TYPES[n % SOURCE_TYPES.length] ?? 'observation',
      createdAt: new Date(at).toISOString().replace('Z', '000Z'),
      tags: TAGS.filter(() => random() < 0.2),
      body: bodyOf(word, { random, markers: own }),
    };
  }
}

/** Which markers the n-th approved thought holds: eight thoughts each, spread over all of them. */
function markerPlan(approved: number): ReadonlyMap<number, readonly string[]> {
  const plan = new Map<number, string[]>();
  const stride = Math.max(1, Math.floor(approved / RARE_HITS));
  RARE_MARKERS.forEach((marker, m) => {
    for (let hit = 0; hit < RARE_HITS; hit += 1) {
      const n = (hit * stride + m * 7) % Math.max(1, approved);
      plan.set(n, [...(plan.get(n) ?? []), marker]);
    }
  });
  return plan;
}

function bodyOf(word: () => string, options: { random: () => number; markers: readonly string[] }): string {
  const { random, markers } = options;
  let body = `# ${capitalised(sentence(word, 4))}\n\n`;
  for (const marker of markers) body += `The ${marker} job is the one to look at.\n`;
  for (let paragraph = 0; body.length < BODY_CHARACTERS; paragraph += 1) {
    const words = 6 + Math.floor(random() * 12);
    body += `${capitalised(sentence(word, words))}.${paragraph % 4 === 3 ? '\n\n' : ' '}`;
  }
  return `${body.trimEnd()}\n`;
}

function sentence(word: () => string, length: number): string {
  return Array.from({ length }, word).join(' ');
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
