/**
 * What grants open and close: every way to read, and every way to write, through sessions of credentials.
 *
 * A caller without a grant on a scope is told exactly what the record told before that scope was in it.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dueForReview } from '../../src/trail/due.ts';
import { collectEvidence } from '../../src/trail/evidence/evidence.ts';
import { ownContent } from '../../src/trail/own-content.ts';
import { proposal } from '../../src/trail/proposal.ts';
import { queue } from '../../src/trail/queue.ts';
import type { Session } from '../../src/trail/session.ts';
import type { SaveInput } from '../../src/trail/types.ts';
import { acceptFile } from '../support/accept.ts';
import { signedIn } from '../support/credentials.ts';
import { makeRecord, value } from '../support/record.ts';

/** What callers here may read, and what some of them may not. */
const OWN = 'acme/plant';
const FOREIGN = 'vault/merger';
/** In every text, so that one question reaches all. */
const WORD = 'boiler';
/** In every text of the foreign scope. */
const SECRET = 'zanzibar';
const DAY = 86_400_000;
const ANY = '01HZZZZZZZZZZZZZZZZZZZZZZZ';

type Asks = Readonly<Record<string, () => Promise<unknown>>>;
type Credentialed = 'agent' | 'reviewer' | 'operator';

/** All of one record: what it holds in the foreign scope comes later. */
async function setUp() {
  let now = Date.UTC(2026, 0, 1);
  const t = await makeRecord({ now: () => now });
  const [alice, carol] = [t.session('alice').operations(), t.session('carol', { operator: true }).operations()];
  const save = async (trail_name: string, content: string, rest: Partial<SaveInput> = {}) =>
    value(await alice.save({ trail_name, content, source_type: 'decision', ...rest })).thought.thought_id;
  const propose = async (trail_name: string, thought_id: string) =>
    value(await alice.propose({ trail_name, thought_id })).thought.thought_id;
  const approve = async (trail_name: string, thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' })).thought.thought_id;
  /** The same kinds of thoughts and events in either scope. */
  const fill = async (scope: string, word: string) => {
    const approved: string[] = [];
    for (const text of ['status in hall one', 'status in hall two', 'decision and gotcha']) {
      const rest = { review_by: '2026-01-02', metadata: { tags: [word] } };
      approved.push(await approve(scope, await save(scope, `The ${WORD} ${word} has a ${text}`, rest)));
    }
    const proposed = await propose(scope, await save(scope, `The ${WORD} ${word} waits for a valve`));
    const draft = await save(scope, `The ${WORD} ${word} may be sold`, { informed_by: approved });
    const rejected = await save(scope, `The ${WORD} ${word} runs on rumour`);
    const reason = `Nobody measured the ${word}`;
    value(await carol.decide({ trail_name: scope, thought_id: rejected, verdict: 'reject', reason, keep_out: true }));
    value(await alice.start({ trail_name: scope, description: `Look after the ${word}` }));
    now += 1000;
    return { approved, proposed, draft, rejected };
  };
  const own = await fill(OWN, 'iron');
  await acceptFile({ root: t.root, operations: carol }, `trails/${OWN}/.fava-trails.yaml`, 'known_at: open\n');
  now += 3 * DAY;
  return {
    t,
    own,
    alice,
    carol,
    save,
    approve,
    today: () => new Date(now - 1).toISOString(),
    /** The second scope, with links to the first. */
    async plant() {
      const there = await fill(FOREIGN, SECRET);
      await acceptFile({ root: t.root, operations: carol }, `trails/${FOREIGN}/.fava-trails.yaml`, 'known_at: open\n');
      const [first = ''] = own.approved;
      const relationships = [{ type: 'DEPENDS_ON' as const, target_id: first }];
      const text = `status of the ${WORD} ${SECRET} rests on iron`;
      const linked = await save(FOREIGN, text, { relationships, informed_by: [first], parent_id: first });
      await approve(FOREIGN, linked);
      now += DAY;
      return { ...there, linked };
    },
  };
}

interface Asked {
  readonly scope: string;
  /** Of the thought that is asked for by name. */
  readonly id: string;
  /** A time that has passed. */
  readonly earlier: string;
  readonly role: Credentialed;
}

/** Every way to read that is open to the role: what is refused by a rule leaves an event of its own. */
function surfaces(session: Session, { scope: trail_name, id: thought_id, earlier, role }: Asked): Asks {
  const ops = session.operations();
  const trail_names = ['**'];
  const everywhere = { trail_names, query: WORD };
  return {
    'recall in the scope': () => ops.recall({ trail_name, query: WORD, full: true }),
    'recall everywhere': () => ops.recall(everywhere),
    'recall a page': () => ops.recall({ trail_names, order: 'newest', limit: 2 }),
    'recall with relationships': () => ops.recall({ trail_names, include_relationships: true }),
    'recall own': () => ops.recall({ trail_names, mode: 'authoring' }),
    'recall as true then': () => ops.recall({ ...everywhere, valid_at: earlier }),
    'session start': () => ops.recallSession({ trail_name }),
    scopes: () => ops.listScopes({ include_stats: true }),
    'scopes below': () => ops.listScopes({ prefix: trail_name.split('/')[0] ?? '' }),
    duplicates: () => ops.duplicates({}),
    'own content': async () => {
      const found = await ownContent(await session.context(), { scope: trail_name });
      return found.ok ? [...found.value] : found;
    },
    sync: () => ops.sync({ trail_name }),
    get: () => ops.get({ trail_name, thought_id }),
    'get, other scope named': () => ops.get({ trail_name: 'some/where', thought_id }),
    'get by prefix': () => ops.get({ trail_name, thought_id: thought_id.slice(0, 25) }),
    'get own': () => ops.get({ trail_name, thought_id, mode: 'authoring' }),
    trace: () => ops.trace({ record_hash: thought_id, include_content: true, depth: 5 }),
    'trace forward': () =>
      ops.trace({ record_hash: thought_id, direction: 'forward', depth: 5, include_content: true }),
    'trace page': () => ops.trace({ record_hash: thought_id, direction: 'forward', max_nodes: 1 }),
    'trace path': () => ops.tracePath({ record_hash: thought_id, path_to: thought_id }),
    summarize: () => ops.summarize({ from: thought_id }),
    due: async () => {
      const { repository, principal } = await session.context();
      return (await repository.read((index) => dueForReview(index, { now: repository.now(), principal }))).value;
    },
    queue: async () => queue(await session.context()),
    'queue, a page': async () => queue(await session.context(), { author: 'alice', limit: 1 }),
    proposal: async () => proposal(await session.context(), { scope: trail_name, thought_id }),
    ...(role === 'agent' ? {} : { ask: () => ops.ask({ trail_name, thought_id }) }),
    ...(role === 'operator'
      ? {
          'recall history': () => ops.recall({ ...everywhere, mode: 'history', include_superseded: true }),
          'get history': () => ops.get({ trail_name, thought_id, mode: 'history' }),
          'recall as known then': () => ops.recall({ ...everywhere, known_at: earlier }),
          'get as known then': () => ops.get({ trail_name, thought_id, known_at: earlier }),
        }
      : {}),
  };
}

async function answers(asks: Asks): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [name, ask] of Object.entries(asks)) found[name] = JSON.stringify(await ask());
  return found;
}

