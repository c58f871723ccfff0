/** The form above a list of thoughts. Works by itself; a script sends it while somebody types. */
import type { Context } from 'hono';
import { html } from 'hono/html';
import { NAMESPACES, SOURCE_TYPES, STATUSES } from '../../../record/thought.ts';
import type { HttpEnv } from '../../caller.ts';
import type { Html } from '../layout.ts';
import { keptFields } from '../parts/page-links.ts';
import { statusLabel } from '../parts/status-badge.ts';
import { sourceLabel } from '../parts/thought-list.ts';
import type { ListQuery } from './list-query.ts';

export interface FiltersOptions {
  readonly action: string;
  readonly query: ListQuery;
  /** What belongs to this page alone. */
  readonly own: Html;
}

type Choice = readonly [value: string, label: string];

export function filters(c: Context<HttpEnv>, { action, query, own }: FiltersOptions): Html {
  const { role } = c.var.caller.principal;
  const views: readonly Choice[] = [
    ['', 'In the record'],
    ['authoring', 'My own, not approved'],
    ...(role === 'operator' ? [['history', 'Everything there is'] as const] : []),
  ];
  const takesStatus = query.view === 'authoring' || query.view === 'history';
  return html`<form class="filters" method="get" action="${action}" data-live role="search" aria-label="These thoughts">
<div class="wide"><label for="q">Words</label><input id="q" name="q" type="search" value="${query.q ?? ''}" maxlength="1000" autocomplete="off"></div>
${own}
${choice('view', 'Show', { choices: views, chosen: query.view })}
${
  takesStatus
    ? choice('status', 'Status', {
        choices: [['', 'Any'], ...STATUSES.map((status) => [status, statusLabel(status)] as const)],
        chosen: query.status,
      })
    : ''
}
${choice('source', 'Kind', { choices: [['', 'Any'], ...SOURCE_TYPES.map((type) => [type, sourceLabel(type)] as const)], chosen: query.source })}
${choice('namespace', 'Folder', { choices: [['', 'Any'], ...NAMESPACES.map((name) => [name, name] as const)], chosen: query.namespace })}
${field('author', 'Author', query.author)}
${field('tag', 'Tag', query.tag)}
${field('project', 'Project', query.project)}
${choice('order', 'Order', {
  choices: [
    ['', 'Best'],
    ['newest', 'Newest'],
    ['relevance', 'Relevance'],
  ],
  chosen: query.order,
})}
${keptFields(c)}
<div><button type="submit">Apply</button></div>
</form>
<p id="said" class="visually-hidden" aria-live="polite"></p>`;
}

function choice(
  name: string,
  label: string,
  { choices, chosen }: { readonly choices: readonly Choice[]; readonly chosen: string | undefined },
): Html {
  const options = choices.map(
    ([value, text]) =>
      html`<option value="${value}"${value === (chosen ?? '') ? html` selected` : ''}>${text}</option>`,
  );
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">${options}</select></div>\n`;
}

function field(name: string, label: string, value: string | undefined): Html {
  return html`<div><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value ?? ''}" size="12" maxlength="255" autocomplete="off"></div>\n`;
}
