/** The command line: names, arguments, options, help. What a command does is loaded when it runs. */
import { Command, Option } from 'commander';
import { LINK_KINDS } from '../ledger/links.ts';
import { GROUNDS, SOURCE_TYPES } from '../record/thought.ts';
import { command, type Flags, type Run } from './command.ts';
import type { CheckpointOptions } from './commands/checkpoint.ts';
import type { EvidenceOptions } from './commands/evidence.ts';
import type { ExportSiteOptions } from './commands/export-site.ts';
import type { ImportOptions } from './commands/import.ts';
import type { MirrorOptions } from './commands/mirror.ts';
import type { ReviewOptions } from './commands/review.ts';
import type { TraceOptions } from './commands/trace.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { ExitCode } from './exit-code.ts';
import type { Invocation } from './invocation.ts';
import { collect, repeatable, wholeNumber } from './option-values.ts';
import { addKeys, addQuarantine } from './program-keys.ts';
import { addFinding, addReading, addScopes } from './program-reading.ts';
import { addDesk, addServing, addTokens } from './program-serving.ts';
import { addDuplicates, addErasing, addMaking, addMending, addSettings, addTombstones } from './program-upkeep.ts';
import { VERDICT_NAMES } from './review/questions.ts';
import { FORMATS } from './trace/formats.ts';

export interface ProgramOptions {
  readonly version: string;
  /** What a command gets; `json` is its own flag. */
  readonly invocation: (flags: { readonly json: boolean }) => Invocation;
  /** Called with what the command that ran answered. */
  readonly onExit: (code: ExitCode) => void;
}

const EXIT_CODES = 'Exit codes: 0 ok, 1 refused or falls short, 2 usage, 3 environment.';
const VARIABLES = `Environment variables:
  WAYMARK_DATA_REPO          folder of the record
  WAYMARK_AGENT_ID           who this process is (default: "local-agent")
  WAYMARK_OPERATOR=1         asks for operator rights, which an unlocked operator key gives
  WAYMARK_SCOPE_HINT         scope that agents are told to use by default
  WAYMARK_MCP_SURFACE=full   also advertises output schemas`;
const RECORD = 'The record is WAYMARK_DATA_REPO, else the nearest folder at or above this one that holds one.';

/** Errors are thrown as `CommanderError`; nothing here ends the process. */
export function createProgram(options: ProgramOptions): Command {
  const run: Run = async (flags, work) => {
    options.onExit(await work(options.invocation({ json: flags.json === true })));
  };
  const program = new Command('waymark')
    .description('An institutional record for AI agents: approved thoughts, signed events, plain files')
    .version(options.version)
    .addHelpText('after', `\n${VARIABLES}`)
    .addHelpText('afterAll', `\n${RECORD}\n${EXIT_CODES}`)
    // Before the commands, which inherit both.
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'waymark: ')) })
    .showHelpAfterError('  Add --help to see what it takes')
    .exitOverride();

  addMaking(program, run);
  addServing(program, run);
  addTokens(program, run);
  addDesk(program, run);
  addProposals(program, run);
  addDuplicates(program, run);
  addReading(program, run);
  addTrace(program, run);
  addScopes(program, run);
  addFinding(program, run);
  addSettings(program, run);
  addTombstones(program, run);
  addVerifying(program, run);
  addMending(program, run);
  addErasing(program, run);
  addTakingAway(program, run);
  addKeys(program, run);
  addQuarantine(program, run);
  return program;
}

function addProposals(program: Command, run: Run): void {
  command(program, 'review', 'decide what waits, on the terminal')
    .option('--scope <scope>', 'only this scope; * is one level, ** any number')
    .option('--author <agent-id>', 'only of this author')
    .addOption(new Option('--type <source-type>', 'only of this type').choices(SOURCE_TYPES))
    .option('--older-than <days>', 'only what waits longer', wholeNumber)
    .addOption(new Option('--advice <verdict>', 'only what a model said this of').choices(['approve', 'reject']))
    .option('--near-tombstone', 'only what comes close to a rejected value')
    .option('--all', 'decide all of them alike, after one question')
    .addOption(new Option('--verdict <verdict>', 'with --all').choices(VERDICT_NAMES))
    .option('--reason <reason>', 'with --all; each author reads it')
    .addOption(
      new Option('--grounds <grounds>', 'with --all --verdict reject; false and harmful keep the values out').choices(
        GROUNDS,
      ),
    )
    .addHelpText(
      'after',
      '\nYou are WAYMARK_AGENT_ID, else the holder of the operator key on this machine, else your account.' +
        '\nWithout a terminal the queue is printed and the exit code is 1; --json prints it and asks nothing.',
    )
    .action((flags: Flags & ReviewOptions) =>
      run(flags, async (invocation) => (await import('./commands/review.ts')).review(invocation, flags)),
    );
  command(program, 'import', 'save Markdown and JSONL files as drafts, and propose them')
    .argument('<path>', 'a file, or a folder with those below it')
    .requiredOption('--scope <scope>', 'where to')
    .option('--dry-run', 'check everything, save nothing')
    .addHelpText(
      'after',
      '\nMarkdown is a thought file, else a note; JSONL is an object of save_thought a line.' +
        '\nRun it again as often as you like: what you saved there before is skipped.',
    )
    .action((path: string, flags: Flags & ImportOptions) =>
      run(flags, async (invocation) => (await import('./commands/import.ts')).importThoughts(invocation, path, flags)),
    );
}

