/** The stand-alone verifier: held to our own verifier, and to records nobody touched (the table: test/attack). */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { rotateKey } from '../../src/trail/rotate-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { commit, committed, listed } from '../attack/forge.ts';
import { makeHome } from '../crash/home.ts';
import { favaHome, gitText, STORES } from '../support/adoption.ts';
import { HAS_NO_JJ, jj, pathWithJj } from '../support/jj.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';
import { makeTamperRecord } from '../support/tamper.ts';
import { type Auditor, makeAuditor, type Verified } from './support.ts';

const NOTHING = 'Nothing here remembers an earlier state: a cut before today cannot be told';

/** Verdicts of both, of a record as it is now; only what each machine remembers is left out. */
async function both(auditor: Auditor, t: TestRecord) {
  const theirs: Verified = await auditor.verifyOnThread([auditor.clone(t.root)]);
  const ours = await verify({ ...t.record, seenFolder: join(auditor.folder, 'nothing-seen') });
  return { theirs: theirs.verdicts, ours: [...ours.verdicts].sort() };
}

test.runIf(IS_LONG)(
  'agrees with our own verifier on what the table does not hold',
  async () => {
    await using r = await makeTamperRecord();
    using auditor = makeAuditor();
    const { alice, bob } = r.logs;
    const event = (log: string, seq: number) => `ledger/${log}/0000/00/${seq.toString(16).padStart(2, '0')}.jsonl`;
    const policy = committed(r.root, r.thoughts.policy).toString();
    const config = committed(r.root, 'config.yaml').toString();
    const changes: Record<string, Parameters<typeof commit>[1]> = {
      'an event file is empty': { [event(alice, 2)]: '' },
      'an event file holds two lines': { [event(alice, 2)]: '{}\n{}\n' },
      'an event file is a link': { [event(alice, 2)]: { link: 'elsewhere' } },
      'the last event file is a link': { [event(alice, 5)]: { link: 'elsewhere' } },
      'a file of nonsense stands at the end': { [event(alice, 6)]: 'x' },
      'a file stands far beyond the end': { [`ledger/${alice}/ffff/ff/ff.jsonl`]: 'x' },
      'an event lies in a folder of nobody': { [event('0'.repeat(16), 0)]: committed(r.root, event(bob, 0)) },
      'an event of bob takes the place of one of alice': { [event(alice, 2)]: committed(r.root, event(bob, 1)) },
      'a checkpoint is left of a log': { [event(bob, 0)]: null, [event(bob, 1)]: null },
      'config.yaml is gone': { 'config.yaml': null },
      'config.yaml is edited': { 'config.yaml': `${config}push_strategy_x: immediate\n` },
      'keys.yaml is gone': { 'keys.yaml': null },
      'a thought moved to another folder': {
        [r.thoughts.policy]: null,
        [r.thoughts.policy.replace('decisions', 'intents').replace('observations', 'intents')]: policy,
      },
      'a thought holds conflict markers': { [r.thoughts.policy]: `<<<<<<< a\n${policy}>>>>>>> b\n` },
      'a file is no thought': { 'trails/acme/eng/thoughts/drafts/notes.md': 'x' },
      'a hook is added': { 'hooks/run.sh': 'true\n' },
      'an event and a thought are changed': { [event(alice, 2)]: null, [r.thoughts.ofBob]: 'x' },
    };
    // Unsigned settings of a scope that say what is in force anyway, in whatever spelling, and some that say more.
    const unsigned = 'trails/acme/eng/.fava-trails.yaml';
    const repeated = [
      '{}',
      '{name: acme/eng, stale_draft_days: 0, hooks: [],} # as above',
      'hooks: [ ]\n"separation": required\n',
    ];
    for (const text of repeated) {
      commit(r.root, { [unsigned]: text });
      expect(await both(auditor, r.t), text).toEqual({ theirs: [], ours: [] });
      r.restore();
    }
    for (const text of ['{a: b}', 'x: [{a: "b"}, [1]]', '{a: b} c'])
      changes[`unsigned settings ${text}`] = { [unsigned]: text };
    const found: object[] = [];
    const agreed: object[] = [];
    for (const [name, files] of Object.entries(changes)) {
      commit(r.root, files);
      const { theirs, ours } = await both(auditor, r.t);
      expect(ours, name).not.toEqual([]);
      found.push({ name, verdicts: theirs });
      agreed.push({ name, verdicts: ours });
      r.restore();
    }
    expect(found).toEqual(agreed);
  },
  120_000,
);

