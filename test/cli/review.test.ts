import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { eventsOf } from '../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { json, onTerminal, parsed, waymark } from './support.ts';

const ASK = '[q]uit: ';
const WHY = 'author reads: ';
const GROUNDS = 'or Enter for other: ';
const KEEP = 'from now on? ';

async function proposed(t: TestRecord, content: string, agent = 'alice'): Promise<string> {
  const operations = t.session(agent).operations();
  const saved = value(await operations.save({ trail_name: 'acme/eng', content, source_type: 'decision' }));
  const { thought_id } = saved.thought;
  value(await operations.propose({ trail_name: 'acme/eng', thought_id }));
  return thought_id;
}

function as(t: TestRecord, agentId: string) {
  return { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: agentId } };
}

test('the queue is decided oldest first, each proposal whole, with all three verdicts (B42)', async () => {
  await using t = await makeRecord();
  const first = await proposed(t, 'Retry twice\nand log it');
  const second = await proposed(t, 'Use tabs');
  const third = await proposed(t, 'Ship on Fridays');
  const run = await onTerminal(['review'], {
    ...as(t, 'carol'),
    answers: [
      [ASK, 'a\n'],
      [ASK, 'reject\n'],
      [WHY, '\n'],
      [WHY, 'No tabs\n'],
      [GROUNDS, 'sunny\n'],
      [GROUNDS, 'o\n'],
      [KEEP, '\n'],
      [ASK, 'nonsense\n'],
      [ASK, 'c\n'],
      [WHY, 'Name the day\n'],
    ],
  });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('You decide as carol');
  expect(run.stdout).toMatch(/author +alice\n/);
  expect(run.stdout).toMatch(/scope +acme\/eng\n/);
  expect(run.stdout).toMatch(/proposed +20\d\d-.*Z, \d+ s ago\n/);
  expect(run.stdout).toContain('Text\n  Retry twice\n  and log it\n');
  expect(run.stdout.match(/Your decision is signed and stays in the permanent record\n/g)).toHaveLength(3);
  expect(run.stdout).toContain('3 of 3 decided');
  const at = [first, second, third].map((id) => run.stdout.indexOf(id));
  expect([...at].sort((a, b) => a - b)).toEqual(at);
  expect(at).not.toContain(-1);

  const alice = t.session('alice').operations();
  const own = (thought_id: string, mode?: 'authoring') => alice.get({ trail_name: 'acme/eng', thought_id, mode });
  expect(value(await own(first)).thought.validation_status).toBe('approved');
  const rejected = value(await own(second, 'authoring')).thought;
  expect(rejected.validation_status).toBe('rejected');
  expect(rejected.metadata?.extra?.['trust_gate']).toMatchObject({
    reasoning: 'No tabs',
    grounds: 'outdated',
    reviewer: 'human:carol',
  });
  const back = value(await own(third, 'authoring')).thought;
  expect(back.validation_status).toBe('draft');
  expect(back.metadata?.extra?.['trust_gate']).toMatchObject({ reasoning: 'Name the day' });
});

test('the difference to what a proposal would replace is shown (B42)', async () => {
  await using t = await makeRecord();
  const body = (n: number) => ['# Retries', '', 'a', 'b', 'c', 'd', `Retry ${n} times`, ''].join('\n');
  const first = await proposed(t, body(2));
  const carol = t.session('carol', { operator: true }).operations();
  value(await carol.decide({ trail_name: 'acme/eng', thought_id: first, verdict: 'approve' }));
  const bob = t.session('bob').operations();
  const input = { trail_name: 'acme/eng', thought_id: first, content: body(1), reason: 'Too much' };
  const { new_thought } = value(await bob.supersede(input));
  value(await bob.propose({ trail_name: 'acme/eng', thought_id: new_thought.thought_id }));

  const run = await onTerminal(['review'], { ...as(t, 'carol'), answers: [[ASK, 'a\n']] });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain(`Difference to ${first} in acme/eng, which it would replace\n`);
  expect(run.stdout).toContain(
    '    ... 3 unchanged lines\n    b\n    c\n    d\n  - Retry 2 times\n  + Retry 1 times\n',
  );
  expect(run.stdout).toContain('Too much');
  const recalled = value(await bob.recall({ trail_name: 'acme/eng' })).thoughts.map((thought) => thought.thought_id);
  expect(recalled).toEqual([new_thought.thought_id]);
});

test('skipping and quitting decide nothing', async () => {
  await using t = await makeRecord();
  await proposed(t, 'One');
  await proposed(t, 'Two');
  await proposed(t, 'Three');
  const run = await onTerminal(['review'], {
    ...as(t, 'carol'),
    answers: [
      [ASK, 's\n'],
      [ASK, 'q\n'],
    ],
  });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('Proposal 2 of 3');
  expect(run.stdout).not.toContain('Proposal 3 of 3');
  expect(run.stdout).toContain('0 of 3 decided');
  expect(json(await waymark(['review', '--json'], as(t, 'carol')))).toMatchObject({ count: 3, due: { count: 0 } });
});

