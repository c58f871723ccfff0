/** Commands that make a record and look after it. */
import type { Command } from 'commander';
import { command, type Flags, type Run } from './command.ts';
import type { AdoptFlags } from './commands/adopt.ts';
import type { InitFlags } from './commands/init.ts';

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
