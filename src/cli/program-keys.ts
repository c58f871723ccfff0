/** `waymark key ...`, `waymark quarantine` */
import { type Command, Option } from 'commander';
import { REVOCATION_REASONS } from '../ledger/types.ts';
import { ROLES } from '../record/principal.ts';
import { command, type Flags, type Run } from './command.ts';
import type { EnrolOptions } from './commands/key.ts';
import type { RevokeOptions, RotateOptions } from './commands/key-end.ts';
import type { RecoverOptions } from './commands/key-recovery.ts';
import type { QuarantineOptions } from './commands/quarantine.ts';
import { wholeNumber } from './option-values.ts';

export function addQuarantine(program: Command, run: Run): void {
  command(program, 'quarantine', 'withhold what an agent wrote from a time on, until each thought is decided anew')
    .requiredOption('--agent <id>', 'whose thoughts')
    .requiredOption('--since <time>', 'ISO 8601, as 2026-11-30T12:00:00Z')
    .requiredOption('--reason <text>', 'why')
    .option('--dry-run', 'show what it would withhold; write nothing')
    .action((flags: Flags & QuarantineOptions) =>
      run(flags, async (invocation) => (await import('./commands/quarantine.ts')).quarantine(invocation, flags)),
    );
}

export function addKeys(program: Command, run: Run): void {
  const key = program
    .command('key')
    .description('show, list, protect, enrol, rotate, revoke and recover the keys that sign');
  const load = () => import('./commands/key.ts');
  command(key, 'show', 'show your public keys; makes your operator key if there is none').action((flags: Flags) =>
    run(flags, async (invocation) => (await load()).show(invocation)),
  );
  command(key, 'list', 'list the enrolled keys, and key files of this machine that cannot be used').action(
    (flags: Flags) => run(flags, async (invocation) => (await load()).list(invocation)),
  );
  const loadRecovery = () => import('./commands/key-recovery.ts');
  command(key, 'protect', 'put your owner and operator key under a passphrase')
    .option('--recovery <file>', 'the recovery key in this file instead')
    .action((flags: Flags & { readonly recovery?: string }) =>
      run(flags, async (invocation) =>
        flags.recovery === undefined
          ? (await load()).protect(invocation)
          : (await loadRecovery()).protectRecovery(invocation, flags.recovery),
      ),
    );
  command(key, 'enrol', 'give a public key a role; signed by your operator key or the owner key')
    .argument('<pubkey>', 'from "waymark key show" of its holder')
    .requiredOption('--agent <id>', 'whom it signs for')
    .addOption(new Option('--role <role>', 'what it may do').choices([...ROLES, 'service']).makeOptionMandatory())
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
  command(key, 'recovery', 'make the recovery key of a record that has none; signed by the owner key')
    .argument('<file>', 'a new file, to be kept off this machine')
    .action((file: string, flags: Flags) =>
      run(flags, async (invocation) => (await loadRecovery()).recovery(invocation, file)),
    );
  command(key, 'recover', 'take the record back from a lost or stolen owner key; makes a new one on this machine')
    .argument('<file>', 'the file of the recovery key')
    .option('--since <hash>', 'the first event of the owner key that no longer stands (default: all there are stand)')
    .option('--yes', 'do not ask, also when something stops counting')
    .action((file: string, flags: Flags & RecoverOptions) =>
      run(flags, async (invocation) => (await loadRecovery()).recover(invocation, file, flags)),
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
