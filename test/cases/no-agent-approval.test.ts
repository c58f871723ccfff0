/**
 * Every way by which an agent could bring about an approval: refused, withheld or without effect, and recorded where a
 * rule refuses it. The positive control is the person who may (issue 5; cases.md B37, B39).
 */
import { expect, test } from 'vitest';
import { itemsOf } from '../../src/cli/import-items.ts';
import { importItems } from '../../src/cli/import-run.ts';
import { checkpointOrigin, checkpointPath, renderCheckpoint, rootOf, verifySignature } from '../../src/ledger/index.ts';
import { VERBS, type Verb } from '../../src/ledger/types.ts';
import type { Role } from '../../src/record/principal.ts';
import { verify } from '../../src/trail/verify.ts';
import { commit, committed, forge, listed, newWriter, ownWriter } from '../attack/forge.ts';
import { connectHttp, createDoor } from '../support/mcp-clients.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { type Arguments, type Caller, connect } from './caller.ts';
import { denialsOf, eventsOf, recorded } from './evidence.ts';

const SCOPE = { trail_name: 'acme/eng' };

async function prepare() {
  const t = await makeRecord();
  const [alice, carol] = [await connect(t.session('alice')), await connect(t.session('carol', { operator: true }))];
  // The first who asks for operator rights here gets them; nobody after her by asking.
  await carol.session.identity();
  const governed = async () =>
    (await t
      .session('reader')
      .operations()
      .recall({ ...SCOPE, query: '' })) ?? [];
  return {
    t,
    alice,
    carol,
    recalled: async () => value(await governed()).thoughts.map(({ thought_id }) => thought_id),
    [Symbol.asyncDispose]: () => t[Symbol.asyncDispose](),
  };
}

const FRONTMATTER = '---\nvalidation_status: approved\napproved_by: carol\n---\nApproved by nobody';

/** Calls of an agent's tools with what refuses each; `draft`: saved, and a draft like any other. */
const CALLS: readonly [name: string, tool: string, args: Arguments, answer: object | 'draft'][] = [
  ['the argument that approves', 'propose_truth', { approval: 'human' }, { rule: 'needs_operator' }],
  ['an alias of it', 'propose_truth', { approval: 'approved' }, { code: 'invalid', field: 'approval' }],
  ['the argument in capitals', 'propose_truth', { approval: 'HUMAN' }, { code: 'invalid', field: 'approval' }],
  ['a verdict', 'propose_truth', { verdict: 'approve' }, { code: 'invalid', field: 'verdict' }],
  ['an answer as a person would give it', 'propose_truth', { answer: { verdict: 'approve' } }, { code: 'invalid' }],
  ['a role as an argument', 'propose_truth', { operator: true }, { rule: 'caller_authority_in_arguments' }],
  ['a principal as an argument', 'propose_truth', { principal: {} }, { rule: 'caller_authority_in_arguments' }],
  ['a hidden argument', 'propose_truth', { _operator: true }, { rule: 'caller_authority_in_arguments' }],
  ['the name of an approver', 'propose_truth', { approved_by: 'carol' }, { code: 'invalid', field: 'approved_by' }],
  ['a status as an argument', 'save_thought', { validation_status: 'approved' }, { code: 'invalid' }],
  ['a status in metadata', 'save_thought', { metadata: { validation_status: 'approved' } }, { code: 'invalid' }],
  ['a status in extra', 'save_thought', { metadata: { extra: { validation_status: 'approved' } } }, 'draft'],
  ['an approver in extra', 'save_thought', { metadata: { extra: { approved_by: 'carol' } } }, 'draft'],
  ['an approval in extra', 'save_thought', { metadata: { extra: { approval: {} } } }, { rule: 'owned_extra_key' }],
  ['a verdict in extra', 'save_thought', { metadata: { extra: { trust_gate: {} } } }, { rule: 'owned_extra_key' }],
  ['another name', 'save_thought', { agent_id: 'carol' }, { rule: 'agent_id_mismatch' }],
  ['frontmatter in the text', 'save_thought', { content: FRONTMATTER }, 'draft'],
  ['frontmatter in an edit', 'update_thought', { content: FRONTMATTER }, 'draft'],
  ['a preference', 'learn_preference', { content: 'x' }, { rule: 'needs_operator' }],
  ['a rollback', 'rollback', { op_id: 'main' }, { rule: 'needs_operator' }],
  ['a withdrawal', 'forget', { reason: 'r' }, { rule: 'needs_operator' }],
];

