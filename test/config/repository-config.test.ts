import { expect, test } from 'vitest';
import {
  parseRepositoryConfig,
  type RepositoryConfig,
  renderRepositoryConfig,
} from '../../src/config/repository-config.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const parse = (text: string) => parseRepositoryConfig(bytes(text));
const OWNER = 'a'.repeat(42).concat('_');

function accepted(text: string): RepositoryConfig {
  const outcome = parse(text);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.value;
}

test('parseRepositoryConfig reads an empty file and what FAVA bootstraps as a FAVA repository', () => {
  expect(accepted('')).toEqual({ trails_dir: 'trails', unknownKeys: [] });
  expect(accepted('# only a comment\n')).toEqual({ trails_dir: 'trails', unknownKeys: [] });
  expect(accepted('trails_dir: trails\nremote_url: null\npush_strategy: manual\n')).toEqual({
    trails_dir: 'trails',
    remote_url: null,
    push_strategy: 'manual',
    unknownKeys: [],
  });
  expect(accepted('\ufefftrails_dir: ./trails/\r\n').trails_dir).toBe('trails');
});

test('parseRepositoryConfig understands every key of FAVA and our own', () => {
  const config = accepted(`
trails_dir: trails
remote_url: git@example.org:acme/trails.git
push_strategy: immediate
trust_gate: decisions
trust_gate_provider: openrouter
trust_gate_model: ~typesafe/jev-latest
trust_gate_api_base: http://127.0.0.1:8080/v1
trust_gate_api_key_env: KEY
openrouter_api_key_env: OPENROUTER_API_KEY
trust_gate_api_key_file: /run/key
trust_gate_extra_body: { top_p: 0.5 }
trust_gate_timeout_secs: 120
tool_timeout_secs: 0
trust_gate_decisions_config: { trust_gate_noul_question: Useful?, trust_gate_noul_threshold: 0.45 }
trails: { acme: { stale_draft_days: 3 } }
hooks: [{ module: x, points: [on_save] }]
waymark: { layout: 1, id: "0123456789abcdef", owner: ${OWNER}, branch: main/x }
`);
  expect(config.unknownKeys).toEqual([]);
  expect(config.waymark).toEqual({ layout: 1, id: '0123456789abcdef', owner: OWNER, branch: 'main/x' });
  expect(config.trust_gate_decisions_config?.trust_gate_noul_threshold).toBe(0.45);
});

test('parseRepositoryConfig names unknown keys and keeps their values', () => {
  const config = accepted(`colour: red\nwaymark: { layout: 1, id: abcdefgh, owner: ${OWNER}, shade: dark }\n`);
  expect(config.unknownKeys).toEqual(['colour', 'waymark.shade']);
  expect(renderRepositoryConfig(config)).toContain('colour: "red"');
  expect(accepted(renderRepositoryConfig(config))).toEqual(config);
});

test('renderRepositoryConfig quotes what YAML 1.1 would read as another type', () => {
  const waymark = { layout: 1, owner: OWNER, branch: 'no' } as const;
  for (const id of ['1234567890123456', '12345e1234567890', '0x12345678', '12_345_678']) {
    const config: RepositoryConfig = {
      trails_dir: 'trails',
      remote_url: null,
      waymark: { ...waymark, id },
      unknownKeys: [],
    };
    expect(accepted(renderRepositoryConfig(config))).toEqual(config);
    expect(renderRepositoryConfig(config)).toContain(`"${id}"`);
  }
});

test('renderRepositoryConfig escapes the characters that PyYAML refuses or takes for line ends', () => {
  const odd = '\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe é🚀 "\\ \n--- #';
  const config: RepositoryConfig = { trails_dir: 'trails', remote_url: odd, unknownKeys: [] };
  expect(accepted(renderRepositoryConfig(config))).toEqual(config);
  expect(renderRepositoryConfig(config)).toContain(String.raw`"\u007f\u0085\u009f\u2028\u2029\ufeff\ufffe é🚀 `);
});

test('parseRepositoryConfig refuses malformed files and names line or key', () => {
  const ours = (change: string) => `waymark: { layout: 1, id: abcdefgh, owner: ${OWNER}, ${change} }\n`;
  expect(parse(ours('branch: main')).ok).toBe(true);
  for (const [text, part] of [
    ['a: 1\nb: [\n', 'line '],
    ['a: 1\na: 2\n', 'line 2'],
    ['- a\n', 'malformed'],
    ['just text', 'malformed'],
    ['a: 1\n---\nb: 2\n', 'line '],
    ['trails_dir: /elsewhere\n', '"trails_dir"'],
    ['trails_dir: ../trails\n', '"trails_dir"'],
    ['trails_dir: other\n', '"trails_dir"'],
    ['push_strategy: no\n', '"push_strategy"'],
    ['trust_gate_api_base: ftp://x\n', '"trust_gate_api_base"'],
    ['trust_gate_timeout_secs: -1\n', '"trust_gate_timeout_secs"'],
    ['trust_gate_decisions_config: { trust_gate_noul_threshold: .nan }\n', 'trust_gate_noul_threshold'],
    ['trust_gate_decisions_config: { trust_gate_noul_threshold: 1.1 }\n', 'trust_gate_noul_threshold'],
    ['hooks: [1]\n', '"hooks[0]"'],
    ['waymark: {}\n', '"waymark.layout"'],
    [ours('branch: main').replace('layout: 1', 'layout: 2'), 'expected 1'],
    [ours('branch: main').replace('abcdefgh', '../../escape'), '"waymark.id"'],
    [ours('branch: main').replace(OWNER, 'short'), '"waymark.owner"'],
    ...['-x', 'a..b', 'a//b', 'a/', 'a.lock', '.a', 'a/.b', 'a b', 'a.', 'a@{1', "''"].map(
      (branch) =>
        [ours(`branch: ${branch.startsWith("'") ? branch : JSON.stringify(branch)}`), '"waymark.branch"'] as const,
    ),
  ] as const) {
    const outcome = parse(text);
    expect(outcome, text).toMatchObject({ ok: false, code: 'repository' });
    expect(outcome.ok ? '' : outcome.message, text).toContain(part);
  }
});

test('parseRepositoryConfig refuses bytes that are no text, large files and alias bombs', () => {
  expect(parseRepositoryConfig(new Uint8Array([...bytes('a: '), 0xff]))).toMatchObject({
    ok: false,
    code: 'repository',
  });
  expect(parse(`a: ${'x'.repeat(256 * 1024)}`)).toMatchObject({ ok: false, code: 'repository' });
  const bomb = [
    'a0: &a0 [x]',
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`)}]`),
  ];
  expect(parse(bomb.join('\n'))).toMatchObject({ ok: false, code: 'repository' });
  expect(parse('a: *missing\n')).toMatchObject({ ok: false, code: 'repository' });
  expect(parse('a: &x [1]\nb: *x\n').ok).toBe(true);
});
