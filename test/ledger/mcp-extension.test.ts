/** The 28 cases of `dev.atrib/attribution`, and what hostile metadata may not do. */
import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AtribRecord,
  carryAttribution,
  checkReceipt,
  declarationOf,
  decodeToken,
  EXTENSION,
  encodeToken,
  extensionNameFault,
  genesisChainRoot,
  hashOf,
  inboundToken,
  jcs,
  LOG_SUBMISSIONS,
  readRequestMeta,
  readSettings,
  receiptMeta,
  recordHash,
  resolveContext,
  verifySignature,
  withReceipt,
} from '../../src/ledger/index.ts';
import { vector, vectorPath } from './support.ts';

const members = z.record(z.string(), z.unknown());
const record = z.custom<AtribRecord>((value) => typeof value === 'object' && value !== null);
const caseSchema = z.object({ input: members, expected: members });
type Case = z.output<typeof caseSchema>;

function metaOf({ input }: Case) {
  return input['request_meta'] === undefined ? undefined : members.parse(input['request_meta']);
}

function hex(hash: string): string {
  return hash.replace('sha256:', '');
}

function sha256Of(value: unknown): string {
  return hex(hashOf(jcs(value)));
}

/** What every case about inbound metadata states, as far as it does. */
function checkInbound(one: Case): void {
  const meta = readRequestMeta(metaOf(one));
  const argument = z.string().optional().parse(one.input['explicit_context_id_argument']);
  const token = inboundToken(meta);
  const { traceparent, [EXTENSION]: block } = meta;
  const context = resolveContext({ argument, extension: block.context_id, traceparent, env: {} });
  const facts: Readonly<Record<string, unknown>> = {
    inbound_token_resolved: token !== null,
    resolved_record_hash_hex: token === null ? null : hex(token.recordHash),
    resolved_creator_key: token?.creatorKey ?? null,
    conflict_warning: token?.disagrees ?? false,
    resolved_context_id: context?.contextId ?? null,
    mismatch_warning: context?.disagrees ?? false,
    // One name for two ladders; a case states one of them.
    resolved_source: one.expected['resolved_context_id'] === undefined ? (token?.source ?? null) : contextSource(),
    ignored_fields: Object.keys(members.parse(metaOf(one)?.[EXTENSION] ?? {}))
      .filter((name) => !(name in block))
      .sort(),
    // What is read has no other members, so nothing else can reach a record.
    record_field_effects: Object.keys(block).filter((name) => name !== 'token'),
    synthetic_genesis_chain_root_for_traceparent_context: genesisChainRoot(context?.contextId ?? ''),
    // Nothing was thrown up to here, and the call goes on.
    error_raised: false,
    tool_call_proceeds: true,
    // Names of other sections, which say who goes on from here.
    chain_resolution_continues_per: 'D067 / §1.2.3.1',
    producer_side_resolution_per: 'D078/D083',
  };
  for (const [name, value] of Object.entries(one.expected)) expect(facts[name], name).toEqual(value);

  function contextSource(): string {
    return context?.source ?? 'env-registry-fallthrough';
  }
}

function checkSettings({ input, expected }: Case): void {
  if (Array.isArray(input['identifiers'])) {
    const results = z
      .array(z.string())
      .parse(input['identifiers'])
      .map((identifier) => {
        const reason = extensionNameFault(identifier);
        return { identifier, valid: reason === null, ...(reason !== null && { reason }) };
      });
    expect(results).toEqual(expected['results']);
    return;
  }
  const settings = members.parse(input['settings']);
  const read = readSettings(settings);
  const declared = declarationOf(undefined, { extensions: { [EXTENSION]: settings } });
  expect(declared).toEqual(read);
  const asked = z.array(z.string()).catch([]).parse(settings['accept']);
  const facts: Readonly<Record<string, unknown>> = {
    valid: read !== null,
    declared: declared !== null,
    negotiated_version: read?.version,
    effective_accept: read?.accept,
    accept_record: read?.accept.includes('record'),
    ignored_settings_fields: Object.keys(settings).filter((name) => !['version', 'accept'].includes(name)),
    ignored_accept_values: asked.filter((kind) => !read?.accept.some((known) => known === kind)),
    // A declaration keeps none of the advisory fields, so nobody can trust them.
    advisory_fields_are_untrusted: !('creator_key' in (read ?? {})),
    error_raised: false,
  };
  for (const [name, value] of Object.entries(expected)) {
    if (name !== 'reason') expect(facts[name], name).toEqual(value);
  }
}

