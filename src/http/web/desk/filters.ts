/** What narrows the queue, as GET parameters, so that a view of it has an address. */
import { html } from 'hono/html';
import { CARES, type CareName } from '../../../trail/care.ts';
import type { QueueInput } from '../../../trail/queue.ts';
import { DAY_MS } from '../../../trail/waiting.ts';
import type { Html } from '../layout.ts';
import type { DeskContext } from './viewer.ts';

export interface Filters {
  readonly scope: string;
  readonly author: string;
  readonly care: CareName | '';
  /** Days. */
  readonly waiting: string;
  readonly advice: 'approve' | 'reject' | '';
}

export const CARE_LABELS: Readonly<Record<CareName, string>> = {
  replaces: 'replaces something',
  near_tombstone: 'near a rejected value',
  contradicts: 'contradicts a neighbour',
  large: 'long',
  author_rejected: 'author often rejected',
};

const AGES: Readonly<Record<string, string>> = { '': 'any time', 1: 'a day', 7: 'a week', 30: 'a month' };
const MAX_WORD = 255;

/** Values that are none of a list count as absent. */
export function filtersOf(c: DeskContext): Filters {
  const text = (name: string) => (c.req.query(name) ?? '').trim().slice(0, MAX_WORD);
  const waiting = text('waiting');
  const advice = text('advice');
  return {
    scope: text('scope'),
    author: text('author'),
    care: CARES.find((name) => name === text('care')) ?? '',
    waiting: Object.hasOwn(AGES, waiting) ? waiting : '',
    advice: advice === 'approve' || advice === 'reject' ? advice : '',
  };
}

/** @param now Unix milliseconds. */
export function queueInputOf({ scope, author, care, waiting, advice }: Filters, now: number): QueueInput {
  return {
    ...(scope === '' ? {} : { scope }),
    ...(author === '' ? {} : { author }),
    ...(care === '' ? {} : { care }),
    ...(waiting === '' ? {} : { before: now - Number(waiting) * DAY_MS }),
    ...(advice === '' ? {} : { advice }),
  };
}

export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== '');
}

/** The path with the filters in force, and with `more`. */
export function withFilters(path: string, filters: Filters, more: Readonly<Record<string, string>> = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...filters, ...more })) if (value !== '') params.set(name, value);
  const query = params.toString();
  return query === '' ? path : `${path}?${query}`;
}

export function filterForm(filters: Filters, action: string): Html {
  const { scope, author, care, waiting, advice } = filters;
  const careOptions = { '': 'any', ...CARE_LABELS };
  const adviceOptions = { '': 'anything or nothing', approve: 'approve', reject: 'reject' };
  return html`<form class="filters" method="get" action="${action}" aria-label="Filter the queue">
<div class="wide"><label for="scope">Scope</label>
<input id="scope" name="scope" value="${scope}" maxlength="255" placeholder="a scope, or team/**"></div>
<div><label for="author">Author</label><input id="author" name="author" value="${author}" maxlength="64"></div>
<div><label for="care">Reason for care</label>${select('care', { options: careOptions, chosen: care })}</div>
<div><label for="waiting">Waiting longer than</label>${select('waiting', { options: AGES, chosen: waiting })}</div>
<div><label for="advice">A model says</label>${select('advice', { options: adviceOptions, chosen: advice })}</div>
<button type="submit">Show</button></form>`;
}

/** @param name Also its id. */
export function select(
  name: string,
  { options, chosen }: { readonly options: Readonly<Record<string, string>>; readonly chosen: string },
): Html {
  return html`<select id="${name}" name="${name}">
${Object.entries(options)
  .sort(([a], [b]) => Number(b === '') - Number(a === ''))
  .map(([value, label]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`)}
</select>`;
}
