/** The shape of an event line. What the members mean is checked by `verifyRecord`, `checkEnvelope` and the roster. */
import { z } from 'zod';
import { AGENT_ID, KEY_ROLES, ROLES } from '../record/principal.ts';
import { GROUNDS, STATUSES } from '../record/thought.ts';
import { decodeBase64url } from './base64url.ts';
import { isPublicKey, isSignature } from './ed25519.ts';
import { isHash } from './hash.ts';
import { type EventEnvelope, REVOCATION_REASONS, VERBS } from './types.ts';
import { isLogName } from './writer.ts';

const hash = z.string().refine(isHash, 'expected "sha256:" and 64 hex digits');
const hex64 = z.string().regex(/^[0-9a-f]{64}$/);
const publicKey = z.string().refine(isPublicKey, 'expected 32 bytes in base64url');
const nonce = z.string().refine((text) => decodeBase64url(text)?.length === 32, 'expected 32 bytes in base64url');
const role = z.enum(KEY_ROLES);
const protection = z.enum(['none', 'scrypt']);
const text = z.string().exactOptional();

const log = z.string().refine(isLogName, 'expected 16 hex digits');

const position = z.looseObject({
  log,
  seq: z.int().min(0).max(0xffffffff),
  prev: hash.nullable(),
  seen: hash.nullable(),
});

const enrolment = z.looseObject({
  key: publicKey,
  agent_id: z.string().regex(AGENT_ID),
  role,
  name: text,
  protection,
});

const revocation = z.looseObject({
  key: publicKey,
  size: z.int().min(0).max(0xffffffff),
  reason: z.enum(REVOCATION_REASONS),
  successor: publicKey.exactOptional(),
  proof: z.string().refine(isSignature, 'expected 64 bytes in base64url').exactOptional(),
});

const restored = z.looseObject({
  log,
  size: z.int().min(0).max(0xffffffff),
  root: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  found: z.int().min(0).max(0xffffffff),
});

/** Of ECMAScript, in Unix milliseconds. */
const LAST_TIME = 8_640_000_000_000_000;

const quarantine = z.looseObject({ agent_id: z.string().regex(AGENT_ID), since: z.int().min(0).max(LAST_TIME) });

const fileChange = z.looseObject({
  path: z.string().min(1),
  before: hex64.nullable(),
  after: hex64.nullable(),
  thought_id: text,
  status: z.enum(STATUSES).exactOptional(),
});

const attested = z.looseObject({
  agent_id: z.string().regex(AGENT_ID),
  role: z.enum(['reviewer', 'operator']),
  session: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  method: z.enum(['token', 'oauth', 'link']),
});

const skeleton = z.looseObject({
  record: hash,
  verb: z.enum(VERBS),
  agent_id: z.string().regex(AGENT_ID),
  role: z.enum([...ROLES, 'service']),
  via: text,
  scope: text,
  thought_id: text,
  status: z.enum(STATUSES).exactOptional(),
  kind: z.enum(['human', 'llm_advisory']).exactOptional(),
  attested: attested.exactOptional(),
  self: z.literal(true).exactOptional(),
  protection: protection.exactOptional(),
  enrolment: enrolment.exactOptional(),
  files: z
    .array(
      z.looseObject({
        path: z.string().min(1),
        thought_id: text,
        status: z.enum(STATUSES).exactOptional(),
        after: hex64.nullable().exactOptional(),
      }),
    )
    .exactOptional(),
});

const review = z.looseObject({
  policy: z.string(),
  model: z.string(),
  prompt: hash,
  verdict: z.enum(['approve', 'reject', 'error']),
  error: text,
});
const commitId = z.string().regex(/^[0-9a-f]{40}$/);

const sidecar = z.looseObject({
  producer: z.string(),
  verb: z.enum(VERBS),
  nonce,
  agent_id: z.string().regex(AGENT_ID),
  role,
  via: text,
  scope: text,
  thought_id: text,
  status: z.enum(STATUSES).exactOptional(),
  reason: text,
  author: text,
  unresolved: z.array(z.string()).exactOptional(),
  files: z.array(fileChange).exactOptional(),
  claim: hex64.exactOptional(),
  self: z.literal(true).exactOptional(),
  kind: z.enum(['human', 'llm_advisory']).exactOptional(),
  attested: attested.exactOptional(),
  protection: protection.exactOptional(),
  enrolment: enrolment.exactOptional(),
  revocation: revocation.exactOptional(),
  restored: restored.exactOptional(),
  erased: z.array(skeleton).exactOptional(),
  purge: z.looseObject({ old_head: commitId, new_head: commitId }).exactOptional(),
  // Only readers say it, of a sidecar that is gone.
  erased_by: z.never().exactOptional(),
  review: review.exactOptional(),
  quarantine: quarantine.exactOptional(),
  grounds: z.enum(GROUNDS).exactOptional(),
  near_tombstone: z.array(z.string()).exactOptional(),
  tombstone: text,
  beside: text,
  denial: z.looseObject({ rule: z.string(), verb: z.string(), field: text, count: z.int().min(1) }).exactOptional(),
  idempotency: z.looseObject({ key: z.string(), input: hex64 }).exactOptional(),
});

const record = z.looseObject({
  spec_version: z.literal('atrib/1.0'),
  content_id: hash,
  creator_key: publicKey,
  chain_root: hash,
  event_type: z.string(),
  context_id: z.string().regex(/^[0-9a-f]{32}$/),
  timestamp: z.int().min(0),
  signature: text,
  informed_by: z.array(hash).exactOptional(),
  annotates: hash.exactOptional(),
  revises: hash.exactOptional(),
  args_hash: hash.exactOptional(),
  revoked_key: text,
  revocation_reason: text,
  successor_key: text,
  waymark: position.exactOptional(),
});

const envelope = z.looseObject({ record, _local: sidecar.exactOptional() });

/**
 * Whether `value` has the shape of an envelope; if not, `onProblem` gets the member and what is wrong with it.
 *
 * A guard and not a parse: zod builds new objects, and what is hashed must be the members the file has, `__proto__`
 * included.
 */
export function isEventEnvelope(value: unknown, onProblem: (message: string) => void): value is EventEnvelope {
  const result = envelope.safeParse(value);
  if (result.success) return true;
  const issue = result.error.issues[0];
  onProblem(issue === undefined ? 'unreadable' : `${issue.path.join('.') || 'line'}: ${issue.message}`);
  return false;
}
