/** What grants let a caller change: every operation that writes or decides, by the rights on the scope it names. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Outcome, ok } from '../../src/record/outcome.ts';
import { checkSave } from '../../src/trail/save.ts';
import type { Session } from '../../src/trail/session.ts';
import { write } from '../../src/trail/write.ts';
import { signedIn } from '../support/credentials.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const SCOPE = 'acme/plant';
const FOREIGN = 'vault/merger';

let t: TestRecord;
/** An operator by key: whatever the table leaves undone. */
let carol: Session;
const open: Session[] = [];

beforeAll(async () => {
  t = await makeRecord();
  carol = t.session('carol', { operator: true });
});

afterAll(async () => {
  await Promise.all(open.map((session) => session.close()));
  await t[Symbol.asyncDispose]();
});

function agent(...grants: readonly string[]): Session {
  const session = signedIn(t, { agent_id: 'alice', role: 'agent' }, grants);
  open.push(session);
  return session;
}

function person(role: 'reviewer' | 'operator', ...grants: readonly string[]): Session {
  const session = signedIn(t, { agent_id: 'paula', role }, grants);
  open.push(session);
  return session;
}

let count = 0;

/** A draft of Alice's in the scope, unlike any other. */
async function draft(trail_name: string): Promise<string> {
  const content = `Valve ${count++} of the ${['red', 'green', 'blue'][count % 3]} pump opens at ${count * 7} bar`;
  const saved = await t.session('alice').operations().save({ trail_name, content, source_type: 'decision' });
  return value(saved).thought.thought_id;
}

async function proposed(trail_name: string): Promise<string> {
  const thought_id = await draft(trail_name);
  value(await t.session('alice').operations().propose({ trail_name, thought_id }));
  return thought_id;
}

async function approved(trail_name: string): Promise<string> {
  const thought_id = await draft(trail_name);
  value(await carol.operations().decide({ trail_name, thought_id, verdict: 'approve' }));
  return thought_id;
}

/** `ok`, or why not: the rule, else the code. */
function said(outcome: Outcome<unknown>): string {
  return outcome.ok ? 'ok' : (outcome.rule ?? outcome.code);
}

type Act = (session: Session, scope: string) => Promise<Outcome<unknown>>;
const content = () => `Pump ${count++} stands in hall ${count * 3}`;
const reason = 'Measured anew';

const WRITES: Readonly<Record<string, Act>> = {
  save: (s, trail_name) => s.operations().save({ trail_name, content: content() }),
  start: (s, trail_name) => s.operations().start({ trail_name, description: 'Look at the pumps' }),
  update: async (s, trail_name) =>
    s.operations().update({ trail_name, thought_id: await draft(trail_name), content: content() }),
  propose: async (s, trail_name) => s.operations().propose({ trail_name, thought_id: await draft(trail_name) }),
  supersede: async (s, trail_name) =>
    s.operations().supersede({ trail_name, thought_id: await approved(trail_name), content: content(), reason }),
  'change scope, out of it': async (s, trail_name) => {
    const moved = { trail_name, target_trail_name: 'open/to/all', content: content(), reason };
    return s.operations().changeScope({ ...moved, thought_id: await approved(trail_name) });
  },
  'change scope, into it': async (s, target_trail_name) => {
    const moved = { trail_name: 'open/to/all', target_trail_name, content: content(), reason };
    return s.operations().changeScope({ ...moved, thought_id: await approved('open/to/all') });
  },
};

const DECISIONS: Readonly<Record<string, Act>> = {
  approve: async (s, trail_name) =>
    s.operations().decide({ trail_name, thought_id: await proposed(trail_name), verdict: 'approve' }),
  reject: async (s, trail_name) =>
    s.operations().decide({ trail_name, thought_id: await proposed(trail_name), verdict: 'reject', reason }),
  'reject and keep out': async (s, trail_name) => {
    const thought_id = await proposed(trail_name);
    return s.operations().decide({ trail_name, thought_id, verdict: 'reject', reason, keep_out: true });
  },
  'ask for changes': async (s, trail_name) =>
    s.operations().decide({ trail_name, thought_id: await proposed(trail_name), verdict: 'request_changes', reason }),
  'approve through a tool': async (s, trail_name) =>
    s.operations().propose({ trail_name, thought_id: await proposed(trail_name), approval: 'human' }),
};