function checkGating(one: Case): void {
  const { input, expected } = one;
  const signed = record.parse(input['signed_record']);
  const declaration = declarationOf(metaOf(one), input['initialize_capabilities']);
  const meta = receiptMeta({ record: signed, hash: recordHash(signed), declaration, logSubmission: 'queued' });
  const { [EXTENSION]: block, ...older } = meta;
  expect(meta).toEqual(expected['result_meta']);
  expect(block !== undefined).toBe(expected['extension_block_present']);
  if (expected['legacy_keys'] !== undefined) expect(older).toEqual(expected['legacy_keys']);
  if (expected['record_body_present'] === false) expect(block).not.toHaveProperty('record');
  if (expected['result_meta_jcs_sha256_hex'] !== undefined) {
    expect(sha256Of(meta)).toBe(expected['result_meta_jcs_sha256_hex']);
  }
  if (block !== undefined) expect(checkReceipt(block)).toEqual({ valid: true, faults: [] });
}

function checkReceiptCase({ input, expected }: Case): void {
  const block = members.parse(input['result_block']);
  const verdict = checkReceipt(block);
  const receipt = members.parse(block['receipt']);
  const attached = block['record'] === undefined ? null : record.parse(block['record']);
  const result = { content: [], _meta: {} };
  const facts: Readonly<Record<string, unknown>> = {
    receipt_valid: verdict.valid,
    mismatched_fields: verdict.faults,
    token: attached && encodeToken(attached, recordHash(attached)),
    record_hash: attached && recordHash(attached),
    creator_key: attached?.creator_key,
    context_id: attached?.context_id,
    chain_root: attached?.chain_root,
    record_signature_verifies: attached !== null && verifySignature(attached),
    args_hash_recomputes_from_tool_args: attached?.args_hash === hashOf(jcs(input['tool_args'] ?? null)),
    attached_record_hash: attached && recordHash(attached),
    claimed_record_hash: receipt['record_hash'],
    log_submission: receipt['log_submission'],
    allowed_statuses: LOG_SUBMISSIONS,
    // The check takes the block alone and returns at once: no proof, nothing awaited, no result to invalidate.
    proof_bundle_required: checkReceipt.length > 1,
    awaiting_submission_forbidden: !(verdict instanceof Promise),
    tool_result_invalidated: withReceipt(result, () => null) !== result,
  };
  for (const [name, value] of Object.entries(expected)) expect(facts[name], name).toEqual(value);
}

function checkDegradation(one: Case): void {
  const { input, expected } = one;
  if (input['tool_result'] === undefined) {
    checkInbound({ input: members.parse(input['request_params']), expected });
    return;
  }
  const result = members.parse(input['tool_result']);
  const failing = {
    get extensions(): never {
      throw new Error('forced');
    },
  };
  const answered = withReceipt(result, () => {
    if (input['forced_failure'] === 'capability-read') return { declared: declarationOf(undefined, failing) };
    throw new Error('forced');
  });
  expect(answered).toBe(result);
  expect(sha256Of(answered)).toBe(expected['result_jcs_sha256_hex']);
  // The same way round adds what it is given when nothing fails.
  expect(withReceipt(result, () => ({ atrib: 'x' }))).toEqual({ ...result, _meta: { atrib: 'x' } });
}

