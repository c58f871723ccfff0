/** Clocks, memory and the description of the machine. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';

/** Milliseconds that `work` takes, and its answer. */
export async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: performance.now() - started, value };
}

export interface Memory {
  /** Resident MiB of the Node process now. */
  readonly node: number;
  /** The same and all its descendants; a page that several share counts in each. */
  readonly withChildren: number;
  /** The most the Node process ever had. */
  readonly nodePeak: number;
}

/** Memory of a process; `undefined` where there is no /proc. */
export function memoryOf(pid: number): Memory | undefined {
  if (!existsSync(`/proc/${pid}/status`)) return undefined;
  const node = statusField(pid, 'VmRSS');
  const children = descendants(pid).reduce((sum, child) => sum + statusField(child, 'VmRSS'), 0);
  return { node, withChildren: node + children, nodePeak: statusField(pid, 'VmHWM') };
}

/** A field of /proc/PID/status in MiB; 0 when the process is gone or a kernel thread. */
function statusField(pid: number, field: string): number {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(match?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

function descendants(pid: number): number[] {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return [];
  }
}

export interface Environment {
  readonly cpus: number;
  readonly cpu: string;
  readonly memoryGiB: number;
  readonly system: string;
  readonly node: string;
  readonly git: string;
}

/** What figures depend on, without the name of the machine. */
export function describeEnvironment(): Environment {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.versions.node,
    git: execFileSync('git', ['--version'], { encoding: 'utf8' }).replace('git version', '').trim(),
  };
}
