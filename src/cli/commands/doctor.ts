/** `waymark doctor` */
import { readEnvironment } from '../../config/index.ts';
import { type DoctorReport, doctor as examine } from '../../trail/doctor/index.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { terminalLine } from '../terminal-text.ts';

export async function doctor(invocation: Invocation): Promise<ExitCode> {
  const { env, cwd } = invocation;
  const environment = readEnvironment(env);
  if (!environment.ok) return fail(invocation, environment, { exit: EXIT.environment });
  const report = await examine({ environment: environment.value, cwd, env, now: Date.now() });
  const missing = report.found ? undefined : report.findings.find(({ check }) => check === 'repository');
  const error = missing && { code: 'repository', message: missing.message, next: missing.mend };
  printResult(invocation, { status: error ? 'error' : 'ok', ...error, ...report }, render);
  if (!report.found) return EXIT.environment;
  return report.ok ? EXIT.ok : EXIT.refused;
}

function render({ findings }: DoctorReport): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ mark, check, message, mend }) => [
    `${mark.padEnd(4)}  ${check.padEnd(width)}  ${terminalLine(message)}`,
    ...(mend === undefined ? [] : [`${' '.repeat(width + 8)}${terminalLine(mend)}`]),
  ]);
  const count = (wanted: string) => findings.filter(({ mark }) => mark === wanted).length;
  return [
    ...lines,
    `${count('ok')} ok, ${count('warn')} to know, ${count('fail')} to mend`,
    'Whether secrets came in with commits of others is not looked at here: waymark scan --history',
  ];
}