const BY_KEY: Readonly<Record<string, Act>> = {
  forget: async (s, trail_name) =>
    s.operations().forget({ trail_name, thought_id: await approved(trail_name), reason }),
  rollback: (s, trail_name) => s.operations().rollback({ trail_name, op_id: '2026-01-01T00:00:00Z' }),
  'learn preference': (s, trail_name) => s.operations().learnPreference({ trail_name, content: content() }),
  erase: async (s, trail_name) => s.operations().erase({ trail_name, thought_id: await approved(trail_name), reason }),
  resolve: async (s, trail_name) => {
    const thought_ids = [await approved(trail_name), await approved(trail_name)] as const;
    return s.operations().resolveDuplicate({ thought_ids, keep: 'old', reason });
  },
  lift: (s) => s.operations().lift({ tombstone: '01HZZZZZZZZZZZZZZZZZZZZZZZ', reason }),
  tombstones: (s) => s.operations().tombstones({}),
  accept: (s) => s.operations().accept({ paths: ['config.yaml'] }),
  quarantine: (s) => s.operations().quarantine({ agent_id: 'mallory', since: '2026-01-01', reason }),
  diff: (s, trail_name) => s.operations().diff({ trail_name }),
  conflicts: (s, trail_name) => s.operations().conflicts({ trail_name }),
};

describe('of an agent', () => {
  const ELSE = ['open/**:read,write'];
  const NOT = 'not_granted';
  /** What each operation answers to each set of rights on the scope. */
  const TABLE: Readonly<Record<string, Readonly<Record<'none' | 'read' | 'write' | 'read,write', string>>>> = {
    save: { none: NOT, read: NOT, write: 'ok', 'read,write': 'ok' },
    start: { none: NOT, read: NOT, write: 'ok', 'read,write': 'ok' },
    update: { none: NOT, read: NOT, write: 'not_found', 'read,write': 'ok' },
    propose: { none: NOT, read: NOT, write: 'not_found', 'read,write': 'ok' },
    supersede: { none: NOT, read: NOT, write: 'not_found', 'read,write': 'ok' },
    'change scope, out of it': { none: 'not_found', read: 'ok', write: 'not_found', 'read,write': 'ok' },
    'change scope, into it': { none: NOT, read: NOT, write: 'ok', 'read,write': 'ok' },
  };

  test.each(Object.entries(TABLE))(
    '%s needs a right to write where it writes, and to read what it names',
    async (name, row) => {
      const found: Record<string, string> = {};
      for (const rights of Object.keys(row)) {
        const session = agent(...ELSE, ...(rights === 'none' ? [] : [`acme/*:${rights}`]));
        found[rights] = said((await WRITES[name]?.(session, SCOPE)) ?? { ok: true, value: null });
      }
      expect(found).toEqual(row);
      expect(Object.keys(TABLE)).toEqual(Object.keys(WRITES));
    },
  );

  test('is no decision, whatever the agent is granted', async () => {
    for (const act of Object.values(DECISIONS)) {
      expect(said(await act(agent('**:read,write,decide'), SCOPE))).toBe('needs_operator');
    }
  });

  test('is refused in the same words where there is no such scope, and the refusal says what to do and is recorded', async () => {
    await approved(FOREIGN);
    const session = agent('acme/**:read,write');
    for (const [name, act] of Object.entries(WRITES)) {
      if (name === 'change scope, out of it') continue;
      const calls = async (trail_name: string) => {
        const thought_id = '01HZZZZZZZZZZZZZZZZZZZZZZZ';
        const ops = session.operations();
        const outcome =
          name === 'save' || name === 'start'
            ? await act(session, trail_name)
            : name === 'update'
              ? await ops.update({ trail_name, thought_id, content: 'x' })
              : name === 'propose'
                ? await ops.propose({ trail_name, thought_id })
                : await ops.supersede({ trail_name, thought_id, content: 'x', reason });
        return JSON.stringify(outcome).replaceAll(trail_name, 'SCOPE');
      };
      expect(await calls(FOREIGN), name).toBe(await calls('nowhere/at/all'));
    }
    const refused = await session.operations().save({ trail_name: FOREIGN, content: 'x' });
    expect(refused).toMatchObject({
      ok: false,
      code: 'authority',
      rule: 'not_granted',
      field: 'trail_name',
      next: expect.stringContaining(`${FOREIGN}:write`),
    });
    expect(await checkSave(await session.context(), { trail_name: FOREIGN, content: 'x' })).toMatchObject(
      refused.ok ? {} : { rule: refused.rule, message: refused.message },
    );
    const denied = (await t.record.repository.read((index) => index.validEventsOf('deny'))).value;
    const denials = denied.map(({ envelope }) => envelope._local?.denial);
    expect(denials).toContainEqual(expect.objectContaining({ verb: 'save', rule: 'not_granted' }));
  });

  test('with write alone gets its own answer and reads nothing, not even what its text repeats or comes close to', async () => {
    const trail_name = 'acme/near';
    const text = 'The gate valve of boiler three opens at seven bar on Mondays and must be checked by hand each week';
    value(
      await t
        .session('bob')
        .operations()
        .save({ trail_name, content: `${text}, says Bob` }),
    );
    const rejected = value(
      await t
        .session('bob')
        .operations()
        .save({ trail_name, content: `${text} by Max` }),
    ).thought;
    const decision = { trail_name, thought_id: rejected.thought_id, verdict: 'reject', keep_out: true } as const;
    value(await carol.operations().decide({ ...decision, reason: 'Max left' }));
    const same = await t.session('alice').operations().save({ trail_name, content: text });
    const near = { near_tombstone: [{ scope: trail_name, reason: 'Max left' }] };
    const duplicate_of = [value(same).thought.thought_id];
    const reading = agent(`${trail_name}:read,write`);
    expect(value(await reading.operations().save({ trail_name, content: text }))).toMatchObject({
      duplicate_of,
      ...near,
    });
    const blind = agent(`${trail_name}:write`);
    const saved = value(await blind.operations().save({ trail_name, content: text }));
    expect(saved.thought).toMatchObject({ validation_status: 'draft', content_preview: text });
    expect(JSON.stringify(saved)).not.toMatch(/near_tombstone|duplicate_of|Max/);
    expect(said(await blind.operations().get({ trail_name, thought_id: saved.thought.thought_id }))).toBe('not_found');
    // The value itself stays out for everybody who may write here.
    const equal = await blind.operations().save({ trail_name, content: `${text} by Max` });
    expect(equal).toMatchObject({ ok: false, rule: 'tombstone' });
  });

  test('is given to no other grants and to no other agent under its idempotency key', async () => {
    const trail_name = SCOPE;
    const call = { trail_name, content: 'Saved under a key', idempotency_key: 'one-key' };
    const first = value(await agent('acme/**:read,write').operations().save(call));
    const again = value(await agent('acme/**:read,write').operations().save(call));
    expect(again.thought.thought_id).toBe(first.thought.thought_id);
    expect(await agent('acme/**:write').operations().save(call)).toMatchObject({ ok: false, code: 'idempotency' });
    expect(said(await agent('acme/**:read').operations().save(call))).toBe('not_granted');
    const other = signedIn(t, { agent_id: 'bob', role: 'agent' }, ['acme/**:read,write']);
    open.push(other);
    expect(value(await other.operations().save(call)).thought.thought_id).not.toBe(first.thought.thought_id);
  });

  test('goes on with no page that was begun under other grants', async () => {
    for (let at = 0; at < 2; at += 1) await approved(SCOPE);
    const thought_id = await approved(SCOPE);
    const page = { trail_names: ['acme/**'], limit: 1 };
    const wide = agent('**:read').operations();
    const { cursor } = value(await wide.recall(page));
    const walk = { record_hash: thought_id, max_nodes: 1, follow: ['annotates' as const] };
    const { cursor: mark } = value(await wide.trace(walk));
    expect([cursor, mark]).toEqual([expect.any(String), expect.any(String)]);
    const narrow = agent('acme/**:read').operations();
    expect(await narrow.recall({ ...page, cursor })).toMatchObject({ ok: false, field: 'cursor' });
    expect(await narrow.trace({ ...walk, cursor: mark })).toMatchObject({ ok: false, field: 'cursor' });
    expect(said(await wide.recall({ ...page, cursor }))).toBe('ok');
    expect(said(await wide.trace({ ...walk, cursor: mark }))).toBe('ok');
  });
});

