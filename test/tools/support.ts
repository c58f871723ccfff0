/** `tools/verify.mjs` as an auditor runs it: alone in a folder, on a plain clone, with nothing of the project near. */
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import * as z from 'zod';

const VERIFIER = fileURLToPath(new URL('../../tools/verify.mjs', import.meta.url));

const reportSchema = z.object({
  ok: z.boolean(),
  head: z.string().optional(),
  verdicts: z.array(z.string()),
  findings: z.array(
    z.object({ verdict: z.string().optional(), code: z.string(), path: z.string(), message: z.string() }),
  ),
  notes: z.array(z.string()),
  checked: z.object({ events: z.number(), thoughts: z.number(), logs: z.number() }),
});

export interface Verified extends z.infer<typeof reportSchema> {
  readonly code: number | null;
}

export interface Auditor {
  readonly folder: string;
  /** A bare-bones clone of the branch as it is now; answers its root. */
  clone(root: string): string;
  run(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Runs with `--json`. */
  verify(args: readonly string[]): Promise<Verified>;
  /** As {@link verify}, in a thread of this process: quicker, and enough where the same was shown of the program. */
  verifyOnThread(args: readonly string[]): Promise<Verified>;
  [Symbol.dispose](): void;
}

export function makeAuditor(): Auditor {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-auditor-'));
  const program = join(folder, 'verify.mjs');
  copyFileSync(VERIFIER, program);
  const env = { PATH: process.env['PATH'] ?? '' };
  let clones = 0;
  const run: Auditor['run'] = (args) =>
    new Promise((resolve) => {
      const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
      execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }),
      );
    });
  return {
    folder,
    run,
    clone(root) {
      clones += 1;
      const target = join(folder, `clone-${clones}`);
      cloneBranch(root, target);
      return target;
    },
    verify: async (args) => readReport(await run([...args, '--json'])),
    verifyOnThread: async (args) => readReport(await onThread(program, [...args, '--json'])),
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function readReport({ code, stdout, stderr }: Ran): Verified {
  if (stdout === '') throw new Error(`No report: ${stderr}`);
  return { code, ...reportSchema.parse(JSON.parse(stdout)) };
}

async function onThread(program: string, argv: readonly string[]): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const worker = new Worker(program, { argv: [...argv], env, stdout: true, stderr: true });
  const [[code], stdout, stderr] = await Promise.all([once(worker, 'exit'), text(worker.stdout), text(worker.stderr)]);
  return { code: Number(code), stdout, stderr };
}

/** As `git clone --shared` leaves it, but for the working files, which no verifier reads. */
function cloneBranch(root: string, target: string): void {
  const head = execFileSync('git', ['rev-parse', 'main'], { cwd: root });
  const git = join(target, '.git');
  for (const name of ['objects/info', 'refs/heads']) mkdirSync(join(git, name), { recursive: true });
  writeFileSync(join(git, 'objects/info/alternates'), `${join(root, '.git/objects')}\n`);
  writeFileSync(join(git, 'config'), '[core]\n\trepositoryformatversion = 0\n');
  writeFileSync(join(git, 'HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(git, 'refs/heads/main'), head);
}
