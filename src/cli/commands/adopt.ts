/** `waymark adopt [PATH]` */
import { resolve } from 'node:path';
import { readEnvironment } from '../../config/index.ts';
import { type Outcome, refuse } from '../../record/outcome.ts';
import { type AdoptRecord, type AdoptReport, adopt as adoptRepository } from '../../trail/adopt.ts';
import { type FavaRepository, type Located, locateRepository, readRepository } from '../../trail/locate.ts';
import { columns } from '../columns.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { openOptions } from '../open-options.ts';
import { terminalPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { progress } from '../progress.ts';

export interface AdoptFlags {
  readonly dryRun?: true;
  readonly eol?: true;
}

/** Exits 0 also when some files stay out: they are named, and the rest is adopted. */
export async function adopt(invocation: Invocation, path: string | undefined, flags: AdoptFlags): Promise<ExitCode> {
  const environment = readEnvironment(invocation.env);
  if (!environment.ok) return fail(invocation, environment, { exit: EXIT.environment });
  const { cwd } = invocation;
  const found = path === undefined ? locateRepository(environment.value, cwd) : at(resolve(cwd, path));
  if (!found.ok) return fail(invocation, found, { exit: EXIT.environment });
  const adopted = await adoptRepository(found.value, {
    open: openOptions(invocation, environment.value),
    dryRun: flags.dryRun === true,
    eol: flags.eol === true,
    person: personOf,
    askPassphrase: terminalPassphrase,
    report: progress(invocation),
  });
  if (!adopted.ok) return fail(invocation, adopted);
  printResult(invocation, { status: 'ok', ...adopted.value }, render);
  return EXIT.ok;
}

function at(root: string): Outcome<Located | FavaRepository> {
  const next = 'Name the folder that holds its config.yaml';
  return readRepository(root) ?? refuse('repository', `"${root}" is no FAVA Trails repository and no record`, { next });
}

function render(report: AdoptReport): readonly string[] {
  const { counts, dry_run, first, records, settings, settings_changed, recovered, root, undo } = report;
  const shown = dry_run ? records : records.filter(({ change }) => change === undefined);
  const summary = Object.entries(counts).flatMap(([becomes, n]) => (n === 0 ? [] : [`${n} ${becomes}`]));
  const did = dry_run ? 'Would adopt' : 'Adopted';
  return [
    ...columns(shown.map((record) => [place(record), record.becomes, whyOf(record)])),
    ...recovered.map((path) => `${path}  put back as it was before a change that FAVA did not finish`),
    ...(dry_run || !first ? settings.map((path) => `${path}  ${dry_run ? 'would be ' : ''}put in force`) : []),
    ...settings_changed.map((path) => `${path}  differs from what is in force: waymark accept ${path}`),
    `${did} ${first ? root : `what was new in ${root}`}: ${summary.join(', ') || 'nothing'}; settings files ${settings.length}`,
    ...(undo === undefined ? ['Nothing was written'] : [`To go back: ${undo}`]),
  ];
}

function place({ path, line }: AdoptRecord): string {
  return line === undefined ? path : `${path}:${line}`;
}

const WHAT = {
  line_ends: 'line ends changed',
  edited: 'edited',
  voided: 'a revocation voids its last event',
} as const;

function whyOf({ why, change, status, status_before }: AdoptRecord): string {
  if (change === undefined || change === 'new') return why;
  return `${why}; ${WHAT[change]}${status_before === undefined ? '' : `, ${status_before} -> ${status}`}`;
}
