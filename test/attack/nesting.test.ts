/** Committed text that is nested to exhaust the stack: it is named, and neither reading nor verifying stops. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { parseSettings } from '../../src/config/yaml-settings.ts';
import { readEventLine } from '../../src/ledger/index.ts';
import { decodeThought } from '../../src/record/codec/index.ts';
import { status } from '../../src/trail/status.ts';
import { makeRecord, value } from '../support/record.ts';
import { commit, forge, newWriter } from './forge.ts';

const OPERATOR = { agent_id: 'carol', role: 'operator', via: 'library' } as const;

// Before, 12,000 of these in one thought ended the process: "RegExpCompiler Allocation failed".
const SHAPES = [
  ['lists', '['.repeat(12_000)],
  ['closed lists', `a: ${'['.repeat(12_000)}${']'.repeat(12_000)}`],
  ['brackets that quoted ones seem to close', '["]]]",'.repeat(4_000)],
  ['maps', '{'.repeat(12_000)],
  ['blocks on one line', `${'- '.repeat(12_000)}x`],
  ['explicit keys on one line', `${'? '.repeat(12_000)}x`],
  ['explicit keys a line each', Array.from({ length: 210 }, (_, at) => `${' '.repeat(at)}?`).join('\n')],
] as const;

describe('YAML nested too deeply', () => {
  test.for(SHAPES)('is refused before it is parsed: %s', ([, yaml]) => {
    expect(decodeThought(Buffer.from(`---\n${yaml}\n---\nText`))).toMatchObject({ ok: false, code: 'yaml' });
    const settings = { name: 'config.yaml', schema: z.unknown() };
    expect(parseSettings(Buffer.from(yaml), settings)).toMatchObject({
      ok: false,
      message: expect.stringContaining('nested too deeply'),
    });
  });

  test('and what is not, is read: 64 levels, long flow lists, brackets in text', () => {
    const settings = { name: 'config.yaml', schema: z.unknown() };
    const deep = `${'['.repeat(64)}1${']'.repeat(64)}`;
    const long = `[${Array.from({ length: 2_000 }, () => '[1]').join(',')}]`;
    const text = `a: "${'['.repeat(5_000)}"`;
    for (const yaml of [deep, long, text])
      expect(parseSettings(Buffer.from(yaml), settings)).toMatchObject({ ok: true });
  });
});

test('a thought, settings and events that are bottomless are named and hide nothing else', async () => {
  await using t = await makeRecord();
  const trail_name = 'acme/eng';
  const carol = t.session('carol', { operator: true }).operations();
  const kept = value(await carol.save({ trail_name, content: 'Policy' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: kept, verdict: 'approve' }));
  const event = (member: string, deep: string) => {
    const signed = forge(newWriter(), { verb: 'save', local: { agent_id: 'mallory', role: 'agent' }, files: [] });
    return { [signed.path]: signed.line.replace(`"${member}":{`, `"${member}":{"aa":${deep},`) };
  };
  commit(t.root, {
    'trails/acme/eng/thoughts/drafts/01KD2Q8W5N7YJ3V9T4B6RCXEMA.md': `---\n${'['.repeat(12_000)}\n---\n`,
    'trails/other/.fava-trails.yaml': '['.repeat(100_000),
    ...event('record', `${'['.repeat(4_000)}${']'.repeat(4_000)}`),
    ...event('_local', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`),
  });
  const { thoughts } = value(await t.session('reader').operations().recall({ trail_name }));
  expect(thoughts.map(({ thought_id }) => thought_id)).toEqual([kept]);
  const { problems, settings } = await status(t.record, OPERATOR);
  expect(problems.map(({ code }) => code).sort()).toEqual(['event_not_canonical', 'event_not_canonical', 'yaml']);
  expect(settings).toContainEqual(
    expect.objectContaining({ state: 'unsigned', path: 'trails/other/.fava-trails.yaml' }),
  );
  // Nobody signed them, so they are not in force.
  const own = value(await carol.save({ trail_name: 'other', content: 'Own' })).thought.thought_id;
  const decided = await carol.decide({ trail_name: 'other', thought_id: own, verdict: 'approve' });
  expect(decided).toMatchObject({ ok: true });
});

test('an event of 64 levels is read, and brackets in a string are no levels', () => {
  const { line } = forge(newWriter(), { verb: 'save', local: { agent_id: 'mallory', role: 'agent' }, files: [] });
  const nested = (depth: number) =>
    Buffer.from(line.replace('"record":{', `"record":{"aa":${'['.repeat(depth)}"\\"[[["${']'.repeat(depth)},`));
  expect(readEventLine(nested(62))).toMatchObject({ ok: true });
  expect(readEventLine(nested(63))).toMatchObject({ ok: false, code: 'not_canonical' });
});
