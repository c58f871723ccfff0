/**
 * What the review card does in its frame: speaks MCP Apps 2026-01-26 with the host (`ui/initialize`, `tools/call`), shows
 * the thought a `propose_truth` call was about beside what it would replace, and passes a click on as a tool call.
 *
 * Stored text reaches the page as text alone, with everything unseen made visible. The card holds no right: what it
 * sends is what the host's own client could send, and the server checks it as such.
 */
import { UNSEEN } from '../../record/reveal.ts';

export const CARD_SCRIPT = String.raw`
const UNSEEN = new RegExp(${JSON.stringify(UNSEEN.source)}, ${JSON.stringify(UNSEEN.flags)});
const host = window.parent;
const pending = new Map();
let lastId = 0;
let shown = null;

const post = (message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
const request = (method, params) =>
  new Promise((resolve, reject) => {
    const id = ++lastId;
    pending.set(id, { resolve, reject });
    post({ id, method, params });
  });
const tool = (name, args) => request('tools/call', { name, arguments: args });

const reveal = (text) =>
  String(text).replace(UNSEEN, (c) => '<U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0') + '>');
const at = (id) => document.getElementById(id);
const write = (id, text) => { at(id).textContent = reveal(text); };
const show = (id, isShown) => { at(id).hidden = !isShown; };

function difference(before, after) {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let head = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++;
  const [x, y] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  const lines = a.slice(0, head).map((text) => [' ', text]);
  // Beyond this the table would freeze the frame: the middle is shown as replaced whole.
  const isLarge = x.length * y.length > 250000;
  const table = Array.from({ length: isLarge ? 0 : x.length + 1 }, () => new Uint16Array(y.length + 1));
  for (let i = x.length - 1; i >= 0 && !isLarge; i--)
    for (let j = y.length - 1; j >= 0; j--)
      table[i][j] = x[i] === y[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
  let [i, j] = [0, 0];
  while (!isLarge && i < x.length && j < y.length)
    if (x[i] === y[j]) lines.push([' ', x[i++]]) && j++;
    else if (table[i + 1][j] >= table[i][j + 1]) lines.push(['-', x[i++]]);
    else lines.push(['+', y[j++]]);
  for (; i < x.length; i++) lines.push(['-', x[i]]);
  for (; j < y.length; j++) lines.push(['+', y[j]]);
  return [...lines, ...a.slice(a.length - tail).map((text) => [' ', text])];
}

function showDifference(old, text) {
  at('difference').replaceChildren(
    ...difference(old.content, text).map(([mark, line]) => {
      const element = document.createElement(mark === '+' ? 'ins' : mark === '-' ? 'del' : 'span');
      element.textContent = mark + ' ' + reveal(line) + '\n';
      return element;
    }),
  );
  write('replaces', 'Difference to ' + old.thought_id + ', which it would replace');
  show('change', true);
}

async function load(named) {
  if (shown !== null || typeof named?.thought_id !== 'string') return;
  shown = { trail_name: named.trail_name, thought_id: named.thought_id };
  const found = (await tool('get_thought', shown)).structuredContent?.thought;
  if (found === undefined) return write('said', 'The thought itself is not shown to you here.');
  const { thought_id, source_trail, agent_id, validation_status, content, claim, supersedes_id } = found;
  shown = { trail_name: source_trail, thought_id, claim };
  write('facts', thought_id + ' in ' + source_trail + ', by ' + agent_id + ', ' + validation_status);
  write('text', content);
  show('proposal', true);
  show('decide', ['draft', 'proposed'].includes(validation_status));
  if (supersedes_id === undefined) return;
  const old = { trail_name: found.supersedes_scope ?? source_trail, thought_id: supersedes_id };
  const before = (await tool('get_thought', old)).structuredContent?.thought;
  if (before === undefined) write('said', 'It would replace ' + supersedes_id + ', which is not shown to you.');
  else showDifference(before, content);
}

function showResult({ structuredContent: answer }) {
  if (answer === undefined) return;
  write('said', [answer.message, answer.next].filter(Boolean).join(' '));
  if (answer.status !== 'proposed') show('decide', answer.status === 'error');
  load({ trail_name: answer.thought?.source_trail, thought_id: answer.thought?.thought_id }).catch(fail);
}

function fail(error) {
  write('said', 'The host did not answer: ' + (error?.message ?? 'unknown'));
}

function adopt({ theme, styles } = {}) {
  if (theme === 'light' || theme === 'dark') document.documentElement.style.colorScheme = theme;
  for (const [name, value] of Object.entries(styles?.variables ?? {}))
    if (name.startsWith('--') && value) document.documentElement.style.setProperty(name, value);
}

const HEARD = {
  'ui/notifications/tool-input': ({ arguments: args }) => load(args).catch(fail),
  'ui/notifications/tool-result': showResult,
  'ui/notifications/tool-cancelled': () => write('said', 'The call was cancelled.'),
  'ui/notifications/host-context-changed': adopt,
};

window.addEventListener('message', ({ source, data }) => {
  if (source !== host || data?.jsonrpc !== '2.0') return;
  const asked = pending.get(data.id);
  if (asked !== undefined && data.method === undefined) {
    pending.delete(data.id);
    if (data.error === undefined) asked.resolve(data.result ?? {});
    else asked.reject(new Error(data.error.message));
  } else if (data.id !== undefined) {
    post({ id: data.id, result: {} });
  } else if (Object.hasOwn(HEARD, data.method)) HEARD[data.method](data.params ?? {});
});

at('approve').addEventListener('click', () => {
  write('exactly', 'Approve exactly this text, claim ' + String(shown.claim).slice(0, 12) + '? It is permanent.');
  show('confirm', true);
  at('yes').focus();
});
at('no').addEventListener('click', () => {
  show('confirm', false);
  at('approve').focus();
});
at('yes').addEventListener('click', async () => {
  show('confirm', false);
  write('said', 'Sent. Where your client can ask you, it asks once more.');
  await tool('propose_truth', { ...shown, approval: 'human' }).then(showResult, fail);
});

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  post({ method: 'ui/notifications/size-changed', params: { width: Math.ceil(width), height: Math.ceil(height) } });
}).observe(document.documentElement);

request('ui/initialize', {
  protocolVersion: '2026-01-26',
  appInfo: { name: 'waymark-review', version: '1' },
  appCapabilities: { availableDisplayModes: ['inline'] },
}).then(({ hostContext }) => {
  adopt(hostContext);
  post({ method: 'ui/notifications/initialized' });
}, fail);
`;