test('what an operation is about to sign is held to the grants, whatever the call said of itself', async () => {
  const stage = async (grants: readonly string[], scope: string, path: string) => {
    const context = await agent(...grants).context();
    const call = { verb: 'save', input: {}, idempotencyKey: undefined };
    const file = { path, before: null, after: Buffer.from('x') };
    const event = { verb: 'save' as const, informed_by: [], local: { scope }, files: [file] };
    const seen: unknown[] = [];
    const outcome = await write(context, call, async (staged) => {
      seen.push(staged.head);
      return ok({ events: [event], answer: null });
    });
    expect(seen).toHaveLength(1);
    return said(outcome);
  };
  const settings = (scope: string) => `trails/${scope}/thoughts/drafts/.gitkeep`;
  expect(await stage(['acme/**:write'], 'acme/new', settings('acme/new'))).toBe('ok');
  expect(await stage(['acme/**:write'], FOREIGN, settings('acme/new'))).toBe('not_granted');
  expect(await stage(['acme/**:write'], 'acme/new', settings(FOREIGN))).toBe('not_granted');
  expect(await stage(['**:write'], 'acme/new', 'config.yaml')).toBe('not_granted');
  expect(await stage(['**:write'], 'acme/new', 'tombstone-keys.yaml')).toBe('not_granted');
});

