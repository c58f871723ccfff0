#!/usr/bin/env node
/** The `waymark` command. The only place that ends the process. */
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { drained } from './drained.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { createProgram } from './program.ts';

async function main(): Promise<ExitCode> {
  let exit: ExitCode = EXIT.ok;
  const version = packageVersion();
  const program = createProgram({
    version,
    invocation: ({ json }) => ({
      env: process.env,
      cwd: process.cwd(),
      version,
      json,
      out: (text) => void process.stdout.write(text),
      drained: () => drained(process.stdout),
      err: (text) => void process.stderr.write(text),
      isWatched: process.stderr.isTTY === true,
    }),
    onExit: (code) => {
      exit = code;
    },
  });
  try {
    await program.parseAsync();
    return exit;
  } catch (error) {
    // Help and version that were asked for come this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    // A fault of ours, unlike a refusal: the stack is for whoever mends it.
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`waymark: internal fault, please report it\n${text}\n`);
    return EXIT.refused;
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  // Our own package's file, which npm has parsed already.
  const { version }: { version: string } = JSON.parse(text);
  return version;
}

// A reader that has enough (`waymark recall | head`) is no fault.
process.stdout.on('error', () => undefined);
const code = await main();
// What is still in the pipe leaves first.
process.stdout.write('', () => process.exit(code));
