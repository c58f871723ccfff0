/** `waymark mcp`, `trace-server`, `serve`, `token ...`, `desk ...` */
import { type Command, Option } from 'commander';
import { ROLES } from '../record/principal.ts';
import { command, type Flags, type Run } from './command.ts';
import type { DeskLoginFlags } from './commands/desk.ts';
import type { ServeOptions } from './commands/serve.ts';
import type { CreateFlags } from './commands/token.ts';
import { collect, portNumber } from './option-values.ts';

export function addServing(program: Command, run: Run): void {
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
  command(program, 'serve', 'serve MCP over HTTP: on this machine as one agent, or to whoever has a token')
    .option('--host <host>', 'address to listen on; other than this machine only with credentials', '127.0.0.1')
    .option('--port <port>', '0 takes a free one', portNumber, 8765)
    .addOption(
      new Option(
        '--allow-host <name>',
        'a name that callers reach it by; repeatable (default: of public_url)',
      ).argParser(collect),
    )
    .addHelpText('after', '\nCredentials, TLS and the settings of the machine: docs/serving.md.')
    .action((flags: Flags & ServeOptions) =>
      run(flags, async (invocation) => (await import('./commands/serve.ts')).serve(invocation, flags)),
    );
}

export function addTokens(program: Command, run: Run): void {
  const token = program.command('token').description('let agents and people in over HTTP: create, list, revoke tokens');
  const load = () => import('./commands/token.ts');
  command(token, 'create', 'make a token and print it, once; takes your operator key')
    .requiredOption('--agent <id>', 'whom it stands for')
    .addOption(new Option('--role <role>', 'what they are').choices(ROLES).makeOptionMandatory())
    .addOption(
      new Option('--grant <grant>', 'SCOPE:RIGHTS, as "acme/**:read,write,decide"; repeatable')
        .argParser(collect)
        .makeOptionMandatory(),
    )
    .option('--expires <when>', 'a duration such as 12h, 30d, 8w, or a date', '90d')
    .option('--allow-mcp', "let a reviewer's or operator's token open /mcp too")
    .option('--name <name>', 'a name for people')
    .action((flags: Flags & CreateFlags) => run(flags, async (invocation) => (await load()).create(invocation, flags)));
  command(token, 'list', 'list the tokens of this record on this machine; never their text').action((flags: Flags) =>
    run(flags, async (invocation) => (await load()).list(invocation)),
  );
  command(token, 'revoke', 'end a token at once')
    .argument('<id>', 'from "waymark token list"')
    .action((id: string, flags: Flags) => run(flags, async (invocation) => (await load()).revoke(invocation, id)));
}

export function addDesk(program: Command, run: Run): void {
  const desk = program.command('desk').description('the review desk of "waymark serve", for people in a browser');
  command(desk, 'login', 'print a link that signs a browser in once, within 10 minutes; takes your operator key')
    .option('--url <url>', 'address of the server (default: that of the one that runs here)')
    .action((flags: Flags & DeskLoginFlags) =>
      run(flags, async (invocation) => (await import('./commands/desk.ts')).login(invocation, flags)),
    );
}
