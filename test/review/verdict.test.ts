import { expect, test } from 'vitest';
import { chat } from '../../src/review/chat.ts';
import { MAX_REASONING_BYTES, readVerdict } from '../../src/review/verdict.ts';
import { APPROVES, judges, says, startGate } from '../fakes/gate-server.ts';
import { MALFORMED } from '../fakes/malformed-verdicts.ts';

const PLAIN = { verdict: 'approve', reasoning: 'Sound.' };

const accepted: readonly (readonly [name: string, answer: string, value: object])[] = [
  ['one object alone', JSON.stringify(PLAIN), PLAIN],
  ['white space of JSON around it', `\r\n\t ${JSON.stringify(PLAIN, null, 2)}\n`, PLAIN],
  ['a fence of json', `\`\`\`json\n${JSON.stringify(PLAIN)}\n\`\`\``, PLAIN],
  ['a fence without a name, CR LF', `\`\`\`\r\n${JSON.stringify(PLAIN)}\r\n\`\`\`\n`, PLAIN],
  ['a fence inside the reasoning', JSON.stringify({ ...PLAIN, reasoning: 'Say ```x``` once.\n```' }), {}],
  [
    'a fence around a reasoning with a fence',
    `\`\`\`json\n{"verdict":"approve","reasoning":"\`\`\`\\n\`\`\`"}\n\`\`\``,
    {},
  ],
  ['a confidence', JSON.stringify({ ...PLAIN, confidence: 0 }), { confidence: 0 }],
  ['a colon and quotes in the reasoning', JSON.stringify({ ...PLAIN, reasoning: '"verdict": "reject"' }), {}],
  ['the longest reasoning', JSON.stringify({ ...PLAIN, reasoning: 'é'.repeat(MAX_REASONING_BYTES / 2) }), {}],
];

test.each(accepted)('%s is a verdict', (_name, answer, value) => {
  expect(readVerdict(answer)).toEqual({
    ok: true,
    value: { ...JSON.parse(/\{.*\}/s.exec(answer)?.[0] ?? ''), ...value },
  });
});

test.each(MALFORMED)('%s is none', (_name, answer, fault) => {
  expect(readVerdict(answer)).toEqual({ ok: false, fault });
  expect(readVerdict(JSON.stringify(PLAIN)).ok).toBe(true);
});

test('over HTTP no malformed answer is a verdict either', async () => {
  await using fake = await startGate();
  const provider = { address: fake.url, key: null, model: 'm/x', timeoutSeconds: 5, extraBody: {} };
  const asked = async () => {
    const reply = await chat(provider, [{ role: 'user', content: '?' }], { json: true });
    return reply.ok && readVerdict(reply.text).ok;
  };
  for (const [name, answer] of MALFORMED) {
    fake.answer = says(answer);
    expect([name, await asked()]).toEqual([name, false]);
  }
  fake.answer = judges(APPROVES);
  expect(await asked()).toBe(true);
});
