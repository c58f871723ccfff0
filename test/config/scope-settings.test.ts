import { expect, test } from 'vitest';
import {
  effectiveScopeSettings,
  parseScopeSettings,
  policyFor,
  renderScopeSettings,
  type ScopeSettings,
} from '../../src/config/scope-settings.ts';

function settings(text: string): ScopeSettings {
  const outcome = parseScopeSettings(new TextEncoder().encode(text));
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

test('renderScopeSettings without a parent is the dump FAVA writes', () => {
  expect(settings(renderScopeSettings('acme/eng', {}))).toEqual({
    name: 'acme/eng',
    default_namespace: 'drafts',
    trust_gate_policy: 'llm-oneshot',
    gc_interval_snapshots: 500,
    gc_interval_seconds: 3600,
    stale_draft_days: 0,
    hooks: [],
  });
});

test('a new scope inherits what is in force above it, under its own name', () => {
  const parent = settings('name: acme\nseparation: required\nstale_draft_days: 7\ntrust_gate_policy: decisions\n');
  const child = settings(renderScopeSettings('acme/eng', effectiveScopeSettings([parent])));
  expect(child).toMatchObject({
    name: 'acme/eng',
    separation: 'required',
    stale_draft_days: 7,
    trust_gate_policy: 'decisions',
    gc_interval_snapshots: 500,
  });
});

test('effectiveScopeSettings takes the nearest value and never a laxer rule', () => {
  expect(effectiveScopeSettings([])).toMatchObject({ trust_gate_policy: 'llm-oneshot', stale_draft_days: 0 });
  expect(
    effectiveScopeSettings([{ stale_draft_days: 1 }, { stale_draft_days: 2, gc_interval_seconds: 9 }]),
  ).toMatchObject({
    stale_draft_days: 1,
    gc_interval_seconds: 9,
  });
  expect(effectiveScopeSettings([{}, {}, { separation: 'required' }]).separation).toBe('required');
  expect(effectiveScopeSettings([{ separation: 'required' }, {}]).separation).toBe('required');
  expect(effectiveScopeSettings([{}, {}]).separation).toBeUndefined();
  expect(effectiveScopeSettings([{ decisions: 'attested' }, { decisions: 'signed' }]).decisions).toBe('signed');
  expect(effectiveScopeSettings([{ decisions: 'attested' }, {}]).decisions).toBe('attested');
  const policy = (...chain: readonly string[]) =>
    effectiveScopeSettings(chain.map((trust_gate_policy) => ({ trust_gate_policy }))).trust_gate_policy;
  expect(policy('decisions', 'human')).toBe('human');
  expect(policy('human', 'decisions')).toBe('human');
  expect(policy('llm-oneshot', 'decisions')).toBe('decisions');
  expect(policy('custom', 'decisions')).toBe('custom');
  expect(policy('llm-then-human', 'human')).toBe('human');
  expect(policy('human', 'quorum')).toBe('quorum');
  expect(policy('quorum', 'human')).toBe('quorum');
  expect(effectiveScopeSettings([{ quorum: 2 }, { quorum: 3 }, {}]).quorum).toBe(3);
  const known = (...chain: readonly ('open' | 'closed' | undefined)[]) =>
    effectiveScopeSettings(chain.map((known_at) => (known_at === undefined ? {} : { known_at }))).known_at;
  expect([known('open'), known(undefined, 'open'), known('closed', 'open')]).toEqual(['open', 'open', 'closed']);
  expect([known('open', 'closed'), known()]).toEqual(['closed', undefined]);
  const tiered = { trust_gate_policy: 'human', trust_gate_tiers: { observation: 'llm-oneshot' } } as const;
  const tierOf = (chain: readonly ScopeSettings[]) => policyFor(effectiveScopeSettings(chain), 'observation');
  expect(tierOf([tiered])).toBe('llm-oneshot');
  expect(tierOf([{}, tiered])).toBe('llm-oneshot');
  expect(tierOf([tiered, { trust_gate_policy: 'human' }])).toBe('human');
  expect(policyFor(effectiveScopeSettings([tiered]), 'decision')).toBe('human');
  expect(effectiveScopeSettings([{ name: 'a/b' }, { name: 'a' }])).not.toHaveProperty('name');
});

test('parseScopeSettings refuses a misspelt separation, hooks and wrong types', () => {
  expect(settings('separation: required\nhooks: []\ncolour: red\n')).toMatchObject({
    separation: 'required',
    colour: 'red',
  });
  for (const [text, field] of [
    ['separation: requird\n', 'separation'],
    ['separation: false\n', 'separation'],
    ['separation:\n', 'separation'],
    ['hooks: [{ module: x }]\n', 'hooks'],
    ['gc_interval_seconds: often\n', 'gc_interval_seconds'],
    ['name: 42\n', 'name'],
  ] as const) {
    const outcome = parseScopeSettings(new TextEncoder().encode(text));
    expect(outcome, text).toMatchObject({ ok: false, code: 'repository', field });
  }
});