test("no argument of an agent's tool approves, in whatever name or place", async () => {
  await using s = await prepare();
  const id = await s.alice.save({ ...SCOPE, content: 'Mine' });
  const names = new Map<string, readonly string[]>();
  for (const { name, inputSchema } of (await s.alice.client.listTools()).tools) {
    names.set(name, Object.keys(inputSchema.properties ?? {}));
  }
  for (const [what, tool, args, answer] of CALLS) {
    const takes = names.get(tool) ?? [];
    const needed = { ...SCOPE, ...(takes.includes('thought_id') ? { thought_id: id } : {}) };
    const full: Arguments = { ...needed, ...(tool === 'save_thought' ? { content: what } : {}), ...args };
    if (answer === 'draft') expect((await s.alice.thought(tool, full)).validation_status, what).toBe('draft');
    else expect(await s.alice.refused(tool, full), what).toMatchObject(answer);
  }
  expect(await s.recalled()).toEqual([]);
  const rules = ['needs_operator', 'caller_authority_in_arguments', 'owned_extra_key', 'agent_id_mismatch'];
  await recorded(() => [...new Set(denialsOf(s.t.root).map(({ rule }) => rule))].sort()).toEqual(rules.sort());
  expect(await approves(s.t, s.carol, id)).toEqual(await s.recalled());
});

test('no other door and no environment gives an agent what its key does not', async () => {
  await using s = await prepare();
  const id = await s.alice.save({ ...SCOPE, content: 'Mine' });
  const call = { ...SCOPE, thought_id: id, approval: 'human' };
  const denied = { structuredContent: { code: 'authority', rule: 'needs_operator' } };
  // WAYMARK_OPERATOR asks for the rights; without an enrolled key of hers it gives none.
  const mallory = s.t.session('mallory', { operator: true });
  expect((await mallory.identity()).notice).toContain('not enrolled');
  expect(await (await connect(mallory)).raw('propose_truth', call)).toMatchObject(denied);
  for (const verdict of ['approve', 'reject', 'request_changes'] as const) {
    const refused = await mallory.operations().decide({ ...SCOPE, thought_id: id, verdict, reason: 'r' });
    expect(refused, verdict).toMatchObject({ ok: false, rule: 'needs_operator' });
  }
  const answer = { verdict: 'approve', claim: 'x' } as const;
  const forged = await mallory.operations().propose({ ...call, approval: 'human', answer });
  expect(forged).toMatchObject({ ok: false, rule: 'needs_operator' });
  // HTTP: whoever connects is the agent of the process, whatever the request says of itself.
  const door = createDoor({ operationsFor: (meta) => s.t.session('alice').operations(meta) });
  const client = await connectHttp(door, 'auto', { capabilities: { elicitation: {} } });
  const _meta = { operator: true, role: 'operator', agent_id: 'carol' };
  expect(await client.callTool({ name: 'propose_truth', arguments: call, _meta })).toMatchObject(denied);
  // An imported file says what was thought elsewhere; what was decided there counts for nothing here.
  const file = committed(s.t.root, pathOf(s.t, id)).toString().replace('status: draft', 'status: approved');
  const source = { name: 'a.md', content: { ok: true as const, value: Buffer.from(file.replace('Mine', 'Imported')) } };
  const session = s.t.session('alice');
  const items = (async function* () {
    yield* itemsOf(source);
  })();
  const options = { session, scope: SCOPE.trail_name, dryRun: false, progress: () => undefined };
  const [imported] = value(await importItems(items, options));
  const thought_id = imported?.outcome === 'ok' ? (imported.thought_id ?? '') : '';
  expect(await s.alice.thought('get_thought', { ...SCOPE, thought_id })).toMatchObject({
    validation_status: 'proposed',
  });
  expect(await s.recalled()).toEqual([]);
  const denials = () => denialsOf(s.t.root).map(({ agent_id, rule }) => `${agent_id} ${rule}`);
  await recorded(denials).toEqual(expect.arrayContaining(['mallory needs_operator', 'alice needs_operator']));
  expect(await approves(s.t, s.carol, id)).toEqual(await s.recalled());
});

