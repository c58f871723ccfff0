/**
 * A trace as a tree for people, a line a record. A record stands where the walk met it first, below the one that led
 * there; wherever else it belongs its name alone stands.
 */
import type { Hash } from '../../ledger/types.ts';
import { groupBy } from '../../record/group-by.ts';
import type { Direction, VisitedRecord } from '../../trail/trace/types.ts';
import { aboveOf, type TraceEdge, type TraceView } from '../../trail/trace/view.ts';
import { absenceOf, linkWords } from '../../trail/trace/words.ts';
import { terminalText } from '../terminal-text.ts';
import { closingLines } from './closing.ts';
import { type Columns, columnsOf, contentLines, nameOf, recordLine } from './record-line.ts';

export function treeLines(view: TraceView): readonly string[] {
  const drawn = new Drawing(view).lines();
  return [...(drawn.length === 0 ? [] : [...headingOf(view), ...drawn, '']), ...closingLines(view)];
}

/** What the indent means; a line says it only where it is something else. */
function headingOf({ result, follow }: TraceView): readonly string[] {
  const isAlways = result.direction !== 'both' && follow.every((kind) => kind === 'informed_by');
  const usual = USUAL[result.direction];
  return [
    `Each record ${usual === 'informed' ? usual : `is ${usual}`} those below it${isAlways ? '' : ', unless a line says otherwise'}`,
    '',
  ];
}

const USUAL: Readonly<Record<Direction, string>> = {
  backward: 'informed by',
  forward: 'informed',
  both: 'informed by',
};

interface Branch {
  /** What stands left of the record itself, and of what is below it. */
  readonly stem: string;
  readonly below: string;
  readonly label: string;
}

const ROOT: Branch = { stem: '', below: '', label: '' };

class Drawing {
  readonly #view: TraceView;
  readonly #columns: Columns;
  readonly #edgesBetween: ReadonlyMap<string, readonly TraceEdge[]>;
  /** The record below which another stands. It came before in the walk, so that there is no way round. */
  readonly #above: ReadonlyMap<Hash, Hash>;
  readonly #below: ReadonlyMap<Hash, readonly Hash[]>;
  readonly #drawn = new Set<Hash>();

  constructor(view: TraceView) {
    this.#view = view;
    this.#columns = columnsOf([...view.records.values()]);
    this.#edgesBetween = groupBy(view.edges, ({ from, to }) => `${from} ${to}`);
    this.#above = aboveOf(view);
    this.#below = groupBy(this.#above.keys(), (hash) => this.#above.get(hash) ?? hash);
  }

  /** Roots are the start, and on a later page whatever hangs on an earlier one. */
  lines(): readonly string[] {
    const roots = [...this.#view.records.values()].filter(({ record_hash }) => !this.#above.has(record_hash));
    return roots.flatMap((root) => this.#record(root, ROOT));
  }

  #record(record: VisitedRecord, branch: Branch): readonly string[] {
    this.#drawn.add(record.record_hash);
    const line = recordLine(record, { columns: this.#columns, lead: branch.stem + branch.label });
    const below = this.#belowOf(record);
    const guide = branch.below + (below.length === 0 ? '   ' : '│  ');
    return [
      line,
      ...contentLines(record).map((text) => guide + text),
      ...below.flatMap((next, at) =>
        this.#branch(record, { next, isLast: at === below.length - 1, indent: branch.below }),
      ),
    ];
  }

  #branch({ record_hash }: VisitedRecord, { next, isLast, indent }: BranchPlace): readonly string[] {
    const stem = indent + (isLast ? '└─ ' : '├─ ');
    if (typeof next === 'number')
      return [`${stem}… ${next} ${this.#isFirstPage() ? 'more' : 'more, or on an earlier page'}`];
    const label = this.#labelOf(record_hash, next);
    const lost = this.#view.absent.get(next);
    if (lost !== undefined) return [`${stem}${label}${absenceOf(lost)}: ${terminalText(next)}`];
    const record = this.#view.records.get(next);
    if (record === undefined) return [];
    if (this.#above.get(next) === record_hash) {
      return this.#record(record, { stem, label, below: indent + (isLast ? '   ' : '│  ') });
    }
    const place = this.#drawn.has(next) ? 'above' : 'below';
    return [`${stem}${label}${nameOf(record, { lead: stem + label })}, see ${place}`];
  }

  /** In the order of the walk, and at the end how many were not reached. */
  #belowOf({ record_hash, next_informed_by: next, next_total: total = next.length }: VisitedRecord) {
    const { records, absent, result } = this.#view;
    // Both ways, the one that led here is next again, by the link that is drawn already.
    const drawn = result.direction === 'both' ? this.#above.get(record_hash) : undefined;
    // A list that was cut still leads to what the walk reached.
    const all = [...new Set([...next, ...(this.#below.get(record_hash) ?? [])])].filter((hash) => hash !== drawn);
    const shown = all.filter((hash) => records.has(hash) || absent.has(hash));
    const more = total - shown.length - (drawn !== undefined && next.includes(drawn) ? 1 : 0);
    return more > 0 ? [...shown, more] : shown;
  }

  #isFirstPage(): boolean {
    return this.#view.records.has(this.#view.result.start_hash);
  }

  #labelOf(from: Hash, to: Hash): string {
    const { direction } = this.#view.result;
    const edges = [`${from} ${to}`, `${to} ${from}`].flatMap((ends) => this.#edgesBetween.get(ends) ?? []);
    const words = linkWords({ from, to, direction }, edges);
    return words === USUAL[direction] ? '' : `${words}: `;
  }
}

interface BranchPlace {
  /** A record, or how many more there are. */
  readonly next: Hash | number;
  readonly isLast: boolean;
  readonly indent: string;
}