test('a proposal that changed while it was read is refused and shown again', async () => {
  await using t = await makeRecord();
  const id = await proposed(t, 'First wording');
  const alice = t.session('alice').operations();
  const editThenApprove = async () => {
    value(await alice.update({ trail_name: 'acme/eng', thought_id: id, content: 'Second wording' }));
    value(await alice.propose({ trail_name: 'acme/eng', thought_id: id }));
    return 'a\n';
  };
  const run = await onTerminal(['review'], {
    ...as(t, 'carol'),
    answers: [
      [ASK, editThenApprove],
      [ASK, 'a\n'],
    ],
  });
  expect(run.stdout).toMatch(/First wording[\s\S]*Refused: The claim changed[\s\S]*Second wording/);
  expect(run.stdout).toContain('1 of 1 decided');
  const bob = t.session('bob').operations();
  expect(value(await bob.recall({ trail_name: 'acme/eng', full: true })).thoughts).toMatchObject([
    { thought_id: id, content: 'Second wording' },
  ]);
});

test('stored text cannot act on the terminal', async () => {
  await using t = await makeRecord();
  await proposed(t, 'Harmless\u001b[2J\u001b[1;1H\u202egnol\u009b31m\rhidden');
  const run = await onTerminal(['review'], { ...as(t, 'carol'), answers: [[ASK, 's\n']] });
  expect(run.stdout).toContain('Harmless<U+001B>[2J<U+001B>[1;1H<U+202E>gnol<U+009B>31m<U+000D>hidden');
  expect(run.stdout).not.toContain('\u001b');
});

test('an approval by the author says so before and after', async () => {
  await using t = await makeRecord();
  const id = await proposed(t, 'Mine', 'carol');
  const run = await onTerminal(['review'], { ...as(t, 'carol'), answers: [[ASK, 'a\n']] });
  expect(run.stdout).toContain('carol (you: an approval is marked as your own)');
  const shown = value(await t.session('bob').operations().get({ trail_name: 'acme/eng', thought_id: id }));
  expect(shown.thought.metadata?.extra?.['approval']).toMatchObject({ kind: 'human', self: true });
});

test('without a terminal the queue is printed, nothing is decided, and the exit code is 1', async () => {
  await using t = await makeRecord();
  const id = await proposed(t, 'Waits');
  const plain = await waymark(['review'], as(t, 'carol'));
  expect(plain.code).toBe(1);
  expect(plain.stdout).toContain(id);
  expect(plain.stdout).toContain('Waits');
  const listed = await waymark(['review', '--json', '--scope', 'acme/*'], as(t, 'carol'));
  expect(listed.code).toBe(1);
  expect(json(listed)).toMatchObject({ count: 1, proposals: [{ thought_id: id, source_trail: 'acme/eng' }] });
  const elsewhere = await waymark(['review', '--json', '--scope', 'other'], as(t, 'carol'));
  expect(json(elsewhere)).toMatchObject({ count: 0 });
});

test('the person is the holder of the operator key, else the account', async () => {
  await using t = await makeRecord();
  await proposed(t, 'Waits');
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const run = await onTerminal(['review'], { cwd: t.root, env: t.env, answers: [[ASK, 'a\n']] });
  expect(run.stdout).toContain('You decide as carol');

  await using other = await makeRecord();
  await proposed(other, 'Waits');
  const account = execFileSync('id', ['-un'], { encoding: 'utf8' }).trim();
  const mine = await onTerminal(['review'], { cwd: other.root, env: other.env, answers: [[ASK, 'q\n']] });
  expect(mine.stdout).toContain(`You decide as ${account}`);
});

test('a second operator without enrolment is refused with the command that enrols it', async () => {
  await using t = await makeRecord();
  await proposed(t, 'Secret plan');
  value(await t.session('carol', { operator: true }).operations().listScopes({}));
  const refused = await waymark(['review'], as(t, 'dave'));
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).not.toContain('Secret plan');
  expect(refused.stderr).toContain('waymark key show');
  expect(refused.stderr).toContain('waymark key enrol PUBKEY --agent dave --role operator');

  const shown = await waymark(['key', 'show', '--json'], as(t, 'dave'));
  const key = JSON.stringify(json(shown)).match(/"public_key":"([^"]{43})","kind":"operator"/)?.[1] ?? '';
  const again = await waymark(['review'], as(t, 'dave'));
  expect(again.stderr).toContain(`waymark key enrol ${key} --agent dave --role operator`);
  const enrolled = await waymark(
    ['key', 'enrol', key, '--agent', 'dave', '--role', 'operator', '--name', 'Dave'],
    as(t, 'carol'),
  );
  expect(enrolled.code).toBe(0);
  const now = await waymark(['review'], as(t, 'dave'));
  expect(now.stdout).toContain('Secret plan');
});

