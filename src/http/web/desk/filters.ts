/** What narrows the queue, as GET parameters, so that a view of it has an address. */
import { html } from 'hono/html';
import { CARES, type CareName } from '../../../trail/care.ts';
import type { QueueInput } from '../../../trail/queue.ts';
import { DAY_MS } from '../../../trail/waiting.ts';
import type { Html } from '../layout.ts';
import { addressOf } from '../parts/page-links.ts';
import { type Choice, select } from '../parts/select.ts';
import type { DeskContext } from './viewer.ts';

export interface Filters {
  readonly scope: string;
  readonly author: string;
  readonly care: CareName | '';
  /** Days. */
  readonly waiting: string;
  readonly advice: 'approve' | 'reject' | '';
}

const CARE_LABELS: Readonly<Record<CareName, string>> = {
  replaces: 'replaces something',
  near_tombstone: 'near a rejected value',
  contradicts: 'contradicts a neighbour',
  large: 'long',
  author_rejected: 'author often rejected',
};

const AGES: readonly Choice[] = [
  ['', 'any time'],
  ['1', 'a day'],
  ['7', 'a week'],
  ['30', 'a month'],
];
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
    waiting: AGES.some(([days]) => days === waiting) ? waiting : '',
    advice: advice === 'approve' || advice === 'reject' ? advice : '',
  };
}

/** A filter by reasons for care or by advice reads each proposal: a flood of them must not hold the server up. */
export const LOOKED = 300;

/** @param now Unix milliseconds. */
export function queueInputOf({ scope, author, care, waiting, advice }: Filters, now: number): QueueInput {
  return {
    ...(scope === '' ? {} : { scope }),
    ...(author === '' ? {} : { author }),
    ...(care === '' ? {} : { care }),
    ...(waiting === '' ? {} : { before: now - Number(waiting) * DAY_MS }),
    ...(advice === '' ? {} : { advice }),
    looked: LOOKED,
  };
}

export function isFiltered(filters: Filters): boolean {
  return Object.values(filters).some((value) => value !== '');
}

/** The path with the filters in force, and with `more`. */
export function withFilters(path: string, filters: Filters, more: Readonly<Record<string, string>> = {}): string {
  return addressOf(path, { ...filters, ...more });
}

export function filterForm(filters: Filters, action: string): Html {
  const { scope, author, care, waiting, advice } = filters;
  const cares: readonly Choice[] = [['', 'any'], ...CARES.map((name) => [name, CARE_LABELS[name]] as const)];
  const advices = [
    ['', 'anything'],
    ['approve', 'approve'],
    ['reject', 'reject'],
  ] as const;
  return html`<form class="filters" method="get" action="${action}" aria-label="Filter the queue">
<div><label for="scope">Scope</label><input id="scope" name="scope" value="${scope}" maxlength="255" placeholder="team/**"></div>
<div><label for="author">Author</label><input id="author" name="author" value="${author}" maxlength="64"></div>
<div><label for="care">Reason for care</label>${select('care', { choices: cares, chosen: care })}</div>
<div><label for="waiting">Waiting longer than</label>${select('waiting', { choices: AGES, chosen: waiting })}</div>
<div><label for="advice">A model says</label>${select('advice', { choices: advices, chosen: advice })}</div>
<button type="submit">Show</button></form>`;
}
