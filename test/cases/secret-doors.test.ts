/** Every door a text can come in by refuses a secret, and leaves nothing of it anywhere (cases.md B47). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { enrolKey } from '../../src/trail/keys.ts';
import { parsed } from '../cli/support.ts';
import { alnum } from '../secrets/examples.ts';
import { editFile } from '../support/accept.ts';
import { favaHome } from '../support/adoption.ts';
import { favaCommit, favaId, favaThought } from '../support/fava-repository.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { eventsOf, placesOf } from './evidence.ts';

/** Of the own table; of it through an invisible character; of secretlint alone; by its name alone. */
const SECRETS = {
  github_pat: `gh${'p_'}${alnum(36)}`,
  anthropic_api_key: `sk-${'ant'}\u200b-api03-${alnum(40)}`,
  'secretlint-rule-shopify': `shp${'at_'}${alnum(32)}`,
  secret_assignment: `PASS${'WORD'}=h4rd2guess`,
} as const;
const SCOPE = { trail_name: 'acme/api' };

interface Doors {
  readonly t: TestRecord;
  /** An approved thought, a proposed one and a draft of alice. */
  readonly approved: string;
  readonly proposed: string;
  readonly draft: string;
}

/** What each door answers to a text: the refusal's code and rule, or `ok`. */
const DOORS: Readonly<Record<string, (text: string, at: Doors) => Promise<unknown>>> = {
  'save: body': async (text, { t }) => alice(t).save({ ...SCOPE, content: `before ${text} after` }),
  'save: title': async (text, { t }) => alice(t).save({ ...SCOPE, content: `# ${text}\n\nwords` }),
  'save: tag': async (text, { t }) => alice(t).save({ ...SCOPE, content: 'x', metadata: { tags: ['t', text] } }),
  'save: metadata at depth': async (text, { t }) =>
    alice(t).save({ ...SCOPE, content: 'x', metadata: { extra: { a: [{ b: { c: text } }] } } }),
  'save: key at depth': async (text, { t }) =>
    alice(t).save({ ...SCOPE, content: 'x', metadata: { extra: { a: [{ [text]: 1 }] } } }),
  'save: idempotency key': async (text, { t }) => alice(t).save({ ...SCOPE, content: 'x', idempotency_key: text }),
  'save: relationship': async (text, { t, draft }) =>
    alice(t).save({ ...SCOPE, content: 'x', intent_ref: text, parent_id: draft }),
  'update: body': async (text, { t, draft }) => alice(t).update({ ...SCOPE, thought_id: draft, content: text }),
  'supersede: reason': async (text, { t, approved }) =>
    alice(t).supersede({ ...SCOPE, thought_id: approved, content: 'y', reason: text }),
  'learn: body': async (text, { t }) => alice(t).learnPreference({ ...SCOPE, content: text }),
  'start: description': async (text, { t }) => alice(t).start({ ...SCOPE, description: text }),
  'decide: reason': async (text, { t, proposed }) =>
    operator(t).decide({ ...SCOPE, thought_id: proposed, verdict: 'request_changes', reason: text }),
  'forget: reason': async (text, { t, approved }) =>
    operator(t).forget({ ...SCOPE, thought_id: approved, reason: text, keep_out: false }),
  'enrol: display name': async (text, { t }) => {
    const key = { publicKey: 'A'.repeat(43), agentId: 'dave', role: 'operator' as const, name: text };
    return enrolKey(t.record, key, { person: 'carol' });
  },
  'accept: settings file': async (text, { t }) => {
    editFile(t.root, 'trails/acme/trust-gate-prompt.md', `Judge by ${text}\n`);
    try {
      return await operator(t).accept({ paths: ['trails/acme/trust-gate-prompt.md'] });
    } finally {
      rmSync(join(t.root, 'trails/acme/trust-gate-prompt.md'));
      await operator(t).accept({ paths: ['trails/acme/trust-gate-prompt.md'] });
    }
  },
  'import: note': async (text, { t }) => imported(t, 'note.md', `# Note\n\n${text}\n`),
  'import: line': async (text, { t }) =>
    imported(t, 'lines.jsonl', `${JSON.stringify({ content: 'x', metadata: { extra: { [text]: [text] } } })}\n`),
};

