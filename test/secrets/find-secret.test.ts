import { expect, test } from 'vitest';
import { findSecret } from '../../src/secrets/find-secret.ts';
import { SECRET_PATTERNS } from '../../src/secrets/patterns.ts';
import { secretRefusal } from '../../src/secrets/secret-refusal.ts';

// Built by concatenation, so that no scanner takes this file for a leak.
const pem = (label: string) => `${'-'.repeat(5)}BEGIN ${label}${'-'.repeat(5)}`;
const alnum = (length: number) => 'aB3dE6gH9jK2'.repeat(10).slice(0, length);
const upper = (length: number) => 'QWERTYUIOP234567'.repeat(2).slice(0, length);
const PRIVATE = ['PRIVATE', 'KEY'].join(' ');

const EXAMPLES: readonly (readonly [string, string])[] = [
  ...['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED ', 'SSH2 ENCRYPTED ', 'ANY '].map(
    (label) => ['pem_private_key', pem(`${label}${PRIVATE}`)] as const,
  ),
  ['pem_private_key', pem(`PGP ${PRIVATE} BLOCK`)],
  ['pem_private_key', `${'-'.repeat(4)} BEGIN SSH2 ENCRYPTED ${PRIVATE} ${'-'.repeat(4)}`],
  ...['AK', 'AS', 'AB'].map((start) => ['aws_access_key_id', `${start}IA${upper(16)}`] as const),
  ['aws_access_key_id', `AC${'CA'}${upper(16)}`],
  ['aws_access_key_id', `AKIA${'IOSFODNN7'}EXAMPLE`],
  ['github_pat', `gh${'p_'}${alnum(36)}`],
  ['github_pat', `github${'_pat_'}${alnum(22)}_${alnum(59)}`],
  ...['o', 'u', 's', 'r'].map((kind) => ['github_token', `gh${kind}_${alnum(36)}`] as const),
  ['github_token', `gh${'s_'}123456_eyJ${alnum(20)}.eyJ${alnum(40)}.${alnum(60)}`],
  ['anthropic_api_key', `sk-${'ant'}-api03-${alnum(50)}-_${alnum(20)}AA`],
  ['anthropic_api_key', `sk-${'ant'}-oat01-${alnum(50)}`],
  ['openrouter_api_key', `sk-${'or'}-v1-${alnum(64)}`],
  ['openai_api_key', `sk-${alnum(48)}`],
  ['openai_api_key', `sk-${'proj'}-${alnum(48)}`],
  ['openai_api_key', `sk-${'proj'}-${alnum(7)}-_${alnum(3)}_${alnum(40)}`],
  ['openai_api_key', `sk-${'svcacct'}-${alnum(40)}`],
  ['stripe_live_key', `sk_${'live'}_${alnum(24)}`],
  ['stripe_live_key', `rk_${'live'}_${alnum(24)}`],
  ...['b', 'a', 'p', 'r', 's'].map((kind) => ['slack_token', `xox${kind}-${'1234567890'}-${alnum(12)}`] as const),
];

test('findSecret finds every kind alone, quoted, assigned and inside prose', () => {
  for (const [rule, secret] of EXAMPLES) {
    for (const text of [
      secret,
      `"${secret}"`,
      `KEY=${secret};`,
      `x\n${secret}\ny`,
      `url?k=${secret}&z`,
      `_${secret} `,
    ]) {
      expect(findSecret(text), `${rule}: ${text}`).toEqual({ rule, field: '' });
    }
  }
});

test('every pattern has an example', () => {
  const covered = new Set(EXAMPLES.map(([rule]) => rule));
  expect(SECRET_PATTERNS.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
});

test('findSecret lets digests, ids and ordinary words pass', () => {
  expect(findSecret(`see ${EXAMPLES[0]?.[1]}`)).not.toBeNull();
  for (const text of [
    '',
    '3aefc12d0c5f9a7b1e2d3c4b5a69788796a5b4c3',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '01KD2Q8W5N7YJ3V9T4B6RCXEMA',
    `01KD2QAKIA${upper(16)}`,
    'a risk-based approach to task-scheduling and disk-encryption-at-rest-for-everything-we-keep',
    `desk-${alnum(40)}`,
    'import.meta.env.VITE_API_KEY',
    'sk-learn, sk-ant, sk-or-v1, sk-proj and sk_live_ are prefixes; so are ghp_ and xoxb-',
    'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
    pem('CERTIFICATE'),
    pem('PUBLIC KEY'),
    'the words BEGIN RSA and PRIVATE KEY',
    'ghp_short and github_pat_11ABC',
    `AKIA${upper(15)}`,
    `akia${upper(16)}`,
    'd290f1ee-6c54-4b01-90e6-d701748f0851',
  ]) {
    expect(findSecret(text), text).toBeNull();
  }
});

test('findSecret walks strings and keys at any depth and names the field', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  for (const [input, field] of [
    [{ content: secret }, 'content'],
    [{ trail_name: 'acme', metadata: { tags: ['fine', secret] } }, 'metadata.tags[1]'],
    [{ metadata: { extra: { a: [[{ b: secret }]] } } }, 'metadata.extra.a[0][0].b'],
    [{ metadata: { extra: { [secret]: 1 } } }, 'metadata.extra.<key>'],
    [{ [secret]: 1 }, '<key>'],
    [{ extra: { 'two words': secret } }, 'extra.<key>'],
    [[0, secret], '[1]'],
  ] as const) {
    expect(findSecret(input), field).toEqual({ rule: 'github_pat', field });
  }
  expect(findSecret({ a: [1, true, null, undefined, { b: 'fine' }] })).toBeNull();
});

test('findSecret finds a secret at level 32 and refuses to look deeper', () => {
  const wrap = (value: unknown, levels: number) => {
    let wrapped = value;
    for (let level = 0; level < levels; level++) wrapped = level % 2 ? [wrapped] : { a: wrapped };
    return wrapped;
  };
  expect(findSecret(wrap('fine', 32))).toBeNull();
  expect(findSecret(wrap(`gh${'p_'}${alnum(36)}`, 32))?.rule).toBe('github_pat');
  expect(findSecret(wrap('fine', 33))?.rule).toBe('nested_structure_too_deep');
  expect(findSecret(wrap('fine', 100_000))?.rule).toBe('nested_structure_too_deep');
});

test('findSecret answers on a megabyte made to backtrack', () => {
  for (const unit of [
    '-',
    '-----BEGIN ',
    '-----BEGIN A A A ',
    'sk-',
    'sk-proj-',
    'AKIA',
    'ghs_._-',
    'xoxb-',
    'sk-ant-',
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const found = findSecret(text);
    expect(found === null || found.rule.length > 0, unit).toBe(true);
  }
});

test('secretRefusal names rule and field and never the text', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  const found = findSecret({ content: `mine: ${secret}`, metadata: { extra: { [secret]: secret } } });
  const refusal = found && secretRefusal(found);
  expect(refusal).toMatchObject({ ok: false, code: 'secret', rule: 'github_pat', field: 'content' });
  expect(JSON.stringify(refusal)).not.toContain(secret.slice(4, 12));
  const inKey = findSecret({ extra: { [secret]: secret } });
  expect(JSON.stringify(inKey && secretRefusal(inKey))).not.toContain(secret.slice(4, 12));
  expect(secretRefusal({ rule: 'nested_structure_too_deep', field: 'a' }).message).toContain('32 levels');
});