function addVerifying(program: Command, run: Run): void {
  command(program, 'verify', 'check signatures, roles, sequence, trees, checkpoints and every thought')
    .option('--against <file>', 'also hold the logs against checkpoints that were exported before')
    .option('--history', 'also hold every commit to the ledger, from where the last such run ended')
    .addOption(
      new Option(
        '--records <file>',
        'check an atrib mirror instead, "-" is stdin: a JSON object for each line',
      ).conflicts(['against', 'history']),
    )
    .addHelpText(
      'after',
      '\nEach finding leads with what was done: edited, removed, inserted, reordered, cut_tail, forked, re_signed, unknown_key,' +
        '\nwrong_role, after_revocation, re_rooted, unrecorded_change; or cannot_tell, which alone is exit code 3.',
    )
    .action((flags: Flags & VerifyFlags & { readonly records?: string }) =>
      run(flags, async (invocation) => {
        if (flags.records === undefined) return (await import('./commands/verify.ts')).verify(invocation, flags);
        return (await import('./commands/verify-records.ts')).verifyRecords(invocation, flags.records);
      }),
    );
  command(program, 'checkpoint', 'print what each log is signed to be, to keep elsewhere and verify against')
    .requiredOption('--export [file]', 'to a new file (default: stdout)')
    .action((flags: Flags & CheckpointOptions) =>
      run(flags, async (invocation) => (await import('./commands/checkpoint.ts')).checkpoint(invocation, flags)),
    );
}

function addTrace(program: Command, run: Run): void {
  command(program, 'trace', 'show why: what a thought or record was informed by, each step verified')
    .argument('<id>', 'of a thought, or the hash of a record; the first characters are enough')
    .option('--depth <number>', '0 to 10 (default: 3)', wholeNumber)
    .option('--max-nodes <number>', '1 to 500 records (default: 200)', wholeNumber)
    .addOption(new Option('--forward', 'what it informed').conflicts('both'))
    .option('--both', 'either way')
    .addOption(repeatable('--follow <kind>', 'links to follow; repeatable (default: informed_by)', LINK_KINDS))
    .option('--context <id>', 'only records of this context')
    .option('--content', 'also the sidecar of each record')
    .option('--no-verify', 'check no signatures')
    .option('--cursor <cursor>', 'go on after the page that named it')
    .addOption(
      new Option('--path-to <id>', 'instead, the shortest way to this one, by links in either direction').conflicts([
        'depth',
        'maxNodes',
        'forward',
        'both',
        'context',
        'cursor',
      ]),
    )
    .addOption(new Option('--format <format>', 'how to print it (default: tree)').choices(FORMATS).conflicts('json'))
    .addHelpText(
      'after',
      '\nMirrors of atrib are read too, alone where there is no record: ATRIB_RECORDS_DIR, else ~/.atrib/records.',
    )
    .action((id: string, flags: Flags & TraceOptions) =>
      run(flags, async (invocation) => (await import('./commands/trace.ts')).trace(invocation, id, flags)),
    );
}

function addTakingAway(program: Command, run: Run): void {
  command(program, 'evidence', 'pack what shows how something came to be, for somebody else to check')
    .argument('<id>', 'of a thought, or the hash of a record; the first characters are enough')
    .requiredOption('--out <file>', 'a new zip archive')
    .addHelpText(
      'after',
      '\nIt holds what you may see. Where a key came in with a draft of somebody else, that takes WAYMARK_OPERATOR=1.',
    )
    .action((id: string, flags: Flags & EvidenceOptions) =>
      run(flags, async (invocation) => (await import('./commands/evidence.ts')).evidence(invocation, id, flags)),
    );
  const exporting = program.command('export').description('write what somebody may see as files that need no server');
  command(exporting, 'site', 'write the pages of the reader as a folder that any browser opens')
    .argument('<out>', 'a folder that is not there, or that of an earlier export')
    .option('--as <agent-id>', 'whose view it is (default: WAYMARK_AGENT_ID)')
    .option('--grant <grant>', 'narrow it, as "acme/**:read"; repeatable', collect)
    .addHelpText('after', '\nThe same commit gives the same bytes. Exit code 1 when a page is missing; it is named.')
    .action((out: string, flags: Flags & ExportSiteOptions) =>
      run(flags, async (invocation) => (await import('./commands/export-site.ts')).exportSite(invocation, out, flags)),
    );
  command(program, 'mirror', "append this agent's records to its file among the records of atrib")
    .option('--with-content', 'with sidecars and the texts the agent wrote, for readers of atrib on this machine')
    .addHelpText('after', '\nThe folder is ATRIB_RECORDS_DIR, else ~/.atrib/records. What is there already stays.')
    .action((flags: Flags & MirrorOptions) =>
      run(flags, async (invocation) => (await import('./commands/mirror.ts')).mirror(invocation, flags)),
    );
}
