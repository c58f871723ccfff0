import { expect, test } from 'vitest';
import { findSecret, SECRET_RULES, secretRulesIn } from '../../src/secrets/find-secret.ts';
import { secretRefusal } from '../../src/secrets/secret-refusal.ts';
import { alnum, EXAMPLES, HARMLESS } from './examples.ts';

const HOSTILE = [
  ...[
    '-',
    '-----BEGIN ',
    '-----BEGIN A A A ',
    '----BEGIN\n\n',
    'sk-',
    'sk-proj-',
    'AKIA',
    'ghs_._-',
    'xoxb-',
    'sk-ant-',
  ],
  ...['-eyJ', 'eyJ.', 'password', 'token=', 'token = "', 'secret_key', ' a://', ' a:/', 'a://b:', 'bearer ', 'basic '],
  ...['a.', 'M.', '0:AA', '8Q~', '"d":', '"kty":"EC",', '\u200b', '\ufdfa', 'Account', 'p://:@', 'password:\t'],
  ...['<password', '--token ', 'secret-', 'token:\n ', '\\', 'a\u0301'],
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

test('every rule has an example', () => {
  const covered = new Set(EXAMPLES.map(([rule]) => rule));
  expect(SECRET_RULES.map(({ id }) => id).filter((id) => !covered.has(id))).toEqual([]);
  expect(new Set(SECRET_RULES.map(({ id }) => id)).size).toBe(SECRET_RULES.length);
});

test('findSecret lets digests, ids, public keys, references, placeholders and prose pass', () => {
  expect(findSecret(`see ${EXAMPLES[0]?.[1]}`)).not.toBeNull();
  for (const text of HARMLESS) expect(secretRulesIn(text), text).toEqual([]);
});

test('findSecret reads through invisible characters and full-width letters', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  const wide = [...secret].map((one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).join('');
  for (const hidden of ['\u200b', '\u00ad', '\u2060', '\ufeff', '\u200d', '\u180e', '\ufe0f', '\u{e0041}']) {
    for (const text of [
      [...secret].join(hidden),
      `x${hidden}${secret}`,
      `${secret.slice(0, 9)}${hidden}${secret.slice(9)}`,
    ]) {
      expect(findSecret(`mine: ${text}`), escape(hidden)).toEqual({ rule: 'github_pat', field: '' });
    }
  }
  expect(findSecret(wide)).toEqual({ rule: 'github_pat', field: '' });
  expect(findSecret('zero\u200bwidth, ﬁne and ｆｕｌｌ-width words')).toBeNull();
});

test('findSecret reads through escapes, marks and layout, which alone are no secret', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  const [password, key] = ['h4rd2guess', alnum(32)];
  for (const text of [
    secret.replace('_', '\\_'),
    `${secret.slice(0, 9)}\u0301${secret.slice(9)}`,
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ api_key: key }) }) }),
    `PASSWORD${' '.repeat(12)}= ${password}`,
    `password: |\n  ${password}\n`,
    `api_key:\n  ${key}`,
    `<db.password>${password}</db.password>`,
    `tool --client-secret ${key} run`,
  ]) {
    expect(findSecret(text), text).not.toBeNull();
  }
  expect(findSecret({ password: ['none', password] })).toEqual({ rule: 'secret_assignment', field: 'password' });
  for (const text of [
    'snake\\_case and cafe\u0301',
    'password:\n  minLength: 8\n  type: string',
    'token:\n  description: who calls',
    '<password>required</password>',
    'run it with --password prompt or --token from-the-vault',
    "new URL('http://abc:xyz@example.com')",
    'amqp://guest:guest@localhost/',
  ]) {
    expect(secretRulesIn(text), text).toEqual([]);
  }
});

test('findSecret reads members of an object together', () => {
  const key = alnum(43);
  for (const [input, rule, field] of [
    [{ extra: { kty: 'OKP', crv: 'Ed25519', d: key } }, 'jwk_private_key', 'extra'],
    [{ extra: { db: { password: 'hunter2' } } }, 'secret_assignment', 'extra.db.password'],
    [{ extra: { publicKey: key, seed: key } }, 'waymark_private_key', 'extra'],
    [{ extra: { api_key: alnum(32) } }, 'secret_assignment', 'extra.api_key'],
  ] as const) {
    expect(findSecret(input), rule).toEqual({ rule, field });
  }
  const harmless = { kty: 'OKP', x: key, password: '<redacted>', token_count: '128000', idempotency_key: alnum(32) };
  expect(findSecret({ extra: harmless })).toBeNull();
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

test('findSecret answers on long texts made to backtrack', () => {
  for (const unit of HOSTILE) {
    const text = unit.repeat(Math.ceil(300_000 / unit.length));
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