test.each(STORES)('a record adopted from FAVA passes, but for files that were no thoughts (%s)', async (_, options) => {
  using home = favaHome(options);
  const report = value(await home.adopt());
  const malformed = report.records.filter(({ becomes }) => becomes === 'malformed').map(({ path }) => path);
  using auditor = makeAuditor();
  const { findings, verdicts } = await auditor.verify([auditor.clone(home.root)]);
  expect(verdicts).toEqual(['unrecorded_change']);
  expect(findings.map(({ path }) => path).toSorted()).toEqual(malformed.toSorted());
  for (const path of malformed) rmSync(join(home.root, path));
  commit(home.root, Object.fromEntries(malformed.map((path) => [path, null])));
  const { code, notes, checked } = await auditor.verify([auditor.clone(home.root)]);
  expect({ code, notes }).toEqual({ code: 0, notes: [NOTHING] });
  expect(checked.thoughts).toBeGreaterThan(50);
});

/** As `waymark checkpoint --export` prints it. */
function exportOf({ root, record }: TestRecord): string {
  const { repositoryId, owner } = record.repository.trust;
  const checkpoints = record.repository.index
    .reader()
    .writers()
    .map(({ publicKey, log, agent_id }) => {
      return { log, public_key: publicKey, agent_id, note: committed(root, `ledger/${log}/checkpoint`).toString() };
    });
  return JSON.stringify({ waymark_checkpoints: 1, repository: repositoryId, owner, checkpoints });
}

test('follows keys that are handed over, and does not count what stands after the end of one', async () => {
  await using t = await makeRecord();
  using auditor = makeAuditor();
  const verdicts = async () => (await auditor.verify([auditor.clone(t.root)])).verdicts;
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const save = async () => value(await alice.save({ trail_name: 'acme/eng', content: 'One' })).thought.thought_id;
  const rotate = async (kind: 'agent' | 'operator' | 'owner', agentId: string) =>
    value(await rotateKey(t.record, { kind, agentId })).new_key;
  await save();
  const publicKey = await rotate('agent', 'alice');
  const thought_id = await save();
  value(await carol.decide({ trail_name: 'acme/eng', thought_id, verdict: 'approve' }));
  await rotate('operator', 'carol');
  await rotate('owner', 'owner');
  await save();
  expect(await verdicts()).toEqual([]);
  const input = { publicKey, reason: 'compromise', size: 1 } as const;
  value(await revokeKey(t.record, input, { person: 'carol', confirm: async () => ok(null) }));
  expect(await verdicts()).toEqual(['after_revocation']);
});

test('a cut that a restored event declares is a note, and one that nobody declares a cut', async () => {
  await using t = await makeRecord();
  using auditor = makeAuditor();
  const alice = t.session('alice').operations();
  const save = async (content: string) => value(await alice.save({ trail_name: 'acme/eng', content }));
  await save('One');
  const before = gitText(t.root, 'rev-parse', 'main');
  await save('Two');
  const file = join(auditor.folder, 'exported.json');
  writeFileSync(file, exportOf(t));
  gitText(t.root, 'update-ref', 'refs/heads/main', before);
  const cut = await auditor.verify([auditor.clone(t.root), '--against', file]);
  expect(cut).toMatchObject({ code: 1, verdicts: ['cut_tail'] });
  await save('Three');
  const declared = await auditor.verify([auditor.clone(t.root), '--against', file]);
  expect(declared).toMatchObject({ code: 0, findings: [], notes: [expect.stringContaining('"restored"')] });
});