/** Names of the answers that say one of the words. */
function telling(found: Readonly<Record<string, string>>, words: readonly string[]): readonly string[] {
  return Object.keys(found).filter((name) => words.some((word) => found[name]?.includes(word)));
}

describe('reading', () => {
  let s: Awaited<ReturnType<typeof setUp>>;
  let planted: Awaited<ReturnType<typeof s.plant>>;
  const before = new Map<string, Readonly<Record<string, string>>>();

  /** Alice, whose drafts are in both scopes; and people, who have written nothing. */
  const call = (role: Credentialed, grants: readonly string[]) =>
    signedIn(s.t, { agent_id: role === 'agent' ? 'alice' : 'paula', role }, grants);
  const NARROW = [
    ['agent', []],
    ['operator', ['elsewhere/**:read,write,decide']],
    ['agent', ['acme/**:read']],
    ['reviewer', ['acme/*:read,decide']],
    ['operator', ['acme/**:read,decide', 'vault:read,decide', `${FOREIGN}/below:read,decide`, 'vaul*:read,decide']],
    // Not even a grant to write there tells what is there.
    ['agent', ['acme/**:read', 'vault/**:write']],
  ] satisfies readonly (readonly [Credentialed, readonly string[]])[];
  const NAMED = NARROW.map(
    ([role, grants]) => [`${role} with ${grants.join(' ') || 'no grant'}`, role, grants] as const,
  );
  const earlier = '2026-01-03T00:00:00Z';
  const everything = async (role: Credentialed, grants: readonly string[]) => {
    const session = call(role, grants);
    const [first = ''] = s.own.approved;
    const waiting = surfaces(session, { scope: OWN, id: s.own.proposed, earlier, role });
    const all = {
      ...(await answers(surfaces(session, { scope: OWN, id: first, earlier, role }))),
      ...prefixed('what waits: ', await answers(waiting)),
      ...prefixed('there: ', await answers(surfaces(session, { scope: FOREIGN, id: ANY, earlier, role }))),
    };
    await session.close();
    return all;
  };

  beforeAll(async () => {
    s = await setUp();
    for (const [name, role, grants] of NAMED) before.set(name, await everything(role, grants));
    planted = await s.plant();
  });

  afterAll(() => s.t[Symbol.asyncDispose]());

  test.each(NAMED)(
    'to %s every answer is byte for byte what it was before the scope came',
    async (name, role, grants) => {
      const after = await everything(role, grants);
      expect(after).toEqual(before.get(name));
      expect(telling(after, [SECRET, ...idsOf(planted)])).toEqual([]);
    },
  );

  test('an id of the foreign scope is as one that nobody has', async () => {
    for (const role of ['agent', 'reviewer', 'operator'] as const) {
      const session = call(role, ['acme/**:read,decide']);
      const ask = (id: string) => answers(surfaces(session, { scope: FOREIGN, id, earlier, role }));
      const ofNobody = await ask(ANY);
      for (const id of [planted.approved[0], planted.proposed, planted.draft]) {
        const found = await ask(id ?? '');
        const neutral = Object.entries(found).map(([name, said]) => [name, said.replaceAll(id ?? '', ANY)]);
        expect(Object.fromEntries(neutral), role).toEqual(ofNobody);
      }
      await session.close();
    }
  });

  test('with a grant there every surface tells of it, to whom it is for', async () => {
    const told = new Set<string>();
    const all = new Set<string>();
    for (const role of ['agent', 'reviewer', 'operator'] as const) {
      const session = call(role, ['vault/**:read,decide']);
      for (const id of [planted.linked, planted.proposed, planted.draft]) {
        const asks = surfaces(session, { scope: FOREIGN, id, earlier: s.today(), role });
        const found = await answers(asks);
        const others = idsOf(planted).filter((other) => other !== id);
        for (const name of telling(found, [SECRET, ...others, `"path":"${FOREIGN}"`])) told.add(name);
        for (const name of Object.keys(asks)) all.add(name);
      }
      await session.close();
    }
    // It says the same to everybody about any scope.
    expect([...all].filter((name) => !told.has(name))).toEqual(['sync']);
  });

  test('whether a scope is open for earlier times is told to whoever reads there alone', async () => {
    const session = call('agent', ['acme/**:read']);
    const ask = (trail_name: string) => session.operations().recall({ trail_name, known_at: earlier });
    // Each sets "known_at: open".
    expect(value(await ask(OWN)).total).toBe(3);
    const [there, nowhere] = [await ask(FOREIGN), await ask('no/where')];
    expect(there).toMatchObject({ ok: false, rule: 'known_at_needs_operator' });
    expect(JSON.stringify(there).replaceAll(FOREIGN, 'no/where')).toBe(JSON.stringify(nowhere));
    await session.close();
    const wide = call('agent', ['vault/**:read']);
    expect(await wide.operations().recall({ trail_name: FOREIGN, known_at: s.today() })).toMatchObject({ ok: true });
    await wide.close();
  });

  test('evidence about a thought of the own scope holds nothing of the foreign one', async () => {
    const [id = ''] = s.own.approved;
    const archive = async (grants: readonly string[], about: string) => {
      const session = call('operator', grants);
      const made = await collectEvidence(await session.context(), { id: about, verifier: new Uint8Array() });
      await session.close();
      return made.ok
        ? [...made.value.files].map(([name, bytes]) => name + Buffer.from(bytes).toString('utf8')).join()
        : made;
    };
    const own = await archive(['acme/**:read'], id);
    expect(own).toContain('iron');
    expect(own).not.toMatch(new RegExp(`${SECRET}|${idsOf(planted).join('|')}`));
    expect(await archive(['acme/**:read'], planted.linked)).toMatchObject({ ok: false, code: 'not_found' });
    expect(await archive(['**:read'], planted.linked)).toContain(SECRET);
  });
});

function prefixed(prefix: string, found: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(found).map(([name, said]) => [prefix + name, said]));
}

function idsOf(planted: {
  readonly approved: readonly string[];
  readonly proposed: string;
  readonly draft: string;
  readonly rejected: string;
  readonly linked: string;
}): readonly string[] {
  const { approved, proposed, draft, rejected, linked } = planted;
  return [...approved, proposed, draft, rejected, linked];
}
