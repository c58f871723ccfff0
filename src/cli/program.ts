/** The command line: names, arguments, options, help. What a command does is loaded when it runs. */
import { Command, Option } from 'commander';
import { LINK_KINDS } from '../ledger/links.ts';
import { REVOCATION_REASONS } from '../ledger/types.ts';
import { ROLES } from '../record/principal.ts';
import { NAMESPACES, STATUSES } from '../record/thought.ts';
import { MODES } from '../record/visibility.ts';
import type { AdoptFlags } from './commands/adopt.ts';
import type { CheckpointOptions } from './commands/checkpoint.ts';
import type { EvidenceOptions } from './commands/evidence.ts';
import type { GetOptions } from './commands/get.ts';
import type { ImportOptions } from './commands/import.ts';
import type { EnrolOptions } from './commands/key.ts';
import type { RevokeOptions, RotateOptions } from './commands/key-end.ts';
import type { MirrorOptions } from './commands/mirror.ts';
import type { RecallOptions } from './commands/recall.ts';
import type { ReviewOptions } from './commands/review.ts';
import type { ScopesOptions } from './commands/scopes.ts';
import type { ServeOptions } from './commands/serve.ts';
import type { TraceOptions } from './commands/trace.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { ExitCode } from './exit-code.ts';
import type { Invocation } from './invocation.ts';
import { collect, fraction, portNumber, repeatable, wholeNumber } from './option-values.ts';
import { FORMATS } from './trace/formats.ts';

export interface ProgramOptions {
  readonly version: string;
  /** What a command gets; `json` is its own flag. */
  readonly invocation: (flags: { readonly json: boolean }) => Invocation;
  /** Called with what the command that ran answered. */
  readonly onExit: (code: ExitCode) => void;
}

