/** Committed files far above every limit: named, and not held in memory. */
import { expect, test } from 'vitest';
import { BatchAnswers, KEPT_OF_BLOB } from '../../src/store/git/batch-answers.ts';
import { status } from '../../src/trail/status.ts';
import { makeRecord, value } from '../support/record.ts';
import { commit } from './forge.ts';

const OPERATOR = { agent_id: 'carol', role: 'operator', via: 'library' } as const;

// Before, 300 MB in drafts/ cost every reader several times as much memory.
test.for([1_021, 65_537, 3_000_000])(
  'a blob is answered at the limit and the rest passed over, in chunks of %i',
  (step) => {
    const size = 2 * KEPT_OF_BLOB;
    const large = Buffer.alloc(size, 'x');
    const stream = Buffer.concat([
      Buffer.from(`a1 blob ${size}\n`),
      large,
      Buffer.from('\na2 blob 3\nabc\na3 missing\n'),
      Buffer.from(`a4 tree ${size}\n`),
      large,
      Buffer.from('\na5 blob 0\n\n'),
    ]);
    const answers = new BatchAnswers();
    const sizes: (number | null)[] = [];
    for (let at = 0; at < stream.length; at += step) {
      for (const answer of answers.feed(stream.subarray(at, at + step))) sizes.push(answer?.bytes.length ?? null);
    }
    expect(sizes).toEqual([KEPT_OF_BLOB, 3, null, size, 0]);
  },
);

test('a thought, settings and an event of 40 MB are named and hide nothing', async () => {
  await using t = await makeRecord();
  const trail_name = 'acme/eng';
  const carol = t.session('carol', { operator: true }).operations();
  const kept = value(await carol.save({ trail_name, content: 'Policy' })).thought.thought_id;
  value(await carol.decide({ trail_name, thought_id: kept, verdict: 'approve' }));
  const large = Buffer.alloc(40 * 1024 * 1024, '---\n');
  commit(t.root, {
    'trails/acme/eng/thoughts/drafts/01KD2Q8W5N7YJ3V9T4B6RCXEMA.md': large,
    'trails/other/.fava-trails.yaml': large,
    'ledger/0123456789abcdef/0000/00/00.jsonl': large,
  });
  for (const inStep of [true, false]) {
    if (!inStep) await t.record.repository.reindex();
    const { thoughts } = value(await t.session('reader').operations().recall({ trail_name }));
    expect(thoughts.map(({ thought_id }) => thought_id)).toEqual([kept]);
    const { problems, settings } = await status(t.record, OPERATOR);
    expect(problems.map(({ code }) => code).sort()).toEqual(['event_too_large', 'too_large']);
    expect(settings).toMatchObject([{ state: 'unsigned', path: 'trails/other/.fava-trails.yaml' }]);
  }
  const own = value(await carol.save({ trail_name: 'other', content: 'Own' })).thought.thought_id;
  const decided = await carol.decide({ trail_name: 'other', thought_id: own, verdict: 'approve' });
  expect(decided).toMatchObject({ ok: true });
});
