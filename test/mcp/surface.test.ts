/** The surface as a whole: FAVA's seventeen tools with its annotations, and what they cost a session. */
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { instructions } from '../../src/mcp/instructions.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';
import { USAGE_GUIDE } from '../../src/mcp/usage-guide.ts';
import { listed, wireTool } from '../../src/mcp/wire-tool.ts';

/** fava.md 2.1. */
const READ_ONLY = ['conflicts', 'diff', 'get_thought', 'get_usage_guide', 'list_scopes', 'list_trails', 'recall'];
/** Ours; those in the second list are listed on the full surface alone. */
const OURS = ['trace'];
const UNLISTED = ['summarize', 'trace_forward'];
const DESTRUCTIVE = ['change_scope', 'forget', 'rollback', 'supersede', 'update_thought'];
const OPEN_WORLD = [
  'change_scope',
  'forget',
  'learn_preference',
  'propose_truth',
  'rollback',
  'save_thought',
  'start_thought',
  'supersede',
  'sync',
  'update_thought',
];

test("the tools are FAVA's seventeen and ours, each once; some are listed on the full surface alone", () => {
  const favas = [...new Set([...READ_ONLY, ...DESTRUCTIVE, ...OPEN_WORLD])];
  expect(favas).toHaveLength(17);
  const namesOn = (surface: 'standard' | 'full') => listed(TOOLS, surface).map((tool) => tool.name);
  expect([...namesOn('standard')].sort()).toEqual([...favas, ...OURS].sort());
  expect(namesOn('full')).toEqual(TOOLS.map((tool) => tool.name));
  expect([...namesOn('full')].sort()).toEqual([...favas, ...OURS, ...UNLISTED].sort());
});

test("annotations are FAVA's, and ours only read", () => {
  const having = (hint: 'readOnlyHint' | 'idempotentHint' | 'destructiveHint' | 'openWorldHint') =>
    TOOLS.filter((tool) => tool.annotations[hint] === true)
      .map((tool) => tool.name)
      .sort();
  const reading = [...READ_ONLY, ...OURS, ...UNLISTED].sort();
  expect(having('readOnlyHint')).toEqual(reading);
  expect(having('idempotentHint')).toEqual(reading);
  expect(having('destructiveHint')).toEqual(DESTRUCTIVE);
  expect(having('openWorldHint')).toEqual(OPEN_WORLD);
});

/** The dearer of two estimates, since clients count differently. */
function cost(text: string): number {
  return Math.max(countTokens(text), text.length / 4);
}

test('the standard surface with instructions costs at most 2,600 tokens, instructions at most 250', () => {
  const told = instructions('acme/platform/api');
  const tools = JSON.stringify(listed(TOOLS, 'standard').map((tool) => wireTool(tool, 'standard')));
  expect(cost(told)).toBeLessThanOrEqual(250);
  expect(cost(tools) + cost(told)).toBeLessThanOrEqual(2_600);
  const trace = TOOLS.filter((tool) => tool.name === 'trace').map((tool) => JSON.stringify(wireTool(tool, 'standard')));
  expect(trace.map((text) => cost(text) <= 130)).toEqual([true]);
  expect(cost(JSON.stringify(TOOLS.map((tool) => wireTool(tool, 'full'))))).toBeGreaterThan(2_600);
});

test('docs/usage-guide.md is what get_usage_guide answers, names every tool that differs, and stays short', () => {
  const committed = readFileSync(new URL('../../docs/usage-guide.md', import.meta.url), 'utf8');
  expect(USAGE_GUIDE).toBe(committed);
  expect(committed.split('\n').length).toBeLessThan(70);
  const differences = committed.split('## What differs')[1] ?? '';
  const differing = [
    'forget',
    'diff',
    'rollback',
    'start_thought',
    'learn_preference',
    'sync',
    'conflicts',
    'propose_truth',
  ];
  for (const tool of differing) expect(differences).toContain(`\`${tool}\``);
  const known: readonly string[] = [...READ_ONLY, ...DESTRUCTIVE, ...OPEN_WORLD];
  for (const [, name = ''] of committed.matchAll(/`([a-z]+_[a-z_]+)`/g)) {
    const isArgument = TOOLS.some((tool) => Object.hasOwn(tool.input.shape, name));
    if (!isArgument && !['not_configured', 'change_id', 'near_tombstone'].includes(name)) expect(known).toContain(name);
  }
});
