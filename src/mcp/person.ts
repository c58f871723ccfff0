/**
 * The person at the client: whether one can be asked, and what came back.
 *
 * A question leaves as an input-required result (revision 2026-07-28, basic/patterns/mrtr); towards clients of 2025 the
 * SDK sends it as `elicitation/create` and calls again with the reply. Either way the client carries what was asked, so
 * it is sealed with a key of this process: a reply counts for the claim that was shown and for no other.
 */
import { randomBytes } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { LIMITS } from '../record/limits.ts';
import { GROUNDS } from '../record/thought.ts';
import type { PersonAnswer } from '../trail/types.ts';
import type { Question } from './question.ts';

/** Key of the one request in a question. */
const DECISION = 'decision';
/** A person may be at lunch; what was shown is compared again whenever the reply comes. */
const REPLY_WITHIN_SECONDS = 24 * 60 * 60;

const askedSchema = z.strictObject({ trail_name: z.string(), thought_id: z.string(), claim: z.string() });
/** What a question was about. */
export type Asked = z.output<typeof askedSchema>;

const answerSchema = z.looseObject({
  decision: z.enum(['approve', 'reject', 'request_changes']),
  reason: z.string().max(LIMITS.reasonBytes).optional(),
  // What was left open is left out, or empty.
  grounds: z.union([z.enum(GROUNDS), z.literal('').transform(() => undefined)]).optional(),
});

/** The form: flat, without a default, so that a key pressed too early approves nothing. */
const FORM = {
  type: 'object' as const,
  properties: {
    decision: { type: 'string' as const, title: 'Decision', enum: [...answerSchema.shape.decision.options] },
    reason: {
      type: 'string' as const,
      title: 'Reason',
      description: 'Needed to reject or to ask for changes; the author reads it',
      maxLength: LIMITS.reasonBytes,
    },
    grounds: {
      type: 'string' as const,
      title: 'Grounds of a rejection',
      description: '"false" and "harmful" keep the value out from now on',
      enum: [...GROUNDS],
    },
  },
  required: ['decision'],
};

/** A person's reply. `unreadable`: the client sent something else than the form asks for. */
export type Reply =
  | { readonly kind: 'answered'; readonly asked: Asked; readonly answer: PersonAnswer }
  | { readonly kind: 'declined' | 'unreadable'; readonly asked: Asked };

export interface Person {
  readonly canBeAsked: boolean;
  /** `null` when the request brings none. */
  readonly reply: Reply | null;
}

/** For all servers of one process: over HTTP each request has its own. */
export interface People {
  /** Refuses what this process did not seal; for the SDK, which asks before the call. */
  readonly verify: (state: string, ctx: ServerContext) => Promise<Asked>;
  /** @param initialized Capabilities of the `initialize` request; a request of 2026 states its own. */
  at(ctx: ServerContext, initialized: unknown): Person;
  ask(question: Question, ctx: ServerContext): Promise<InputRequiredResult>;
}

export function createPeople(): People {
  const codec = createRequestStateCodec<Asked>({
    key: randomBytes(32),
    ttlSeconds: REPLY_WITHIN_SECONDS,
    // What one caller was asked no other can answer.
    bind: (ctx) => ctx.http?.authInfo?.clientId ?? '',
  });
  return {
    verify: codec.verify,
    at: (ctx, initialized) => ({
      canBeAsked: showsForms(statedBy(ctx) ?? initialized),
      reply: replyIn(ctx),
    }),
    ask: async ({ asked, message }, ctx) =>
      inputRequired({
        inputRequests: { [DECISION]: inputRequired.elicit({ message, requestedSchema: FORM }) },
        requestState: await codec.mint(asked, ctx),
      }),
  };
}

const envelopeSchema = z.looseObject({ [CLIENT_CAPABILITIES_META_KEY]: z.unknown() });

/** Capabilities that the request itself states, as those of 2026 do. */
export function statedBy({ mcpReq }: ServerContext): unknown {
  return envelopeSchema.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY];
}

const capabilitiesSchema = z.looseObject({
  elicitation: z.looseObject({ form: z.unknown().optional(), url: z.unknown().optional() }),
});

/** An empty `elicitation` is from before there were modes, and means forms. */
function showsForms(capabilities: unknown): boolean {
  const parsed = capabilitiesSchema.safeParse(capabilities);
  if (!parsed.success) return false;
  const { form, url } = parsed.data.elicitation;
  return form !== undefined || url === undefined;
}

function replyIn({ mcpReq }: ServerContext): Reply | null {
  const state = askedSchema.safeParse(mcpReq.requestState());
  const response = inputResponse(mcpReq.inputResponses, DECISION);
  if (!state.success || response.kind !== 'elicit') return null;
  const asked = state.data;
  if (response.action !== 'accept') return { kind: 'declined', asked };
  const parsed = answerSchema.safeParse(response.content);
  if (!parsed.success) return { kind: 'unreadable', asked };
  const { decision: verdict, reason = '', grounds } = parsed.data;
  const answer = {
    verdict,
    claim: asked.claim,
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(grounds === undefined ? {} : { grounds }),
  };
  return { kind: 'answered', asked, answer };
}