test('says in words what it says as JSON, and what is wrong with its arguments', async () => {
  await using r = await makeTamperRecord();
  using auditor = makeAuditor();
  const root = auditor.clone(r.root);
  const { owner } = r.t.record.repository.trust;
  expect(await auditor.run([root, '--owner', owner])).toEqual({
    code: 0,
    stderr: '',
    stdout: expect.stringMatching(
      /^note {2}Nothing here .*\nVerified at [0-9a-f]{40}: events \d+, thoughts \d+, logs 5\n$/,
    ),
  });
  expect(await auditor.verify([root, '--owner', 'A'.repeat(43)])).toMatchObject({ code: 1, verdicts: ['re_rooted'] });
  commit(r.root, { ['ledger/\u202e\u0007evil']: 'x' });
  const { code, stdout } = await auditor.run([auditor.clone(r.root)]);
  expect(code).toBe(1);
  expect(stdout).toContain('inserted  ledger/\\u202e\\u0007evil: ');
  for (const args of [['--nonsense'], ['--owner', 'short'], [root, root], ['--evidence', root, root], ['--against']]) {
    expect(await auditor.run(args)).toMatchObject({ code: 2, stdout: '' });
  }
  mkdirSync(join(auditor.folder, 'empty'));
  for (const args of [['empty'], ['absent'], [root, '--against', 'absent'], ['--evidence', root]]) {
    expect(await auditor.verify(args)).toMatchObject({ code: 3, verdicts: ['cannot_tell'] });
  }
});

test('takes nothing from the settings of the clone, nor from objects that stand in for others', async () => {
  await using r = await makeTamperRecord();
  using auditor = makeAuditor();
  const root = auditor.clone(r.root);
  const text = committed(r.root, r.thoughts.policy).toString();
  commit(r.root, { [r.thoughts.policy]: text.replace('Policy two', 'Policy three') });
  const tampered = auditor.clone(r.root);
  expect(await auditor.verify([tampered])).toMatchObject({ verdicts: ['unrecorded_change'] });
  // A replace ref shows the signed text in the place of the committed one.
  const blob = gitText(tampered, 'rev-parse', `main:${r.thoughts.policy}`);
  const input = { cwd: tampered, input: text, encoding: 'utf8' } as const;
  const signed = spawnSync('git', ['hash-object', '-w', '--stdin'], input).stdout.trim();
  gitText(tampered, 'replace', blob, signed);
  expect(gitText(tampered, 'show', `main:${r.thoughts.policy}`)).toContain('Policy two');
  expect(await auditor.verify([tampered])).toMatchObject({ verdicts: ['unrecorded_change'] });
  // A filter, a monitor and a hook are programs that a clone may name.
  const ran = join(auditor.folder, 'ran');
  for (const name of ['core.fsmonitor', 'filter.x.smudge', 'core.sshCommand'])
    gitText(root, 'config', name, `touch ${ran}`);
  expect(await auditor.verify([root])).toMatchObject({ code: 0 });
  expect(() => rmSync(ran)).toThrow('ENOENT');
});

test('says how it is called when asked, which is no usage error', () => {
  const call = (...words: readonly string[]) =>
    spawnSync(process.execPath, ['tools/verify.mjs', ...words], { encoding: 'utf8' });
  expect(call('--help')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(/^usage: /) });
  expect(call('--nonsense')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^usage: /) });
});

test.skipIf(HAS_NO_JJ)(
  'a Jujutsu repository passes as it lies there, and what was done with jj is named',
  async () => {
    await using home = await makeHome({ path: pathWithJj() });
    await using opened = await home.open();
    value(await opened.as('alice').save({ trail_name: 'acme/eng', content: 'One' }));
    using auditor = makeAuditor();
    const { root } = home;
    const [path = ''] = listed(root, 'trails').filter((name) => name.endsWith('.md'));
    appendFileSync(join(root, path), 'Not committed\n');
    expect(await auditor.verify([root])).toMatchObject({ code: 0, findings: [], checked: { thoughts: 1 } });
    jj(root, 'commit', '-m', 'By hand');
    expect(await auditor.verify([root])).toMatchObject({ code: 0, findings: [] });
    jj(root, 'bookmark', 'set', 'main', '-r', '@-');
    expect(await auditor.verify([root])).toMatchObject({
      code: 1,
      findings: [{ verdict: 'unrecorded_change', path }],
    });
  },
  60_000,
);