describe('of a person', () => {
  test.each(Object.keys(DECISIONS))('%s needs a right to decide, whatever else they may', async (name) => {
    const act: Act = async (session, scope) => (await DECISIONS[name]?.(session, scope)) ?? { ok: true, value: null };
    for (const role of ['reviewer', 'operator'] as const) {
      expect(said(await act(person(role, 'acme/*:read,write', `${FOREIGN}:decide`), SCOPE))).toBe('not_granted');
      expect(said(await act(person(role, 'acme/*:decide'), SCOPE))).toBe('ok');
    }
  });

  test('to decide is not to write', async () => {
    const session = person('operator', 'acme/**:read,decide', 'open/**:read');
    for (const [name, act] of Object.entries(WRITES)) {
      if (name !== 'change scope, out of it') expect(said(await act(session, SCOPE)), name).toBe('not_granted');
    }
  });

  test('no credential gives what needs an own key, whatever its grants', async () => {
    for (const [name, act] of Object.entries(BY_KEY)) {
      expect(said(await act(person('operator', '**:read,write,decide'), SCOPE)), name).toBe('needs_own_key');
      expect(said(await act(person('reviewer', '**:read,write,decide'), SCOPE)), name).toBe('needs_operator');
    }
  });

  describe('about a move between scopes', () => {
    /** A proposal of the scope that would replace a thought of another one. */
    async function move(trail_name: string, target_trail_name: string) {
      const old = await approved(trail_name);
      const ops = t.session('alice').operations();
      const moved = { trail_name, target_trail_name, thought_id: old, content: content(), reason };
      const { thought_id } = value(await ops.changeScope(moved)).new_thought;
      value(await ops.propose({ trail_name: target_trail_name, thought_id }));
      return { old, thought_id };
    }

    test('approving it needs the right to decide in both, and neither refusal nor answer names the other', async () => {
      const { old, thought_id } = await move(FOREIGN, SCOPE);
      const approve = { trail_name: SCOPE, thought_id, verdict: 'approve' } as const;
      const near = person('reviewer', 'acme/**:read,decide');
      const refused = await near.operations().decide(approve);
      expect(refused).toMatchObject({ ok: false, code: 'authority', rule: 'not_granted' });
      const shown = await near.operations().ask({ trail_name: SCOPE, thought_id });
      expect(JSON.stringify([refused, shown])).not.toContain('vault');
      const both = person('reviewer', 'acme/**:read,decide', 'vault/**:decide');
      expect(value(await both.operations().decide(approve)).status).toBe('ok');
      const reader = agent('acme/**:read').operations();
      const read = { trail_name: SCOPE, thought_id };
      const answers = [
        await reader.get(read),
        await reader.recall({ trail_name: SCOPE }),
        await reader.trace({ record_hash: thought_id, include_content: true }),
      ];
      expect(JSON.stringify(answers)).not.toContain('vault');
      expect(value(await reader.get(read)).thought).toMatchObject({ supersedes_id: old });
      expect(value(await agent('**:read').operations().get(read)).thought).toMatchObject({ supersedes_scope: FOREIGN });
    });

    test('rejecting it changes nothing elsewhere, so it needs the right here alone', async () => {
      const { thought_id } = await move(FOREIGN, SCOPE);
      const reject = { trail_name: SCOPE, thought_id, verdict: 'reject', reason } as const;
      const rejected = value(await person('reviewer', 'acme/**:decide').operations().decide(reject));
      expect(rejected.status).toBe('rejected');
      expect(JSON.stringify(rejected)).not.toContain('vault');
    });

    test('what has moved away is known to be replaced, and not where it went', async () => {
      const { old, thought_id } = await move(SCOPE, FOREIGN);
      value(await carol.operations().decide({ trail_name: FOREIGN, thought_id, verdict: 'approve' }));
      const read = { trail_name: SCOPE, thought_id: old };
      const { thought } = value(await agent('acme/**:read').operations().get(read));
      expect(thought).toMatchObject({ superseded_by: thought_id });
      expect(JSON.stringify(thought)).not.toContain('vault');
      expect(value(await agent('**:read').operations().get(read)).thought).toMatchObject({ superseded_scope: FOREIGN });
      expect(
        said(
          await agent('acme/**:read')
            .operations()
            .get({ ...read, thought_id }),
        ),
      ).toBe('not_found');
    });
  });
});
