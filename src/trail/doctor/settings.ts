/** Settings, and files that do not count, as `waymark status` names them. */
import type { Facts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

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
  const machine = record.machineSettingsFault;
  const onMachine = machine === null ? [] : [fail('settings', machine.message, machine.next)];
  if (record.index.state !== 'read') return [...unknown, ...onMachine];
  const differences = record.index.status.settings.map(({ path, state, message, next }) => {
    // With a signed version that cannot be had the strictest settings are in force.
    const name = state === 'lost' || state === 'malformed' ? fail : warn;
    return name('settings', `${path}: ${message}`, next);
  });
  const found = [...unknown, ...onMachine, ...differences];
  return found.length > 0 ? found : [ok('settings', 'what is in force is what lies there, nothing unknown')];
}

export function checkContent({ record }: Facts): readonly Finding[] {
  if (record === null || record.index.state !== 'read') return [];
  const { unverified, problems, counts } = record.index.status;
  const [file] = unverified;
  const [problem] = problems;
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
            `${problems.length} files cannot be read, first ${problem.path}:${problem.line}: ${problem.message}`,
            'waymark status',
          ),
        ]),
  ];
  return found.length > 0 ? found : [ok('content', 'every thought and event is readable and held to the ledger')];
}
