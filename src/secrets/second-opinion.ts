/**
 * Secretlint's rules, for what the own table does not know. Its preset as a whole would obey a comment
 * `secretlint-disable` in the very text that is checked, so its rules are registered one by one, without the filter.
 *
 * Loaded on first use: it costs about 40 ms, and a check some tenths of a millisecond for a text of 1 KB.
 */
import type { SecretLintCoreConfig } from '@secretlint/types';
import { fieldPath } from '../record/field-path.ts';
import { type FoundSecret, findSecret } from './find-secret.ts';
import { readingsOf } from './readings.ts';

/** The filter, and what the own table judges with an eye for documentation: `https://user:password@example.org`. */
const LEFT_OUT = ['-filter-comments', '-basicauth'] as const;
/** Shorter strings are no token of any of its rules. */
const SHORTEST = 16;

/** As `findSecret`, and where that finds nothing, what secretlint finds. */
export async function findSecretThoroughly(value: unknown): Promise<FoundSecret | null> {
  const found = findSecret(value);
  if (found !== null) return found;
  const strings = [...stringsIn(value, '')];
  // One call for the usual case, which is that there is nothing.
  if (strings.length === 0 || (await secretlintRulesIn(strings.map(({ text }) => text).join('\n\n'))).length === 0) {
    return null;
  }
  for (const { text, field } of strings) {
    const [rule] = await secretlintRulesIn(text);
    if (rule !== undefined) return { rule, field };
  }
  return null;
}

/** Names of secretlint's rules that find something, such as `secretlint-rule-figma`. Never any of the text. */
export async function secretlintRulesIn(text: string): Promise<readonly string[]> {
  const [{ lintSource }, { rules }, { secretLintProfiler }] = await Promise.all([
    import('@secretlint/core'),
    import('@secretlint/secretlint-rule-preset-recommend'),
    import('@secretlint/profiler'),
  ]);
  // It keeps what it measures for as long as the process runs, and looks through all of it at each measure.
  secretLintProfiler.mark = () => undefined;
  const config: SecretLintCoreConfig = {
    rules: rules
      .filter(({ meta }) => !LEFT_OUT.some((name) => meta.id.endsWith(name)))
      .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
  };
  const { messages } = await lintSource({
    source: { filePath: 'text.md', content: readingsOf(text).join('\n\n'), contentType: 'text', ext: '.md' },
    options: { noPhysicFilePath: true, locale: 'en', maskSecrets: true, config },
  });
  return [...new Set(messages.map(({ ruleId }) => ruleId.replace('@secretlint/', '')))];
}

/** Of data that `findSecret` has walked, so it is not too deep. */
function* stringsIn(value: unknown, field: string): Generator<{ readonly text: string; readonly field: string }> {
  if (typeof value === 'string') {
    if (value.length >= SHORTEST) yield { text: value, field };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* stringsIn(item, fieldPath(field, index));
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key.length >= SHORTEST) yield { text: key, field: field === '' ? '<key>' : `${field}.<key>` };
      yield* stringsIn(item, fieldPath(field, key));
    }
  }
}
