/**
 * A trace as a nested list: the same facts as its picture, for who does not see it. A record stands below the first that led
 * to it, and wherever else it belongs a link to that place.
 */
import type { Context } from 'hono';
import { html } from 'hono/html';
import type { Hash } from '../../../ledger/types.ts';
import { groupBy } from '../../../record/group-by.ts';
import { revealLine } from '../../../record/reveal.ts';
import type { DanglingDetail, VisitedRecord } from '../../../trail/trace/types.ts';
import { aboveOf, type TraceEdge, type TraceView } from '../../../trail/trace/view.ts';
import { absenceOf, linkWords, markOf, shortHash, whatOf, whoOf } from '../../../trail/trace/words.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { linkTo, thoughtPath } from '../parts/page-links.ts';
import { renderTime } from '../parts/time.ts';
import { retiredWord, standingOf } from './standing.ts';
import { tracePathOf } from './trace-query.ts';

/** The place of a record in the list. */
export function listId(hash: Hash): string {
  return `list-${hash.slice('sha256:'.length)}`;
}

export function traceList(c: Context<HttpEnv>, view: TraceView): Html {
  return new Listing(c, view).whole();
}

class Listing {
  readonly #c: Context<HttpEnv>;
  readonly #view: TraceView;
  readonly #above: ReadonlyMap<Hash, Hash>;
  readonly #below: ReadonlyMap<Hash, readonly Hash[]>;
  readonly #between: ReadonlyMap<string, readonly TraceEdge[]>;
  readonly #named = new Set<Hash>();

  constructor(c: Context<HttpEnv>, view: TraceView) {
    this.#c = c;
    this.#view = view;
    this.#above = aboveOf(view);
    this.#below = groupBy(this.#above.keys(), (hash) => this.#above.get(hash) ?? hash);
    this.#between = groupBy(view.edges, ({ from, to }) => `${from} ${to}`);
  }

  /** Below the start, or what hangs on earlier pages; what no shown record names comes last. */
  whole(): Html {
    const { records, absent } = this.#view;
    const roots = [...records.values()].filter(({ record_hash }) => !this.#above.has(record_hash));
    const items = roots.map((root) => this.#item(root, ''));
    const left = [...absent.values()].filter(({ record_hash }) => !this.#named.has(record_hash));
    return html`<ol class="trace">${items}${left.map((detail) => this.#absence(detail, ''))}</ol>`;
  }

  #item(record: VisitedRecord, words: string): Html {
    const { record_hash: hash, thought } = record;
    const retired = retiredWord(record);
    const label = html`<span class="what">${whatOf(record)}</span>`;
    const trace = html`<a href="${linkTo(this.#c, tracePathOf({ record: hash }))}">trace from here<span class="visually-hidden">: ${shortHash(hash)}</span></a>`;
    const isStart = hash === this.#view.result.start_hash;
    return html`<li id="${listId(hash)}" data-state="${standingOf(record)}">${wordsOf(words)}${
      thought === undefined ? label : html`<a href="${linkTo(this.#c, thoughtPath(thought.thought_id))}">${label}</a>`
    }${isStart ? html` <span class="badge">this one</span>` : ''}${retired === null ? '' : html` <span class="badge" data-status="superseded">${retired}</span>`}
<span class="byline"><span>${whoOf(record)}</span> ${renderTime(record.timestamp)} <span class="proof">${markOf(record)}</span> <code>${shortHash(hash)}</code> ${trace}</span>
${this.#children(record)}</li>\n`;
  }

  #children(record: VisitedRecord): Html {
    const { record_hash: hash, next_informed_by: next, next_total: total = next.length } = record;
    const led = this.#view.result.direction === 'both' ? this.#above.get(hash) : undefined;
    const { records, absent } = this.#view;
    const all = [...new Set([...next, ...(this.#below.get(hash) ?? [])])].filter((each) => each !== led);
    const shown = all.filter((each) => records.has(each) || absent.has(each));
    const more = total - shown.length - (led !== undefined && next.includes(led) ? 1 : 0);
    if (shown.length === 0 && more <= 0) return html``;
    const rest =
      more > 0 ? html`<li class="soft">and ${more} more that ${more === 1 ? 'is' : 'are'} not on this page</li>` : '';
    return html`<ol>${shown.map((each) => this.#child(hash, each))}${rest}</ol>`;
  }

  #child(from: Hash, to: Hash): Html {
    const { direction } = this.#view.result;
    const edges = [`${from} ${to}`, `${to} ${from}`].flatMap((ends) => this.#between.get(ends) ?? []);
    const words = linkWords({ from, to, direction }, edges);
    const lost = this.#view.absent.get(to);
    if (lost !== undefined) return this.#absence(lost, words);
    const record = this.#view.records.get(to);
    if (record === undefined) return html``;
    if (this.#above.get(to) === from) return this.#item(record, words);
    return html`<li>${wordsOf(words)}<a href="#${listId(to)}">${whatOf(record)}</a> <code>${shortHash(to)}</code>, which stands elsewhere in this list</li>\n`;
  }

  #absence(detail: DanglingDetail, words: string): Html {
    const { record_hash: hash } = detail;
    // One record has one place; several may name what is not here.
    const id = this.#named.has(hash) ? '' : html` id="${listId(hash)}"`;
    this.#named.add(hash);
    return html`<li${id} data-state="absent">${wordsOf(words)}<span class="what">${absenceOf(detail)}</span> <code>${revealLine(hash)}</code></li>\n`;
  }
}

function wordsOf(words: string): Html {
  return words === '' ? html`` : html`<span class="soft">${words}</span> `;
}
