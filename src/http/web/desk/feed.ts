/** An Atom feed (RFC 4287) of what waits: ids, scopes and times, never a text. */
import type { QueueEntry } from '../../../trail/queue.ts';
import { queue } from '../../../trail/queue.ts';
import { spanOf } from '../parts/time.ts';
import type { WebOptions } from '../web.ts';
import { deskPath } from './entry.ts';
import { agentsPage, type DeskContext, deciderOf } from './viewer.ts';

const ENTRIES = 100;
const TYPE = 'application/atom+xml; charset=utf-8';

export async function feed(c: DeskContext, options: WebOptions): Promise<Response> {
  const context = await deciderOf(c);
  if (context === null) return agentsPage(c);
  const found = await queue(context, { limit: ENTRIES, newest: true });
  if (!found.ok) return c.json({ status: 'error', code: found.code, message: found.message, next: found.next }, 503);
  const { entries, total } = found.value;
  const { origin } = new URL(options.endpoint);
  const self = `${origin}/desk/feed.atom`;
  // Of an empty queue nothing has a time; one that never changes makes no reader look again.
  const updated = entries[0]?.proposed_at ?? '1970-01-01T00:00:00.000Z';
  const lines = [
    '<?xml version="1.0" encoding="utf-8"?>',
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    `<id>${escaped(self)}</id>`,
    '<title>Waymark: what waits for a decision</title>',
    `<subtitle>${total} ${total === 1 ? 'proposal waits' : 'proposals wait'}</subtitle>`,
    `<updated>${updated}</updated>`,
    '<author><name>Waymark</name></author>',
    `<link rel="self" type="application/atom+xml" href="${escaped(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${escaped(`${origin}/desk`)}"/>`,
    ...entries.map((entry) => entryLines(entry, { origin, now: options.now() })),
    '</feed>',
    '',
  ];
  c.header('Content-Type', TYPE);
  return c.body(lines.join('\n'));
}

function entryLines(
  { thought_id, source_trail, proposed_at }: QueueEntry,
  { origin, now }: { readonly origin: string; readonly now: number },
): string {
  const age = spanOf(Date.parse(proposed_at), now);
  return [
    '<entry>',
    `<id>${uuidOf(thought_id)}</id>`,
    `<title>${escaped(`${source_trail}: ${thought_id}`)}</title>`,
    `<updated>${proposed_at}</updated>`,
    `<link rel="alternate" type="text/html" href="${escaped(`${origin}${deskPath(thought_id)}`)}"/>`,
    `<category term="${escaped(source_trail)}"/>`,
    `<summary>Waits for ${age}</summary>`,
    '</entry>',
  ].join('\n');
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID has the 128 bits of a UUID, whose URN (RFC 4122) stays the same under every address of the server. */
function uuidOf(ulid: string): string {
  let bits = 0n;
  for (const character of ulid) bits = bits * 32n + BigInt(CROCKFORD.indexOf(character));
  const hex = BigInt.asUintN(128, bits).toString(16).padStart(32, '0');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
