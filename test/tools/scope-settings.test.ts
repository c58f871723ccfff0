/** A settings file that nobody signed is no difference as long as it says what is in force: both verifiers know which. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderScopeSettings } from '../../src/config/index.ts';
import { scopeSettings } from '../../src/trail/settings.ts';
import { verify } from '../../src/trail/verify.ts';
import { commit, committed } from '../attack/forge.ts';
import { IS_LONG } from '../support/long.ts';
import { makeRecord, value } from '../support/record.ts';
import { makeAuditor } from './support.ts';

const policy = fc.constantFrom('human', 'llm-oneshot', 'decisions', 'llm-then-human', 'quorum', 'of another version');
const settings = fc.record(
  {
    trust_gate_policy: policy,
    trust_gate_tiers: fc.dictionary(fc.constantFrom('observation', 'decision', 'user_input'), policy, { maxKeys: 2 }),
    quorum: fc.integer({ min: 2, max: 4 }),
    known_at: fc.constantFrom('open', 'closed'),
    separation: fc.constant('required'),
    confirm: fc.constant('required'),
    stale_draft_days: fc.constantFrom(0, 9),
  },
  { requiredKeys: [] },
);
const malformed = fc.constantFrom(
  { quorum: 1 },
  { known_at: 'ajar' },
  { trust_gate_tiers: { poem: 'human' } },
  { trust_gate_tiers: { decision: 1 } },
  { confirm: 'optional' },
  { hooks: [{}] },
  { stale_draft_days: -1 },
);

test('what an unsigned settings file of a scope may say without being a difference, of every setting', async () => {
  await using t = await makeRecord();
  using auditor = makeAuditor();
  const carol = t.session('carol', { operator: true }).operations();
  const alice = t.session('alice').operations();
  const count = IS_LONG ? 200 : 60;
  const drawn = fc.sample(
    fc.tuple(settings, settings, fc.oneof({ weight: 9, arbitrary: settings }, { weight: 1, arbitrary: malformed })),
    {
      numRuns: count,
      seed: 5,
    },
  );
  const trails = Object.fromEntries(
    drawn.flatMap(([above, own], at) => [
      [`s${at}`, above],
      [`s${at}/own`, own],
    ]),
  );
  const path = join(t.root, 'config.yaml');
  const block = Object.entries(trails).map(
    ([scope, entry]) => `  ${scope}: ${JSON.stringify(entry).replaceAll('":', '": ')}\n`,
  );
  writeFileSync(path, `${committed(t.root, 'config.yaml')}trails:\n${block.join('')}`);
  value(await carol.accept({ paths: ['config.yaml'] }));
  // As the operation writes it, under settings of every kind.
  for (const at of [0, 1, 2, 3, 4, 5]) value(await alice.save({ trail_name: `s${at}/own/new`, content: 'One' }));
  const files = drawn.map(([, , said], at): readonly [string, string] => {
    const inherited = renderScopeSettings('x', scopeSettings(t.record.repository.index.reader(), `s${at}/own`));
    const changed = `${inherited.replace('hooks: []', 'stale_draft_days: 8').replace('stale_draft_days: 0\n', '')}`;
    const texts = [inherited, JSON.stringify(said).replaceAll('":', '": '), changed];
    return [`trails/s${at}/own/.fava-trails.yaml`, texts[at % 3] ?? ''];
  });
  commit(t.root, Object.fromEntries(files));
  const [ours, theirs] = [await verify(t.record), await auditor.verifyOnThread([auditor.clone(t.root)])];
  const told = (findings: readonly { readonly verdict?: string | undefined; readonly path?: string | undefined }[]) =>
    findings.map(({ verdict, path: at }) => `${verdict} ${at} ${files.find(([name]) => name === at)?.[1]}`).sort();
  expect(told(theirs.findings)).toEqual(told(ours.findings));
  // What is inherited is none, and what is changed is one.
  const named = new Set(ours.findings.map((finding) => finding.path));
  expect(files.filter(([name], at) => at % 3 === 0 && named.has(name))).toEqual([]);
  expect(files.filter(([name], at) => at % 3 === 2 && !named.has(name))).toEqual([]);
  expect([...named].filter((name) => name?.includes('/new'))).toEqual([]);
  expect(named.size).toBeGreaterThan(count / 3);
});
