/** A process of ours that says JSON lines and waits for a line to go on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** What `kill-child.ts` and `saver-child.ts` say. */
export interface Said {
  readonly at: 'ready' | 'stopped' | 'sent' | 'answered';
  readonly git?: readonly { readonly pid: number }[];
  readonly outcome?: { readonly ok: boolean; readonly code?: string };
  readonly ok?: boolean;
  readonly code?: string;
  readonly content?: string;
  readonly thought_id?: string;
  readonly ms?: number;
}

export interface Child {
  readonly process: ChildProcess;
  /** Everything said so far. */
  readonly lines: readonly Said[];
  /** The first line that says `at`; rejects when the process ends without it. */
  said(at: Said['at']): Promise<Said>;
  /** Resolves once `count` lines say `at`; rejects when the process ends before. */
  saidTimes(at: Said['at'], count: number): Promise<void>;
  goOn(): void;
  /** Exit code, `null` when killed, with what it wrote to standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts `test/children/<name>.ts`, as built by `npm run build:tools`, with a JSON argument, as another user when that is asked. */
export function startChild(name: string, argument: object, user: { uid?: number; gid?: number } = {}): Child {
  const script = fileURLToPath(new URL(`../../.tools/test/children/${name}.js`, import.meta.url));
  if (!existsSync(script)) throw new Error(`Child "${name}" is not built: run "npm run build && npm run build:tools"`);
  const child = spawn(process.execPath, [script, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    ...user,
  });
  const lines: Said[] = [];
  const watchers = new Set<() => void>();
  const wake = () => {
    for (const watcher of watchers) watcher();
  };
  let stderr = '';
  let isEnded = false;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // It may have been killed.
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    // A line that a kill cut in two says nothing.
    if (line.endsWith('}')) lines.push(JSON.parse(line));
    wake();
  });
  const ended = new Promise<{ code: number | null; stderr: string }>((resolve) =>
    child.on('close', (code) => {
      isEnded = true;
      wake();
      resolve({ code, stderr });
    }),
  );
  const saidTimes = (at: Said['at'], count: number) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (lines.filter((said) => said.at === at).length >= count) resolve();
        else if (isEnded) reject(new Error(`The child ended before it was ${at}: ${stderr}`));
        else return;
        watchers.delete(look);
      };
      watchers.add(look);
      look();
    });
  return {
    process: child,
    lines,
    ended,
    goOn: () => void child.stdin.write('go on\n'),
    saidTimes,
    async said(at) {
      await saidTimes(at, 1);
      return lines.find((said) => said.at === at) ?? { at };
    },
  };
}
