import { expect, test } from 'vitest';
import { askDecision } from '../../src/review/decisions.ts';
import { type Answer, sends, startGate } from '../fakes/gate-server.ts';

const STATE = { review_instructions: 'i', thought_under_review: '"t"', thought_metadata: '{}' };
const QUESTION = { state: STATE, question: 'Keep it?' };

function numbers(noul: unknown): Answer {
  return sends(200, JSON.stringify({ answers: { trust: { noul } } }));
}

const answers: readonly (readonly [name: string, answer: Answer, reply: object])[] = [
  ['a number', numbers(0.45), { ok: true, probability: 0.45 }],
  ['the least', numbers(0), { ok: true, probability: 0 }],
  ['the most', numbers(1), { ok: true, probability: 1 }],
  ['no number', numbers(undefined), { ok: false, reason: 'not_understood' }],
  ['a number in words', numbers('0.9'), { ok: false, reason: 'not_understood' }],
  ['a number above 1', numbers(1.01), { ok: false, reason: 'not_understood' }],
  ['a number that is none', sends(200, '{"answers":{"trust":{"noul":NaN}}}'), { ok: false, reason: 'not_understood' }],
  ['infinity', sends(200, '{"answers":{"trust":{"noul":1e999}}}'), { ok: false, reason: 'not_understood' }],
  ['another question', sends(200, '{"answers":{"other":{"noul":1}}}'), { ok: false, reason: 'not_understood' }],
  ['a page', sends(200, '<html></html>'), { ok: false, reason: 'not_understood' }],
  ['a refused key', sends(401, 'the-key'), { ok: false, reason: 'status 401' }],
  ['a busy service', sends(429, '', { 'retry-after': '0' }), { ok: false, reason: 'status 429' }],
  ['a dropped connection', (response) => void response.destroy(), { ok: false, reason: 'unreachable' }],
];

test.each(answers)('%s is read exactly, after one attempt', async (_name, answer, reply) => {
  await using fake = await startGate();
  fake.answer = answer;
  const provider = { address: fake.url, key: 'the-key', model: 'm/x', timeoutSeconds: 5, extraBody: {} };
  expect(await askDecision(provider, QUESTION, { path: 'alpha/decisions' })).toEqual(reply);
  expect(fake.asked).toHaveLength(1);
  const [asked] = fake.asked;
  expect([asked?.path, asked?.headers['authorization']]).toEqual(['/v1/alpha/decisions', 'Bearer the-key']);
  expect(JSON.parse(asked?.text ?? '')).toEqual({
    model: 'm/x',
    state: STATE,
    questions: { trust: { type: 'noul', instructions: 'Keep it?' } },
  });
});
