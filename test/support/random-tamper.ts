/** One or two manipulations of the tamper record, drawn by a seed: what a table of single ones cannot hold. */
import { execFileSync } from 'node:child_process';
import { checkpointPath, eventPath } from '../../src/ledger/index.ts';
import { type Committed, commit, committed, forge, listed, newWriter, ownWriter } from '../attack/forge.ts';
import type { TestRecord } from './record.ts';
import { SETTINGS } from './tamper.ts';

/** What a step needs to know of a record. */
interface Subject {
  readonly t: TestRecord;
  readonly root: string;
  readonly logs: Readonly<Record<string, string>>;
  readonly thoughts: Readonly<Record<string, string>>;
}

type Files = Readonly<Record<string, Committed>>;

/** Draws below a bound; the same numbers for the same seed (mulberry32). */
class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed * 0x9e3779b1;
  }

  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new Error('Nothing to draw from');
    return one;
  }
}

/** What is done, as files to commit; `{}` where there is nothing left to do it to. */
const STEPS: Readonly<Record<string, (r: Subject, draw: Draw) => Files>> = {
  remove: (r, draw) => some(events(r), (all) => ({ [draw.of(all)]: null })),
  cut: (r, draw) => {
    const all = eventsOf(r, logOf(r, draw));
    return none(all.slice(draw.below(all.length + 1)));
  },
  copy: (r, draw) => some(events(r), (all) => ({ [placeOf(r, draw)]: bytes(r, draw.of(all)) })),
  move: (r, draw) =>
    some(events(r), (all) => {
      const from = draw.of(all);
      return { [from]: null, [placeOf(r, draw)]: bytes(r, from) };
    }),
  swap: (r, draw) =>
    some(events(r), (all) => {
      const [a, b] = [draw.of(all), draw.of(all)];
      return { [a]: bytes(r, b), [b]: bytes(r, a) };
    }),
  edit: (r, draw) => some(files(r), (all) => changed(r, draw.of(all), draw)),
  link: (r, draw) =>
    some(files(r), (all) => ({ [draw.of(all)]: draw.of([{ link: 'x' }, { submodule: 'a'.repeat(40) }]) })),
  strip: (r, draw) =>
    some(events(r), (all) => {
      const path = draw.of(all);
      const { record } = JSON.parse(bytes(r, path).toString());
      return { [path]: `${JSON.stringify({ record })}\n` };
    }),
  exchange: (r, draw) =>
    some(thoughtsAndSettings(r), (all) => {
      const [a, b] = [draw.of(all), draw.of(all)];
      return { [a]: bytes(r, b), [b]: bytes(r, a) };
    }),
  mode: (r, draw) =>
    some(files(r), (all) => {
      const path = draw.of(all);
      return { [path]: { executable: bytes(r, path) } };
    }),
  delete: (r, draw) => some(files(r), (all) => ({ [draw.of(all)]: null })),
  checkpoint: (r, draw) => ({ [checkpointPath(logOf(r, draw))]: null }),
  another_checkpoint: (r, draw) =>
    some(
      files(r).filter((path) => path.endsWith('/checkpoint')),
      (all) => ({
        [checkpointPath(logOf(r, draw))]: bytes(r, draw.of(all)),
      }),
    ),
  stray: (r, draw) => ({
    [draw.of([`ledger/${logOf(r, draw)}/x`, 'ledger/x', 'LEDGER/x', 'Keys.yaml', 'hooks/a\nb', 'trails/x', SETTINGS])]:
      'x',
  }),
  sign: (r, draw) => {
    const writer = draw.of([ownWriter(r.t.record, 'alice'), ownWriter(r.t.record, 'bob'), newWriter()]);
    const { log } = writer.tail;
    const thought = draw.of(Object.values(r.thoughts));
    const local = { agent_id: draw.of(['alice', 'bob', 'carol']), role: draw.of(['agent', 'operator'] as const) };
    const restored = { log: logOf(r, draw), size: draw.below(9), root: Buffer.alloc(32).toString('base64'), found: 0 };
    const verb = draw.of(['start', 'update', 'approve', 'accept', 'restored', 'init', 'enrol', 'revoke'] as const);
    const touched = { path: draw.of([thought, SETTINGS]), before: null, after: draw.of([null, Buffer.from('x')]) };
    const event = forge(writer, {
      verb,
      local: { ...local, ...(verb === 'restored' ? { restored } : {}) },
      files: draw.of([[], [touched]]),
    });
    return log === event.tail.log ? { [event.path]: event.line } : {};
  },
};

/** Commits it. Answers what was done, for a person to read. */
export function makeRandomManipulation(r: Subject, seed: number): readonly string[] {
  const draw = new Draw(seed);
  const names = Array.from({ length: 1 + draw.below(2) }, () => draw.of(Object.keys(STEPS)));
  return names.map((name) => {
    const files = STEPS[name]?.(r, draw) ?? {};
    if (Object.keys(files).length > 0) commit(r.root, files);
    return `${name}: ${Object.entries(files).map(([path, to]) => `${path}${to === null ? ' gone' : ''}`)}`;
  });
}

/** The same of any record; the steps that need its parts find them in it. */
export function makeManipulation(t: TestRecord, seed: number): readonly string[] {
  const names = new Set(listed(t.root, 'ledger').map((path) => path.split('/')[1] ?? ''));
  const logs = Object.fromEntries([...names].map((name) => [name, name]));
  const thoughts = Object.fromEntries(
    listed(t.root, 'trails').flatMap((path) => (path.endsWith('.md') ? [[path, path]] : [])),
  );
  return makeRandomManipulation({ t, root: t.root, logs, thoughts }, seed);
}

function some(all: readonly string[], make: (all: readonly string[]) => Files): Files {
  return all.length === 0 ? {} : make(all);
}

function none(paths: readonly string[]): Files {
  return Object.fromEntries(paths.map((path) => [path, null]));
}

function bytes(r: Subject, path: string): Buffer {
  return committed(r.root, path);
}

/** Regular files that are not empty. */
function files(r: Subject): readonly string[] {
  const out = execFileSync('git', ['ls-tree', '-r', '-l', '-z', 'main'], { cwd: r.root }).toString();
  return out.split('\0').flatMap((line) => /^100\d+ blob \S+ +[1-9]\d*\t(.*)$/s.exec(line)?.[1] ?? []);
}

function thoughtsAndSettings(r: Subject): readonly string[] {
  return files(r).filter((path) => !path.startsWith('ledger/'));
}

function events(r: Subject): readonly string[] {
  return files(r).filter((path) => path.startsWith('ledger/') && path.endsWith('.jsonl'));
}

function eventsOf(r: Subject, log: string): readonly string[] {
  return listed(r.root, `ledger/${log}`).filter((path) => path.endsWith('.jsonl'));
}

function logOf(r: Subject, draw: Draw): string {
  return draw.of(Object.values(r.logs));
}

function placeOf(r: Subject, draw: Draw): string {
  return eventPath(logOf(r, draw), draw.of([0, 1, 2, 3, 4, 5, 6, 7, 99]));
}

/** Another byte somewhere, a piece less, or other line ends. */
function changed(r: Subject, path: string, draw: Draw): Files {
  const before = bytes(r, path);
  const at = draw.below(before.length);
  const other = Buffer.from(before);
  other[at] = (before[at] ?? 0) ^ (1 << draw.below(7));
  const crlf = Buffer.from(before.toString('latin1').replaceAll('\n', '\r\n'), 'latin1');
  return { [path]: draw.of([other, before.subarray(0, at), crlf, Buffer.concat([Buffer.from('\ufeff'), before])]) };
}
