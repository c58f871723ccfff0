/** A mistyped command or option is answered with the right one, whichever it is. */
import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { createProgram, GROUPS } from '../../src/cli/program.ts';
import { waymark } from './support.ts';

interface Typed {
  readonly said: string;
  readonly exitCode: number | null;
}

/** Parses as the command line does; nothing runs, since what is typed is wrong. */
async function type(words: readonly string[]): Promise<Typed> {
  let said = '';
  const program = createProgram({ version: '0', invocation: () => expect.fail(), onExit: () => expect.fail() });
  const writeErr = (text: string) => {
    said += text;
  };
  for (const command of everyCommand(program)) command.configureOutput({ writeErr });
  try {
    await program.parseAsync([...words], { from: 'user' });
    return { said, exitCode: null };
  } catch (error) {
    if (error instanceof CommanderError) return { said, exitCode: error.exitCode };
    throw error;
  }
}

function everyCommand(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

/** The last two letters change places, or where they are the same, the last is lost. */
function mistype(word: string): string {
  const [a = '', b = ''] = word.slice(-2);
  return a === b ? word.slice(0, -1) : word.slice(0, -2) + b + a;
}

/** The options the command insists on, less the one that is mistyped. */
function needed(command: Command, mistyped: string): readonly string[] {
  const options = command.options.filter(({ mandatory, long }) => mandatory && long !== mistyped);
  return options.flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
}

const program = createProgram({ version: '0', invocation: () => expect.fail(), onExit: () => expect.fail() });
const commands = everyCommand(program).filter((command) => command.parent !== null);

test('every command is suggested when its name is mistyped', async () => {
  expect(commands.length).toBeGreaterThan(10);
  for (const command of commands) {
    const path = pathOf(command);
    const name = command.name();
    const typed = await type([...path.slice(0, -1), mistype(name)]);
    expect(typed.exitCode, name).toBe(1);
    expect(typed.said).toContain(`waymark: unknown command '${mistype(name)}'\n(Did you mean `);
    // Names that are as near are there beside it.
    expect(typed.said.match(/Did you mean (?:one of )?(.*)\?/)?.[1]?.split(', ')).toContain(name);
  }
});

test('every option is suggested when it is mistyped', async () => {
  let count = 0;
  for (const command of commands) {
    for (const { long } of command.options) {
      if (long === undefined || long === null) continue;
      count += 1;
      const { said } = await type([...pathOf(command), ...needed(command, long), mistype(long)]);
      // One that must be given is missed first, and named so.
      const isMissed = said.startsWith(`waymark: required option '${long}`);
      if (!isMissed) expect(said).toContain(`waymark: unknown option '${mistype(long)}'\n(Did you mean ${long}?)`);
    }
  }
  expect(count).toBeGreaterThan(30);
});

test.each([
  [['reveiw'], 'review'],
  [['key', 'lst'], 'list'],
  [['recall', 'x', '--scop', 'a'], '--scope'],
  [['stauts', '--json'], 'status'],
])('waymark %j exits 2, says what was meant, and prints nothing on stdout', async (words, meant) => {
  const said = await waymark(words, { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(said).toMatchObject({ code: 2, stdout: '' });
  expect(said.stderr).toMatch(/^waymark: unknown (command|option) /);
  expect(said.stderr).toContain(`(Did you mean ${meant}?)\n  Add --help to see what it takes\n`);
});

test('a word that is near nothing suggests nothing, and says where to look', async () => {
  const said = await waymark(['xyzzy'], { cwd: '/', env: { HOME: '/nonexistent' } });
  expect(said.code).toBe(2);
  expect(said.stderr).toBe("waymark: unknown command 'xyzzy'\n  Add --help to see what it takes\n");
});

test('the help lists every command under one heading', () => {
  const listed = GROUPS.flatMap(([, names]) => names);
  expect(listed.toSorted()).toEqual(program.commands.map((command) => command.name()).toSorted());
  expect(program.helpInformation()).toMatch(/^Serve agents and people:\n {2}mcp /m);
});