function checkCarriage(one: Case): void {
  const meta = metaOf(one) ?? {};
  const before = structuredClone(meta);
  const options = z
    .object({
      accept: z.array(z.enum(['token', 'record'])),
      token: z.string(),
      context_id: z.string(),
      session_token: z.string(),
    })
    .parse(one.input['options']);
  const { accept, token, context_id: contextId, session_token: sessionToken } = options;
  const carried = carryAttribution(meta, { accept, token, contextId, sessionToken });
  expect(carried).toEqual(one.expected['request_meta']);
  expect(meta).toEqual(before);
  // What a client carries is what a server reads.
  expect(inboundToken(readRequestMeta(carried))).toMatchObject({ ...decodeToken(token), disagrees: false });
  expect(declarationOf(carried)?.accept).toEqual(accept);
}

const CHECKS: Readonly<Record<string, (one: Case) => void>> = {
  capability: checkSettings,
  context: checkInbound,
  degradation: checkDegradation,
  gating: checkGating,
  receipt: checkReceiptCase,
  request: checkCarriage,
  token: checkInbound,
};

const names = readdirSync(vectorPath('mcp-extension/cases'));
let passed = 0;
afterAll(() => console.log(`figure: mcp-extension ${passed} of ${names.length} cases`));

describe('mcp-extension', () => {
  test('has all 28 cases', () => expect(names.length).toBe(28));

  test.each(names)('%s', (name) => {
    const check = CHECKS[name.slice(0, name.indexOf('--'))];
    expect(check).toBeDefined();
    check?.(vector(`mcp-extension/cases/${name}`, caseSchema));
    passed += 1;
  });
});

const TOKEN = `${'A'.repeat(43)}.${'A'.repeat(43)}`;

describe('hostile metadata', () => {
  const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a list', [TOKEN]],
    ['a text', TOKEN],
    ['a deep value where a text belongs', { atrib: deep, [EXTENSION]: deep, traceparent: deep }],
    ['numbers', { atrib: 1, [EXTENSION]: { token: 2, context_id: 3 }, tracestate: 4, traceparent: 5 }],
    ['a token of a million characters', { atrib: 'A'.repeat(1e6), tracestate: `atrib=${'A'.repeat(1e6)}` }],
    ['a token behind more vendors than fit', { tracestate: `${'v=1,'.repeat(10_000)}atrib=${TOKEN}` }],
    ['a key with stray bits', { atrib: `${'A'.repeat(43)}.${'A'.repeat(42)}B` }],
    ['a token with stray bits', { atrib: `${'A'.repeat(42)}B.${'A'.repeat(43)}` }],
    ['a token in other clothes', { atrib: ` ${TOKEN}`, 'X-Atrib-Chain': `${TOKEN}\n`, 'x-atrib-chain': TOKEN }],
    ['its own prototype', JSON.parse(`{"__proto__": {"atrib": "${TOKEN}"}}`)],
  ])('%s names no record and no context', (_, meta) => {
    const read = readRequestMeta(meta);
    expect(inboundToken(read)).toBeNull();
    const { traceparent, [EXTENSION]: block } = read;
    expect(resolveContext({ extension: block.context_id, traceparent, env: {} })).toBeNull();
    expect(declarationOf(meta)).toBeNull();
    expect(checkReceipt(meta).valid).toBe(false);
    // One sound carrier beside it is read all the same.
    const beside = { ...(typeof meta === 'object' && !Array.isArray(meta) ? meta : {}), 'X-Atrib-Chain': TOKEN };
    expect(inboundToken(readRequestMeta(beside))?.source).toBe('x-atrib-chain');
  });

  test('a record beside a receipt that cannot be canonicalised, or is altered, makes the receipt invalid', () => {
    const schema = z.object({ input: z.object({ result_block: members }) });
    const { result_block: block } = vector('mcp-extension/cases/receipt--consistent.json', schema).input;
    expect(checkReceipt(block).valid).toBe(true);
    const altered = (member: object) => ({ ...block, record: { ...record.parse(block['record']), ...member } });
    expect(checkReceipt(altered({ args_hash: hashOf(jcs(1)) })).faults).toEqual(['signature_invalid']);
    expect(checkReceipt(altered({ tool_name: '\ud800' })).faults).toEqual(['not_canonical']);
    expect(checkReceipt({ ...block, token: 'x' }).faults).toEqual(['record_hash', 'creator_key']);
  });
});