test('a secret of any kind is refused at every door and is nowhere then', async () => {
  await using t = await makeRecord();
  const at = await filled(t);
  for (const [rule, secret] of Object.entries(SECRETS)) {
    // A door that knows what secretlint alone finds has asked the own table first: the other kinds try one door.
    const tried = rule.startsWith('secretlint') ? Object.entries(DOORS) : Object.entries(DOORS).slice(0, 1);
    for (const [door, knock] of tried) {
      const answer = await knock(secret, at);
      expect(answer, door).toMatchObject({ ok: false, code: 'secret', rule });
      expect(JSON.stringify(answer), door).not.toContain(secret.slice(-12));
    }
    for (const part of [secret, secret.slice(-12)]) expect(placesOf(part, dirname(t.root), t.root)).toEqual([]);
    expect(JSON.stringify(eventsOf(t.root))).toContain(`"rule":"${rule}"`);
  }
  // The same doors are open to a text that holds none.
  for (const [door, knock] of Object.entries(DOORS)) {
    expect(JSON.stringify(await knock('harmless-marker', at)), door).not.toContain('"code":"secret"');
  }
  expect(placesOf('harmless-marker', dirname(t.root), t.root)).not.toEqual([]);
});

test('a process whose agent id is a secret is refused, and an ordinary one is served', async () => {
  await using t = await makeRecord();
  const at = (id: string) => ({ cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: id } });
  const refused = await parsed(['scopes', '--json'], at(SECRETS.github_pat));
  expect(refused.code).toBe(3);
  expect(refused.stdout + refused.stderr).toContain('github_pat');
  expect(refused.stdout + refused.stderr).not.toContain(SECRETS.github_pat.slice(4, 20));
  expect((await parsed(['scopes', '--json'], at('alice'))).code).toBe(0);
});

test('adoption names a file that holds a secret, signs nothing for it, and shows it to nobody', async () => {
  using home = favaHome();
  const path = `trails/acme/thoughts/decisions/${favaId(90)}.md`;
  const text = favaThought({ id: favaId(90), status: 'approved', body: `mine ${SECRETS['secretlint-rule-shopify']}` });
  favaCommit(home.root, { [path]: text, 'trails/acme/.fava-trails.yaml': `# ${SECRETS.github_pat}\n` });
  for (const dryRun of [true, false]) {
    const report = value(await home.adopt({ dryRun }));
    const skipped = report.records.find((record) => record.path === path);
    expect(skipped).toMatchObject({ becomes: 'skipped', why: expect.stringContaining('"secretlint-rule-shopify"') });
    expect(report.settings).not.toContain('trails/acme/.fava-trails.yaml');
    expect(report.settings_changed).toContain('trails/acme/.fava-trails.yaml');
    expect(report.counts.governed).toBeGreaterThan(0);
    expect(JSON.stringify(report)).not.toContain(SECRETS.github_pat.slice(4, 20));
  }
  expect(JSON.stringify(eventsOf(home.root))).not.toContain(favaId(90));
  await home.use(async ({ session }) => {
    const seen = await session('bob').operations().recall({ trail_name: 'acme', query: 'mine' });
    expect(JSON.stringify(seen)).not.toContain(favaId(90));
  });
});

function alice(t: TestRecord) {
  return t.session('alice').operations();
}

function operator(t: TestRecord) {
  return t.session('carol', { operator: true }).operations();
}

async function filled(t: TestRecord): Promise<Doors> {
  const ids: string[] = [];
  for (const content of ['one', 'two', 'three']) {
    ids.push(value(await alice(t).save({ ...SCOPE, content })).thought.thought_id);
  }
  const [approved = '', proposed = '', draft = ''] = ids;
  for (const thought_id of [approved, proposed]) value(await alice(t).propose({ ...SCOPE, thought_id }));
  value(await operator(t).decide({ ...SCOPE, thought_id: approved, verdict: 'approve' }));
  return { t, approved, proposed, draft };
}

/** The answer of `waymark import` about the one item of a file, which is gone again then. */
async function imported(t: TestRecord, name: string, text: string): Promise<unknown> {
  const folder = join(dirname(t.root), 'files');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  const options = { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: 'alice' } };
  const ended = await parsed(['import', folder, '--scope', 'acme/notes', '--json'], options);
  rmSync(folder, { recursive: true });
  const { items } = JSON.parse(ended.stdout);
  const [, rule] = /rule "([^"]+)"/.exec(items[0].message ?? '') ?? [];
  return { ...items[0], ok: items[0].outcome !== 'refused', rule };
}