interface Flags {
  readonly json?: true;
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
  const run = async (flags: Flags, work: (invocation: Invocation) => Promise<ExitCode>) => {
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

  command(program, 'init', 'make a record; on an existing one nothing changes')
    .argument('[path]', 'folder of the record', '.')
    .action((path: string, flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/init.ts')).init(invocation, path)),
    );
  command(program, 'demo', 'make a record of about 30 thoughts to try things on, with keys of its own')
    .argument('[path]', 'a new folder', './waymark-demo')
    .action((path: string, flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/demo.ts')).demo(invocation, path)),
    );
  command(program, 'adopt', 'bring a FAVA Trails repository, or what FAVA wrote since, under the ledger as it is')
    .argument('[path]', 'folder of the repository (default: as for every command)')
    .option('--dry-run', 'show what each file would become and why; write nothing')
    .option('--eol', 'only files that differ by line ends or a byte order mark')
    .action((path: string | undefined, flags: Flags & AdoptFlags) =>
      run(flags, async (invocation) => (await import('./commands/adopt.ts')).adopt(invocation, path, flags)),
    );
  command(program, 'mcp', 'serve MCP over stdin and stdout, for one agent')
    .addHelpText('after', '\nOn stdout stands the protocol alone; --json is about a failure to start, on stderr.')
    .action((flags: Flags) => run(flags, async (invocation) => (await import('./commands/mcp.ts')).mcp(invocation)));
  command(program, 'trace-server', "serve trace over atrib's mirrors, on stdin and stdout, without a record")
    .addHelpText(
      'after',
      '\nMirrors are ATRIB_RECORD_FILE, ATRIB_RECORDS_DIR, else ~/.atrib/records; whether there is a record does not matter.' +
        '\nOn stdout stands the protocol alone; --json is about a failure to start, on stderr.',
    )
    .action((flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/trace-server.ts')).traceServer(invocation)),
    );
  command(program, 'serve', 'serve MCP over HTTP on this machine, as one agent')
    .option('--host <host>', '127.0.0.1, ::1 or localhost', '127.0.0.1')
    .option('--port <port>', '0 takes a free one', portNumber, 8765)
    .action((flags: Flags & ServeOptions) =>
      run(flags, async (invocation) => (await import('./commands/serve.ts')).serve(invocation, flags)),
    );
  command(program, 'review', 'decide what waits, on the terminal')
    .option('--scope <scope>', 'only this scope; * is one level, ** any number')
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
  addReading(program, run);
  command(program, 'status', 'show branch, index, queue, logs, and everything unverified or malformed').action(
    (flags: Flags) => run(flags, async (invocation) => (await import('./commands/status.ts')).status(invocation)),
  );
  command(program, 'accept', 'put settings in force as they lie in the working tree; signed by your operator key')
    .argument('<path...>', 'files that "waymark status" lists under settings')
    .action((paths: string[], flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/accept.ts')).accept(invocation, paths)),
    );
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
  command(program, 'doctor', 'look for what is wrong with this machine and the record, and say what mends it')
    .addHelpText('after', '\nChanges nothing. Exit code 1 when something fails, 3 when there is no record.')
    .action((flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/doctor.ts')).doctor(invocation)),
    );
  command(program, 'reindex', 'build the index anew; nothing is lost with it').action((flags: Flags) =>
    run(flags, async (invocation) => (await import('./commands/reindex.ts')).reindex(invocation)),
  );
  addTakingAway(program, run);
  addKeys(program, run);
  return program;
}

type Run = (flags: Flags, work: (invocation: Invocation) => Promise<ExitCode>) => Promise<void>;

function addReading(program: Command, run: Run): void {
  command(program, 'recall', 'search what is approved and current, or list the newest')
    .argument('[query...]', 'all words must occur, as substrings')
    .option('--scope <scope>', 'where; repeatable; * is one level, ** any number (default: everywhere)', collect)
    .addOption(new Option('--mode <mode>', 'authoring: your own open thoughts; history: all, operators').choices(MODES))
    .addOption(repeatable('--status <status>', 'only this status; repeatable', STATUSES))
    .addOption(new Option('--namespace <namespace>', 'only this folder').choices(NAMESPACES))
    .option('--project <project>', 'only this project')
    .option('--branch <branch>', 'only this branch')
    .option('--tag <tag>', 'only with this tag; repeatable', collect)
    .option('--min-confidence <number>', '0 to 1', fraction)
    .addOption(new Option('--order <order>', 'what comes first').choices(['relevance', 'newest']))
    .option('--limit <number>', '1 to 100 (default: 20)', wholeNumber)
    .option('--cursor <cursor>', 'go on after the page that named it')
    .option('--full', 'whole texts')
    .option('--include-superseded', 'also what was replaced; with --mode history')
    .option('--related', 'also what the page refers to')
    .action((query: string[], flags: Flags & RecallOptions) =>
      run(flags, async (invocation) => (await import('./commands/recall.ts')).recall(invocation, query, flags)),
    );
  command(program, 'get', 'show one thought whole')
    .argument('<id>', 'or the first characters of it, at least 4')
    .requiredOption('--scope <scope>', 'its scope')
    .addOption(new Option('--mode <mode>', 'view to look in').choices(MODES))
    .action((id: string, flags: Flags & GetOptions) =>
      run(flags, async (invocation) => (await import('./commands/get.ts')).get(invocation, id, flags)),
    );
  addTrace(program, run);
  command(program, 'scopes', 'list the scopes that hold something you can see')
    .option('--prefix <scope>', 'only this scope and those below')
    .action((flags: Flags & ScopesOptions) =>
      run(flags, async (invocation) => (await import('./commands/scopes.ts')).scopes(invocation, flags)),
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
  command(program, 'mirror', "append this agent's records to its file among the records of atrib")
    .option('--with-content', 'with sidecars and the texts the agent wrote, for readers of atrib on this machine')
    .addHelpText('after', '\nThe folder is ATRIB_RECORDS_DIR, else ~/.atrib/records. What is there already stays.')
    .action((flags: Flags & MirrorOptions) =>
      run(flags, async (invocation) => (await import('./commands/mirror.ts')).mirror(invocation, flags)),
    );
}

function addKeys(program: Command, run: Run): void {
  const key = program.command('key').description('show, list, protect, enrol, rotate and revoke the keys that sign');
  const load = () => import('./commands/key.ts');
  command(key, 'show', 'show your public keys; makes your operator key if there is none').action((flags: Flags) =>
    run(flags, async (invocation) => (await load()).show(invocation)),
  );
  command(key, 'list', 'list the enrolled keys, and key files of this machine that cannot be used').action(
    (flags: Flags) => run(flags, async (invocation) => (await load()).list(invocation)),
  );
  command(key, 'protect', 'put your owner and operator key under a passphrase').action((flags: Flags) =>
    run(flags, async (invocation) => (await load()).protect(invocation)),
  );
  command(key, 'enrol', 'give a public key a role; signed by your operator key or the owner key')
    .argument('<pubkey>', 'from "waymark key show" of its holder')
    .requiredOption('--agent <id>', 'whom it signs for')
    .addOption(new Option('--role <role>', 'what it may do').choices(ROLES).makeOptionMandatory())
    .option('--name <name>', 'a name for people')
    .action((pubkey: string, flags: Flags & EnrolOptions) =>
      run(flags, async (invocation) => (await load()).enrol(invocation, pubkey, flags)),
    );
  const loadEnd = () => import('./commands/key-end.ts');
  command(key, 'rotate', 'hand a key of this machine over to a new one, which keeps its agent and role')
    .option('--agent <id>', 'whose agent key in this clone (default: WAYMARK_AGENT_ID)')
    .addOption(new Option('--operator', 'your operator key').conflicts(['agent', 'owner']))
    .addOption(new Option('--owner', 'the owner key').conflicts(['agent']))
    .action((flags: Flags & RotateOptions) =>
      run(flags, async (invocation) => (await loadEnd()).rotate(invocation, flags)),
    );
  command(key, 'revoke', 'end a key; signed by your operator key or the owner key')
    .argument('<pubkey>', 'from "waymark key list"')
    .addOption(new Option('--reason <reason>', 'why').choices(REVOCATION_REASONS).makeOptionMandatory())
    .option('--size <number>', 'how many of its first events stand (default: all there are)', wholeNumber)
    .addOption(new Option('--since <hash>', 'its first event that no longer stands').conflicts(['size']))
    .option('--yes', 'do not ask, also when something stops counting')
    .action((pubkey: string, flags: Flags & RevokeOptions) =>
      run(flags, async (invocation) => (await loadEnd()).revoke(invocation, pubkey, flags)),
    );
}

function command(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print the result as JSON');
}
