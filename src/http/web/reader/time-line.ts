/** Both clocks of a thought: when the record knew it, and when it is true in the world. A list, and a picture of it. */
import { html } from 'hono/html';
import type { Html } from '../layout.ts';
import { millisOf, renderTime } from '../parts/time.ts';

export interface Moment {
  readonly label: string;
  /** ISO 8601 or Unix milliseconds. */
  readonly at: string | number;
}

export interface Clocks {
  /** What happened in the record, oldest first; the last is where it ends, if it does. */
  readonly record: readonly Moment[];
  readonly valid_from?: string | undefined;
  readonly valid_to?: string | undefined;
  readonly review_by?: string | undefined;
  /** Unix milliseconds. */
  readonly now: number;
}

const WIDTH = 336;
const LEFT = 8;
const RIGHT = 320;
const ROW = { record: 30, world: 76 } as const;

export function timeLine(clocks: Clocks): Html {
  const { record, valid_from, valid_to, review_by } = clocks;
  const world: readonly Moment[] = [
    ...(valid_from === undefined ? [] : [{ label: 'True from', at: valid_from }]),
    ...(review_by === undefined ? [] : [{ label: 'To be reviewed by', at: review_by }]),
    ...(valid_to === undefined ? [] : [{ label: 'True until', at: valid_to }]),
  ];
  return html`${picture(clocks, world)}
<dl class="facts">${[...record, ...world].map(
    ({ label, at }) => html`<dt>${label}</dt><dd>${renderTime(at)}</dd>\n`,
  )}${world.length === 0 ? html`<dt>True in the world</dt><dd class="soft">No dates were given</dd>` : ''}</dl>`;
}

/** For the eye alone: the list says all of it. */
function picture({ record, valid_from, valid_to, review_by, now }: Clocks, world: readonly Moment[]): Html {
  const times = [...record, ...world].flatMap(({ at }) => millisOf(at) ?? []);
  const [first, last] = [Math.min(...times, now), Math.max(...times, now)];
  const x = (ms: number) => Math.round(LEFT + ((ms - first) / Math.max(1, last - first)) * (RIGHT - LEFT));
  const at = (time: string | undefined) => (time === undefined ? null : millisOf(time));
  const from = x(at(valid_from) ?? first);
  const to = x(at(valid_to) ?? last);
  const review = at(review_by);
  const dots = record.flatMap(({ at: time }) => millisOf(time) ?? []);
  return html`<svg class="timeline" viewBox="0 0 ${WIDTH} 110" aria-hidden="true" focusable="false">
<text x="0" y="${ROW.record - 14}">In the record</text><text x="0" y="${ROW.world - 14}">In the world</text>
<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${ROW.record}" y2="${ROW.record}"/>
<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${ROW.world}" y2="${ROW.world}"/>
<line class="axis now" x1="${x(now)}" x2="${x(now)}" y1="${ROW.record - 8}" y2="${ROW.world + 12}"/><text x="${x(now)}" y="${ROW.world + 26}" text-anchor="middle">now</text>
${dots.map((ms) => html`<circle class="dot" cx="${x(ms)}" cy="${ROW.record}" r="5"/>`)}
${world.length === 0 || to < from ? '' : html`<line class="span" x1="${from}" x2="${to}" y1="${ROW.world}" y2="${ROW.world}"/>`}
${review === null ? '' : html`<circle class="open" cx="${x(review)}" cy="${ROW.world}" r="5"/>`}
</svg>`;
}
