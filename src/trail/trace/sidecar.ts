/** What an answer says of a record's sidecar, which anybody may have written (atrib.md 2 and 3.1). */
import { isJsonObject } from '../../record/json-object.ts';
import type { JsonObject } from '../../record/thought.ts';
import { shownJson, shownLine } from './shown-text.ts';
import type { SidecarSummary } from './types.ts';

const TEXT = 200;
const TOPICS = 6;
/** Of one record, in characters of JSON. */
const MAX_CONTENT = 64 * 1024;

const SPAN_MEMBERS = ['span_kind', 'span_name', 'model_name', 'prompt_version', 'prompt', 'input', 'output'] as const;
/** Of an event of Waymark; the nonce, and every digest under it, would let a reader guess at withheld text. */
const EVENT_MEMBERS = [
  ...['verb', 'agent_id', 'role', 'via', 'scope', 'thought_id', 'status', 'reason', 'author'],
  ...['self', 'kind', 'attested', 'protection', 'enrolment', 'denial'],
] as const;

/** `undefined` when the sidecar says none of it. */
export function summaryOf(local: JsonObject | null): SidecarSummary | undefined {
  if (local === null) return undefined;
  const content = members(contentOf(local));
  const line = (value: unknown, ellipsis?: string) =>
    typeof value === 'string'
      ? shownLine(value, { limit: TEXT, ...(ellipsis === undefined ? {} : { ellipsis }) })
      : undefined;
  const topics = Array.isArray(content['topics'])
    ? content['topics'].filter((topic) => typeof topic === 'string').slice(0, TOPICS)
    : [];
  const what = ['what', 'new_position', 'summary', 'prompt', 'output'].map((name) => content[name]);
  const summary = {
    tool_name: line(content['tool_name']),
    span_kind: line(content['span_kind']),
    span_name: line(content['span_name']),
    model_name: line(content['model_name']),
    prompt_version: line(content['prompt_version']),
    topics: topics.length === 0 ? undefined : topics.map((topic) => line(topic)),
    intent: line(content['intent'], '...'),
    rationale: line(content['rationale'], '...'),
    what: line(what.find((text) => typeof text === 'string')),
    importance: line(content['importance']),
    producer: line(local['producer']),
    verb: line(local['verb']),
    agent_id: line(local['agent_id']),
    attested: isJsonObject(local['attested']) ? line(local['attested']['agent_id']) : undefined,
    reason: line(local['reason']),
  };
  const said = Object.fromEntries(Object.entries(summary).filter(([, value]) => value !== undefined));
  return Object.keys(said).length === 0 ? undefined : said;
}

export interface ShownContent {
  readonly local_content?: unknown;
  readonly content_truncated?: true;
  readonly local_producer?: string;
}

export function shownContent(local: JsonObject | null): ShownContent {
  if (local === null) return {};
  const producer = local['producer'];
  return {
    ...bounded(contentOf(local)),
    ...(typeof producer === 'string' ? { local_producer: shownLine(producer, { limit: TEXT }) } : {}),
  };
}

function bounded(content: unknown): ShownContent {
  if (content === undefined) return {};
  const shown = shownJson(content);
  const text = JSON.stringify(shown);
  if (text.length <= MAX_CONTENT) return { local_content: shown };
  return { local_content: text.slice(0, MAX_CONTENT).toWellFormed(), content_truncated: true };
}

/** The content as it is stated, else what older writers and our own put in its place. */
function contentOf(local: JsonObject): unknown {
  if (local['content'] !== undefined) return local['content'];
  if (typeof local['toolName'] === 'string') {
    const { toolName, args, result } = local;
    return {
      tool_name: toolName,
      ...(args === undefined ? {} : { args }),
      ...(result === undefined ? {} : { result }),
    };
  }
  if (typeof local['verb'] === 'string') return { ...pick(local, EVENT_MEMBERS), ...filesOf(local) };
  const span = pick(local, SPAN_MEMBERS);
  return Object.keys(span).length === 0 ? undefined : span;
}

function filesOf({ files }: JsonObject): object {
  if (!Array.isArray(files)) return {};
  return { files: files.map((file) => pick(members(file), ['path', 'thought_id', 'status'])) };
}

function pick(from: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {};
}
