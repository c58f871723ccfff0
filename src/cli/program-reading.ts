/** Commands that look thoughts up. */
import { type Command, Option } from 'commander';
import { NAMESPACES, STATUSES } from '../record/thought.ts';
import { MODES } from '../record/visibility.ts';
import { command, type Flags, type Run } from './command.ts';
import type { FindFlags } from './commands/find.ts';
import type { GetOptions } from './commands/get.ts';
import type { RecallOptions } from './commands/recall.ts';
import type { ScanFlags } from './commands/scan.ts';
import type { ScopesOptions } from './commands/scopes.ts';
import { collect, fraction, repeatable, wholeNumber } from './option-values.ts';

const VALID_AT = 'only what was true in the world then';
const KNOWN_AT = 'as the record knew it then; operators';

export function addReading(program: Command, run: Run): void {
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
    .option('--valid-at <time>', VALID_AT)
    .option('--known-at <time>', KNOWN_AT)
    .action((query: string[], flags: Flags & RecallOptions) =>
      run(flags, async (invocation) => (await import('./commands/recall.ts')).recall(invocation, query, flags)),
    );
  command(program, 'get', 'show one thought whole')
    .argument('<id>', 'or the first characters of it, at least 4')
    .requiredOption('--scope <scope>', 'its scope')
    .addOption(new Option('--mode <mode>', 'view to look in').choices(MODES))
    .option('--valid-at <time>', VALID_AT)
    .option('--known-at <time>', KNOWN_AT)
    .action((id: string, flags: Flags & GetOptions) =>
      run(flags, async (invocation) => (await import('./commands/get.ts')).get(invocation, id, flags)),
    );
}

export function addFinding(program: Command, run: Run): void {
  command(program, 'find', 'list every place on this machine that holds a text, history included; operators')
    .argument('[value]', 'the text; "-" reads it from stdin (default: asked on the terminal)')
    .requiredOption('--everywhere', 'files, logs, indexes, mirrors and every object of the repository')
    .option('--exact', 'byte for byte; otherwise case, width and white space make no difference')
    .addHelpText('after', '\nA value on the command line stays in the history of your shell.')
    .action((value: string | undefined, flags: Flags & FindFlags) =>
      run(flags, async (invocation) => (await import('./commands/find.ts')).find(invocation, value, flags)),
    );
  command(program, 'scan', 'look for secrets in the files of the branch and of the working tree')
    .option('--history', 'also in every object of the repository')
    .addHelpText(
      'after',
      '\nEach finding names the rule and the place, never the value. Exit code 1 when there is one.',
    )
    .action((flags: Flags & ScanFlags) =>
      run(flags, async (invocation) => (await import('./commands/scan.ts')).scan(invocation, flags)),
    );
}

export function addScopes(program: Command, run: Run): void {
  command(program, 'scopes', 'list the scopes that hold something you can see')
    .option('--prefix <scope>', 'only this scope and those below')
    .action((flags: Flags & ScopesOptions) =>
      run(flags, async (invocation) => (await import('./commands/scopes.ts')).scopes(invocation, flags)),
    );
}
