/** `tools/verify.mjs` as an auditor runs it: alone in a folder, on a plain clone, with nothing of the project near. */
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
  /** A clone of the repository as it is now; answers its root. */
  clone(root: string): string;
  run(args: readonly string[]): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Runs with `--json`. */
  verify(args: readonly string[]): Promise<Verified>;
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
      execFileSync('git', ['clone', '-q', root, target], { env: { ...env, HOME: folder }, stdio: 'pipe' });
      return target;
    },
    async verify(args) {
      const { code, stdout, stderr } = await run([...args, '--json']);
      if (stdout === '') throw new Error(`No report: ${stderr}`);
      return { code, ...reportSchema.parse(JSON.parse(stdout)) };
    },
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
