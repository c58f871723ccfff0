/** Prompts: what a person picks in a client to begin a session, or to look at what waits for their decision. */
import {
  type GetPromptResult,
  type ListPromptsResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';
import type { Outcome } from '../../record/outcome.ts';
import type { Operations } from '../../trail/operations.ts';
import { review } from './review.ts';
import { startSession } from './start-session.ts';

const START: Prompt = {
  name: 'start-session',
  title: 'Start a session',
  description: 'What the record says to begin with in a scope, and how to work with it',
  arguments: [{ name: 'scope', description: 'Like "acme/api"; without it the scopes are listed', required: false }],
};
const REVIEW: Prompt = {
  name: 'review',
  title: 'Review a proposal',
  description: 'A proposal that waits for your decision, and what to look at',
  arguments: [{ name: 'id', description: 'Thought id, from waymark://queue', required: true }],
};

/** All there are, also those that not every caller is shown. */
export const PROMPTS: readonly Prompt[] = [START, REVIEW];

/** `review` is there for who may decide alone. */
export async function listPrompts(operations: Operations): Promise<ListPromptsResult> {
  return { prompts: (await decides(operations)) ? [...PROMPTS] : [START] };
}

export interface AskedPrompt {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, string>> | undefined;
}

export async function getPrompt(operations: Operations, asked: AskedPrompt): Promise<GetPromptResult> {
  const { name, arguments: given = {} } = asked;
  if (name === START.name) return message(START, await startSession(operations, given['scope']));
  if (name === REVIEW.name && (await decides(operations))) {
    return message(REVIEW, await review(operations, given['id'] ?? ''));
  }
  throw invalid('Unknown prompt: prompts/list names those there are');
}

async function decides(operations: Operations): Promise<boolean> {
  const may = await operations.mayDecide({});
  return may.ok && may.value.decides;
}

function message({ description }: Prompt, outcome: Outcome<string>): GetPromptResult {
  if (!outcome.ok) throw invalid(`${outcome.message}: ${outcome.next}`);
  const { value: text } = outcome;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

function invalid(text: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, text);
}
