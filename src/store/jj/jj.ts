/** Runs jj in one repository: one command at a time, with our settings, in a way that outlives no successor. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { stageFile } from '../durable-file.ts';
import type { GitLocation } from '../git/environment.ts';
import { refLockFiles } from '../git/repository.ts';
import { acquireLock } from '../lock.ts';
import { processId } from '../process-id.ts';
import type { Author, ChildProcessId } from '../version-store.ts';
import { fenceNoted, notedCommand, SHELL } from './child-note.ts';
import { acceptedJj, type Variables } from './find-jj.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import { jjEnvironment, renderSettings } from './settings.ts';

export interface JjOptions {
  readonly location: GitLocation;
  readonly branch: string;
  /** `.waymark`. */
  readonly state: string;
  readonly variables: Variables;
}

/** Commands of one turn; they share author and paths. */
export type RunJj = (args: readonly string[]) => Promise<ProgramEnd>;

export interface TurnOptions {
  /** @default nobody's: the command makes no commit */
  readonly author?: Author;
  /** @default none */
  readonly paths?: readonly string[];
  /** `true` where there is no repository of jj yet; otherwise jj looks at exactly this one. @default false */
  readonly isNew?: boolean;
  /** Milliseconds to wait for another process's turn. @default 10_000 */
  readonly timeoutMs?: number;
}

const NOBODY: Author = { name: 'Waymark', email: 'waymark@localhost' };
/** What a person has made immutable may hold `@`, which only gets another parent. */
const GLOBAL = ['--no-pager', '--color=never', '--ignore-immutable'];

export class Jj {
  readonly #options: JjOptions;
  readonly #note: string;
  #program: string | undefined;
  #running: ChildProcessId | null = null;

  constructor(options: JjOptions) {
    this.#options = options;
    this.#note = join(options.state, 'jj-child');
  }

  /** Refuses when there is no `jj` to write with. */
  async ready(): Promise<Outcome<null>> {
    if (this.#program !== undefined) return ok(null);
    const { variables, location } = this.#options;
    const found = await acceptedJj(variables, location.root);
    if (!found.ok) return found;
    const renamed = await this.#renamedPaths(found.value);
    if (renamed !== null) return renamed;
    this.#program = found.value;
    return ok(null);
  }

  /** The one alias that would make our paths mean other files, a person's own; everything else of jj's is ours alone. */
  async #renamedPaths(program: string): Promise<Refusal | null> {
    const { variables, location } = this.#options;
    const args = ['--repository', location.root, ...GLOBAL, 'config', 'list', 'fileset-aliases'];
    // Nothing where there is no repository of jj yet.
    const { stdout } = await runProgram(program, args, { cwd: location.root, env: jjEnvironment(variables) });
    if (!/^fileset-aliases\.["']?\s*root-file\s*:/m.test(stdout)) return null;
    return refuse('repository', 'The jj settings of this repository give "root-file:" another meaning', {
      next: 'Nothing was saved. Run "jj config edit --repo" and remove that alias from "fileset-aliases"',
    });
  }

  /** The command that runs now, if one does. */
  children(): readonly ChildProcessId[] {
    return this.#running === null ? [] : [this.#running];
  }

  /**
   * Has jj to itself among Waymark's processes while `work` runs; the child of a dead one is gone by then. `null` when
   * another had it all the while. A jj that a person runs is beside it: jj's own locks order the two.
   */
  async turn<T>(work: (run: RunJj) => Promise<T>, options: TurnOptions = {}): Promise<T | null> {
    const { state, location, branch } = this.#options;
    const { author = NOBODY, paths = [], isNew = false, timeoutMs = 10_000 } = options;
    await mkdir(state, { recursive: true, mode: 0o700 });
    const turn = await acquireLock({ file: join(state, 'jj.sqlite'), holder: 'jj', timeoutMs });
    if (!turn.ok) return null;
    const locks = { refs: refLockFiles(location, branch), index: join(location.gitDir, 'index.lock') };
    let settings: string | undefined;
    try {
      await fenceNoted(this.#note, locks);
      settings = await stageFile(Buffer.from(renderSettings({ author, paths })), { temporary: join(state, 'tmp') });
      const where = isNew ? [] : ['--repository', location.root];
      const command = [...where, '--config-file', settings, ...GLOBAL];
      return await work(async (args) => {
        // The one before may have been cut off.
        await fenceNoted(this.#note, locks);
        return this.#run([...command, ...args]);
      });
    } finally {
      if (settings !== undefined) await rm(settings, { force: true });
      turn.lock.release();
    }
  }

  async #run(args: readonly string[]): Promise<ProgramEnd> {
    const { location, variables } = this.#options;
    const program = this.#program ?? 'jj';
    const end = await runProgram(SHELL, notedCommand(this.#note, program, args), {
      cwd: location.root,
      env: jjEnvironment(variables),
      onStart: (pid) => {
        this.#running = processId(pid);
      },
    });
    this.#running = null;
    if (end.code !== null) await rm(this.#note, { force: true });
    return end;
  }
}
