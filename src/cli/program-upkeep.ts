/** Commands that make a record and look after it. */
import { type Command, Option } from 'commander';
import { DISPOSITIONS } from '../trail/duplicates/resolve.ts';
import { command, type Flags, type Run } from './command.ts';
import type { AdoptFlags } from './commands/adopt.ts';
import type { DuplicatesFlags } from './commands/duplicates.ts';
import type { EraseOptions } from './commands/erase.ts';
import type { InitFlags } from './commands/init.ts';
import type { ReasonOptions } from './commands/tombstones.ts';

export function addMaking(program: Command, run: Run): void {
  command(program, 'init', 'make a record; on an existing one nothing changes')
    .argument('[path]', 'folder of the record', '.')
    .option('--recovery <file>', 'new file for the recovery key (default: beside the owner key, to be moved away)')
    .action((path: string, flags: Flags & InitFlags) =>
      run(flags, async (invocation) => (await import('./commands/init.ts')).init(invocation, path, flags)),
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
}

export function addSettings(program: Command, run: Run): void {
  command(program, 'status', 'show branch, index, queue, logs, and everything unverified or malformed').action(
    (flags: Flags) => run(flags, async (invocation) => (await import('./commands/status.ts')).status(invocation)),
  );
  command(program, 'accept', 'put settings in force as they lie in the working tree; signed by your operator key')
    .argument('<path...>', 'files that "waymark status" lists under settings')
    .action((paths: string[], flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/accept.ts')).accept(invocation, paths)),
    );
}

export function addDuplicates(program: Command, run: Run): void {
  command(
    program,
    'duplicates',
    'show approved thoughts that say nearly the same or contradict each other, and settle one pair',
  )
    .argument('[ids...]', 'two thoughts to settle')
    .option('--scope <scope>', 'a scope or a glob such as "acme/**"')
    .addOption(new Option('--keep <which>', 'the one made first, the other, or both').choices(DISPOSITIONS))
    .option('--reason <text>', 'why, for whoever asks later')
    .addHelpText(
      'after',
      '\nThe one that is not kept is superseded by the one that is. To write a third text, supersede one of them.',
    )
    .action((ids: string[], flags: Flags & DuplicatesFlags) =>
      run(flags, async (invocation) => (await import('./commands/duplicates.ts')).duplicates(invocation, ids, flags)),
    );
}

export function addTombstones(program: Command, run: Run): void {
  const tombstones = program.command('tombstones').description('look after the values that are kept out');
  command(tombstones, 'list', 'list the values that are kept out; never the values').action((flags: Flags) =>
    run(flags, async (invocation) => (await import('./commands/tombstones.ts')).listTombstones(invocation)),
  );
  command(tombstones, 'rotate-key', 'keep values out under a new key from now on; what is kept out stays so')
    .requiredOption('--reason <text>', 'why')
    .action((flags: Flags & ReasonOptions) =>
      run(flags, async (invocation) =>
        (await import('./commands/tombstones.ts')).rotateTombstoneKey(invocation, flags),
      ),
    );
  command(program, 'lift', 'let a value in again that a tombstone keeps out')
    .argument('<id>', 'of the tombstone')
    .requiredOption('--reason <text>', 'why it may come back')
    .action((id: string, flags: Flags & ReasonOptions) =>
      run(flags, async (invocation) => (await import('./commands/tombstones.ts')).liftTombstone(invocation, id, flags)),
    );
}

export function addMending(program: Command, run: Run): void {
  command(program, 'doctor', 'look for what is wrong with this machine and the record, and say what mends it')
    .addHelpText('after', '\nChanges nothing. Exit code 1 when something fails, 3 when there is no record.')
    .action((flags: Flags) =>
      run(flags, async (invocation) => (await import('./commands/doctor.ts')).doctor(invocation)),
    );
  command(program, 'reindex', 'build the index anew; nothing is lost with it').action((flags: Flags) =>
    run(flags, async (invocation) => (await import('./commands/reindex.ts')).reindex(invocation)),
  );
}

export function addErasing(program: Command, run: Run): void {
  command(program, 'erase', 'remove the text of a thought for good; signed by your operator key')
    .argument('<id>', 'of the thought; the first characters are enough')
    .requiredOption('--reason <text>', 'why; it stays in the record, so it must not say what')
    .option('--scope <scope>', 'the scope it is in (default: any)')
    .option('--no-tombstone', 'let the same text be saved again')
    .option('--dry-run', 'show what would go and what still holds the text; write nothing')
    .option('--purge-history', "also make this repository's history anew without it: commits get other ids")
    .addHelpText('after', '\nIt asks on the terminal. What was done and by whom stays signed; the text is gone here.')
    .action((id: string, flags: Flags & EraseOptions) =>
      run(flags, async (invocation) => (await import('./commands/erase.ts')).erase(invocation, id, flags)),
    );
}
