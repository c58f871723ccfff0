/** Times as pages show them: UTC, to the minute, the exact one in the attribute. */
import { html } from 'hono/html';
import { microsOf } from '../../../record/time.ts';
import type { Html } from '../layout.ts';

/** @param time ISO 8601 or Unix milliseconds; text that is no time is shown as it is. */
export function renderTime(time: string | number): Html {
  const ms = millisOf(time);
  if (ms === null) return html`<span>${time}</span>`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC</time>`;
}

/** The day alone. */
export function renderDay(time: string | number): Html {
  const ms = millisOf(time);
  if (ms === null) return html`<span>${time}</span>`;
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}" title="${iso}">${iso.slice(0, 10)}</time>`;
}

/** Unix milliseconds, `null` for text that is no time. */
export function millisOf(time: string | number): number | null {
  if (typeof time === 'number') return time;
  const micros = microsOf(time);
  return micros === null ? null : Number(micros / 1000n);
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long between the two, in one unit: `12 days`, `1 hour`, `less than a minute`. Both Unix milliseconds. */
export function spanOf(from: number, to: number): string {
  const passed = Math.max(0, to - from);
  const unit = UNITS.find(([, ms]) => passed >= ms);
  if (unit === undefined) return 'less than a minute';
  const count = Math.floor(passed / unit[1]);
  return `${count} ${unit[0]}${count === 1 ? '' : 's'}`;
}
