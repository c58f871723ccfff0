import { expect, test } from 'vitest';
import { findSecret } from '../../src/secrets/find-secret.ts';
import { findSecretThoroughly, secretlintRulesIn } from '../../src/secrets/second-opinion.ts';
import { alnum, EXAMPLES, HARMLESS } from './examples.ts';

/** What the own table does not know. */
const FOREIGN = `shp${'at_'}${alnum(32)}`;

test('findSecretThoroughly adds what secretlint alone knows, names rule and field, and never the text', async () => {
  expect(findSecret(FOREIGN)).toBeNull();
  const found = await findSecretThoroughly({ content: 'harmless words', metadata: { extra: { a: [`x ${FOREIGN}`] } } });
  expect(found).toEqual({ rule: 'secretlint-rule-shopify', field: 'metadata.extra.a[0]' });
  expect(await findSecretThoroughly({ [FOREIGN]: 1 })).toEqual({ rule: 'secretlint-rule-shopify', field: '<key>' });
  const token = `gh${'p_'}${alnum(36)}`;
  expect(await findSecretThoroughly({ content: token })).toEqual({ rule: 'github_pat', field: 'content' });
});

test("a comment of secretlint's own switches nothing off", async () => {
  for (const comment of ['<!-- secretlint-disable -->', '/* secretlint-disable */', '# secretlint-disable-line']) {
    expect((await findSecretThoroughly(`${comment}\n${FOREIGN} ${comment}`))?.rule, comment).toBe(
      'secretlint-rule-shopify',
    );
  }
});

test('findSecretThoroughly lets pass what the own table lets pass', async () => {
  expect(await secretlintRulesIn(EXAMPLES.map(([, text]) => text).join('\n'))).not.toEqual([]);
  for (const text of HARMLESS) expect(await findSecretThoroughly(text), text).toBeNull();
});

test('findSecretThoroughly answers on long texts made to backtrack', async () => {
  for (const unit of ['://a:', 'eyJ', '-----BEGIN ', 'aws_secret=', '"private_key": ', 'SG.a.', 'secret_', '\n']) {
    expect(await findSecretThoroughly(unit.repeat(Math.ceil(200_000 / unit.length))), unit).toSatisfy(
      (found) => found === null || typeof found === 'object',
    );
  }
});

test('secretlint keeps nothing of what it measures, however often it looks', async () => {
  const { secretLintProfiler } = await import('@secretlint/profiler');
  const kept = async () => [
    (await secretLintProfiler.getEntries()).length,
    performance.getEntriesByType('mark').length,
  ];
  await secretlintRulesIn('nothing');
  const before = await kept();
  for (let run = 0; run < 20; run += 1) await secretlintRulesIn(`nothing ${run}`);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await kept()).toEqual(before);
  expect(await secretlintRulesIn(`figd_${'aB3'.repeat(14)}`)).not.toEqual([]);
});