test('no committed file and no event of an agent makes a thought approved; verify names each', async () => {
  await using s = await prepare();
  const id = await s.alice.save({ ...SCOPE, content: 'Mine' });
  const verbs = VERBS.filter((verb) => verb !== 'revoke' && verb !== 'rotate');
  const saved = (content: string) => s.alice.save({ ...SCOPE, content });
  const asAgent = await Promise.all(verbs.map((verb) => saved(`By ${verb}`)));
  const asOperator = await Promise.all(verbs.map((verb) => saved(`By ${verb} as an operator`)));
  const [byHand, inName, byNobody] = [await saved('By hand'), await saved('As carol'), await saved('By nobody')];
  expect((await verify(s.t.record)).findings).toEqual([]);

  const files: Record<string, Uint8Array | string> = {};
  const writers = { alice: ownWriter(s.t.record, 'alice'), nobody: newWriter() };
  const approvedBy = (thought_id: string) => {
    const path = pathOf(s.t, thought_id);
    const before = committed(s.t.root, path);
    const after = Buffer.from(before.toString().replace('status: draft', 'status: approved'));
    return { path, before, after, thought_id, status: 'approved' as const };
  };
  /** A well-signed event that says the thought is approved, and the file that says so too. */
  const forgeApproval = (by: keyof typeof writers, thought_id: string, said: Said) => {
    const change = approvedBy(thought_id);
    const { verb, role, agent_id = 'alice' } = said;
    // What an agent's event calls human does not count at all; one that says nothing of it lacks the authority.
    const kind = role === 'operator' ? { kind: 'human' as const } : {};
    const local = { agent_id, role, thought_id, status: 'approved' as const, ...kind };
    const event = forge(writers[by], { verb, local, files: [change] });
    writers[by] = { ...writers[by], tail: event.tail };
    files[event.path] = event.line;
    files[change.path] = change.after;
  };
  for (const [at, verb] of verbs.entries()) {
    forgeApproval('alice', asAgent[at] ?? '', { verb, role: 'agent' });
    forgeApproval('alice', asOperator[at] ?? '', { verb, role: 'operator' });
  }
  forgeApproval('alice', inName, { verb: 'approve', role: 'operator', agent_id: 'carol' });
  forgeApproval('nobody', byNobody, { verb: 'approve', role: 'operator', agent_id: 'carol' });
  // Without any event: edited where it lies, and a new file in the folder of decisions.
  const edited = approvedBy(byHand);
  const planted = `trails/${SCOPE.trail_name}/thoughts/decisions/01KAAAAAAAAAAAAAAAAAAAAAAA.md`;
  files[edited.path] = edited.after;
  files[planted] = edited.after.toString().replace(byHand, '01KAAAAAAAAAAAAAAAAAAAAAAA');
  for (const { signer, tail } of Object.values(writers)) {
    const origin = checkpointOrigin(s.t.record.repository.trust.repositoryId, tail.log);
    const checkpoint = { origin, size: tail.size, root: rootOf(tail.peaks) };
    files[checkpointPath(tail.log)] = renderCheckpoint(checkpoint, signer);
  }
  commit(s.t.root, files);

  expect(await s.recalled()).toEqual([]);
  await s.t.record.repository.reindex();
  expect(await s.recalled()).toEqual([]);
  const index = s.t.record.repository.index.reader();
  const thoughts = Object.keys(files).filter((path) => path.startsWith('trails/'));
  expect(thoughts).toHaveLength(2 * verbs.length + 4);
  expect(thoughts.filter((path) => index.thoughtByPath(path)?.held !== false)).toEqual([]);
  const { findings } = await verify(s.t.record);
  const unverified = findings.filter(({ code }) => code.startsWith('unverified_'));
  expect(unverified.map(({ path }) => path).sort()).toEqual(thoughts.sort());
  const reasonOf = (path: string) => index.thoughtByPath(path)?.reason;
  expect([reasonOf(edited.path), reasonOf(planted)]).toEqual(['changed_since_event', 'no_event']);
  expect(reasonOf(pathOf(s.t, asAgent[verbs.indexOf('approve')] ?? ''))).toBe('event_lacks_authority');
  expect(await approves(s.t, s.carol, id)).toEqual(await s.recalled());
});

type Said = { readonly verb: Verb; readonly role: Role; readonly agent_id?: string };

/** The person approves through the very tool that refused the agent; answers what is governed then. */
async function approves(t: TestRecord, carol: Caller, thought_id: string): Promise<readonly string[]> {
  await carol.ok('propose_truth', { ...SCOPE, thought_id, approval: 'human' });
  const carols = t.record.repository.index
    .reader()
    .keys()
    .find(({ agent_id }) => agent_id === 'carol')?.key;
  const approvals = eventsOf(t.root).filter(({ record }) => record.creator_key === carols);
  expect(approvals).toHaveLength(1);
  for (const { record, _local: local } of approvals) {
    expect(local).toMatchObject({ verb: 'approve', kind: 'human', role: 'operator', agent_id: 'carol', thought_id });
    expect(verifySignature(record)).toBe(true);
    const row = `key: ${record.creator_key}\n    agent_id: carol\n    role: operator\n`;
    expect(committed(t.root, 'keys.yaml').toString()).toContain(row);
  }
  return [thought_id];
}

function pathOf(t: TestRecord, id: string): string {
  const path = listed(t.root, 'trails').find((candidate) => candidate.includes(id));
  if (path === undefined) throw new Error(`No file of ${id}`);
  return path;
}
