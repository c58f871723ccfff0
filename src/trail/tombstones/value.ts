/** One text as tombstones are asked about it; each digest is made once, and only when somebody asks. */
import { tokensOf } from '../../record/normal-value.ts';
import { shinglesOf } from '../../record/similarity.ts';
import { factsOf } from '../../record/value-facts.ts';
import { shortDigest, valueDigest } from './digests.ts';

/** Below this many words a value has no sketch: it counts exactly. */
const SKETCHED_WORDS = 3;

/** Short digests under one key. */
export interface KeyedFacts {
  readonly numbers: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
  /** All words, among which the names of another text are looked for: letter case is easily changed. */
  readonly words: ReadonlySet<string>;
}

export class ConsultedValue {
  /** Normalised; empty when nothing is left. */
  readonly value: string;
  readonly #body: string;
  readonly #tokens: readonly string[];
  readonly #digests = new Map<Uint8Array, string>();
  readonly #shingles = new Map<Uint8Array, ReadonlySet<string>>();
  readonly #facts = new Map<Uint8Array, KeyedFacts>();

  constructor(body: string) {
    this.#body = body;
    this.#tokens = tokensOf(body);
    this.value = this.#tokens.join(' ');
  }

  digest(key: Uint8Array): string {
    return kept(this.#digests, key, () => valueDigest(key, this.value));
  }

  /** Empty of a short value. */
  shingles(key: Uint8Array): ReadonlySet<string> {
    return kept(this.#shingles, key, () => {
      const shingles = this.#tokens.length < SKETCHED_WORDS ? [] : shinglesOf(this.#tokens);
      return new Set([...shingles].map((shingle) => shortDigest(key, 'shingle', shingle)));
    });
  }

  facts(key: Uint8Array): KeyedFacts {
    return kept(this.#facts, key, () => {
      const { numbers, names } = factsOf(this.#body);
      const keyed = (kind: 'number' | 'name', texts: Iterable<string>) =>
        new Set([...texts].map((text) => shortDigest(key, kind, text)));
      return {
        numbers: keyed('number', numbers),
        names: keyed('name', names),
        words: keyed('name', new Set(this.#tokens)),
      };
    });
  }
}

function kept<T>(memo: Map<Uint8Array, T>, key: Uint8Array, make: () => T): T {
  const known = memo.get(key);
  if (known !== undefined) return known;
  const made = make();
  memo.set(key, made);
  return made;
}
