import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeThought } from '../../src/record/codec/index.ts';
import { askPyYaml, hasPyYaml } from '../record/codec/pyyaml.ts';
import { makeRecord, value } from '../support/record.ts';

/** Values that readers of YAML 1.1 and 1.2 are known to disagree about (cases B01, B02, B04, B05, B11). */
const HARD = [
  'no',
  '10:00',
  '21E08',
  '09111',
  '1_000',
  '.inf',
  '~',
  'a: b',
  '- x',
  '# c',
  'a---b',
  '---',
  '品牌',
  '🚀',
  "it's",
];
const LONG = 'a value that is longer than eighty columns so that PyYAML folds it, with: a colon and a # hash in it';

test.skipIf(!hasPyYaml)('PyYAML reads every thought file of a record to the values that were saved', async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  for (const [at, text] of [...HARD, LONG].entries()) {
    const trail_name = `acme/s${at % 3}`;
    const metadata = {
      project: text,
      branch: text,
      tags: [text, 'x'],
      extra: { [text]: [text, { k: text, n: at / 3 }] },
    };
    const saved = value(
      await alice.save({
        trail_name,
        content: `Body ${text}\n---\n`,
        intent_ref: text,
        source_type: 'decision',
        metadata,
      }),
    );
    const { thought_id } = saved.thought;
    if (at % 3 === 0) value(await alice.propose({ trail_name, thought_id }));
    if (at % 3 === 1) value(await carol.decide({ trail_name, thought_id, verdict: 'approve', reason: text }));
    if (at % 3 === 2) value(await carol.decide({ trail_name, thought_id, verdict: 'reject', reason: text }));
  }
  const trails = join(t.root, 'trails');
  const files = readdirSync(trails, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
  expect(files).toHaveLength(HARD.length + 1);
  const answers = askPyYaml(files.map((name) => ({ read: readFileSync(join(trails, name), 'utf8') })));
  for (const [at, name] of files.entries()) {
    const decoded = decodeThought(readFileSync(join(trails, name)));
    if (!decoded.ok) throw new Error(`${name}: ${decoded.message}`);
    const { body: _, ...fields } = decoded.thought;
    expect(answers[at]?.value, name).toEqual(fields);
  }
});