const GO_ON = 'to decide nothing: ';

test('a verdict by rule shows what it does, asks once, and signs one event for each (B41)', async () => {
  await using t = await makeRecord();
  const [first, second] = [await proposed(t, 'One\u001b[2J'), await proposed(t, 'Two')];
  const other = await proposed(t, 'Of bob', 'bob');
  const rule = ['review', '--all', '--verdict', 'reject', '--reason', 'Not now', '--grounds', 'outdated', '--author'];
  const kept = await onTerminal([...rule, 'alice'], { ...as(t, 'carol'), answers: [[GO_ON, 'y\n']] });
  expect(kept.code).toBe(1);
  expect(kept.stdout).toContain('Nothing was decided');
  expect(json(await waymark(['review', '--json'], as(t, 'carol')))).toMatchObject({ count: 3 });

  const run = await onTerminal([...rule, 'alice'], { ...as(t, 'carol'), answers: [[GO_ON, '2\n']] });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('Rejects 2 proposals as carol: 1 scope, 1 author\nReason: Not now\nGrounds: outdated\n');
  expect(run.stdout).toContain('signed on its own, and stays in the permanent record');
  expect(run.stdout).toContain('2 of 2 decided');
  expect(run.stdout).toContain('One<U+001B>[2J');
  expect(run.stdout).not.toContain(other);
  const rejections = eventsOf(t.root).filter(({ _local: local }) => local?.verb === 'reject');
  expect(rejections.map(({ _local: local }) => local?.thought_id)).toEqual([first, second]);
  for (const { _local: local } of rejections) {
    expect(local).toMatchObject({ reason: 'Not now', grounds: 'outdated', kind: 'human', claim: expect.any(String) });
  }
  expect(json(await waymark(['review', '--json'], as(t, 'carol')))).toMatchObject({
    count: 1,
    proposals: [{ thought_id: other }],
  });
});

test('a verdict by rule leaves what changed since it was shown, and names it', async () => {
  await using t = await makeRecord();
  const [first, second] = [await proposed(t, 'Stays'), await proposed(t, 'Changes')];
  const alice = t.session('alice').operations();
  const editThenGoOn = async () => {
    value(await alice.update({ trail_name: 'acme/eng', thought_id: second, content: 'Changed' }));
    value(await alice.propose({ trail_name: 'acme/eng', thought_id: second }));
    return '2\n';
  };
  const rule = ['review', '--all', '--verdict', 'approve', '--scope', 'acme/*'];
  const run = await onTerminal(rule, { ...as(t, 'carol'), answers: [[GO_ON, editThenGoOn]] });
  expect(run.code).toBe(1);
  expect(run.stdout).toContain('1 of 2 decided');
  expect(run.stdout).toMatch(new RegExp(`Not decided\n  ${second}  acme/eng  The claim changed since it was reviewed`));
  const shown = value(await t.session('bob').operations().recall({ trail_name: 'acme/eng' })).thoughts;
  expect(shown.map((thought) => thought.thought_id)).toEqual([first]);
});

test.each([
  [['--all'], '"--all" needs "--verdict"'],
  [['--all', '--verdict', 'reject'], 'needs "--reason"'],
  [['--all', '--verdict', 'approve', '--grounds', 'false'], '"--grounds" belongs to'],
  [['--verdict', 'approve'], 'Add "--all"'],
  [['--all', '--verdict', 'maybe'], 'Allowed choices are approve, reject, changes'],
])('review %j is usage, and names what goes with what', async (args, said) => {
  // Before any record is looked for.
  const refused = await parsed(['review', ...args], { cwd: '/', env: {} });
  expect(refused.code).toBe(2);
  expect(refused.stdout + refused.stderr).toContain(said);
});

test('the flags of review narrow what is listed', async () => {
  await using t = await makeRecord();
  await proposed(t, 'Waits');
  const listed = async (...args: readonly string[]) =>
    json(await parsed(['review', '--json', ...args], as(t, 'carol')))['count'];
  expect(await listed()).toBe(1);
  expect(await listed('--author', 'alice', '--type', 'decision', '--older-than', '0')).toBe(1);
  expect(await listed('--author', 'bob')).toBe(0);
  expect(await listed('--type', 'observation')).toBe(0);
  expect(await listed('--older-than', '1')).toBe(0);
  expect(await listed('--advice', 'approve')).toBe(0);
  expect(await listed('--near-tombstone')).toBe(0);
  // A rule without a terminal lists, and decides nothing.
  expect(await listed('--all', '--verdict', 'approve')).toBe(1);
  expect(await listed()).toBe(1);
  const status = await parsed(['status', '--json'], as(t, 'carol'));
  expect(json(status)).toMatchObject({ queue: 1, queue_over_7_days: 0, queue_since: expect.any(String) });
  expect((await parsed(['status'], as(t, 'carol'))).stdout).toMatch(
    /1 waiting for a decision, the oldest for \d+ s: waymark review\n/,
  );
});
