/** Settings, and files that do not count, as `waymark status` names them. */
import type { Facts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const SETTINGS = /^settings_/;

export function checkSettings({ record }: Facts): readonly Finding[] {
  if (record === null) return [];
  const { unknownKeys } = record.located.config;
  const unknown = unknownKeys.map((key) =>
    warn(
      'settings',
      `config.yaml has "${key}", which this version does not know`,
      'Correct its spelling, or remove it',
    ),
  );
  if (record.index.state !== 'read') return unknown;
  const problems = record.index.status.problems.filter(({ code }) => SETTINGS.test(code));
  const malformed = problems.map(({ path, message }) =>
    fail('settings', `${path}: ${message}`, `Correct ${path} and commit it`),
  );
  const found = [...unknown, ...malformed];
  return found.length > 0 ? found : [ok('settings', 'nothing malformed, nothing unknown')];
}

export function checkContent({ record }: Facts): readonly Finding[] {
  if (record === null || record.index.state !== 'read') return [];
  const { unverified, problems, counts } = record.index.status;
  const malformed = problems.filter(({ code }) => !SETTINGS.test(code));
  const [file] = unverified;
  const [problem] = malformed;
  const found = [
    ...(file === undefined
      ? []
      : [
          warn(
            'content',
            `${counts.unverified} files without a valid event are withheld, first ${file.path}: ${file.reason}`,
            'waymark status',
          ),
        ]),
    ...(problem === undefined
      ? []
      : [
          warn(
            'content',
            `${malformed.length} files cannot be read, first ${problem.path}:${problem.line}: ${problem.message}`,
            'waymark status',
          ),
        ]),
  ];
  return found.length > 0 ? found : [ok('content', 'every thought and event is readable and held to the ledger')];
}
