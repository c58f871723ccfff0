/** A choice of one of several values. */
import { html } from 'hono/html';
import type { Html } from '../layout.ts';

export type Choice = readonly [value: string, label: string];

export interface SelectOptions {
  readonly choices: readonly Choice[];
  readonly chosen: string | undefined;
}

/** @param name Also its id. */
export function select(name: string, { choices, chosen = '' }: SelectOptions): Html {
  return html`<select id="${name}" name="${name}">${choices.map(
    ([value, label]) => html`<option value="${value}"${value === chosen ? html` selected` : ''}>${label}</option>`,
  )}</select>`;
}
