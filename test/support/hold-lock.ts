/** The record's lock in the hands of another process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

/** Another process that takes the lock and keeps it until disposed. */
export async function holdLock(file: string): Promise<AsyncDisposable> {
  const sqlite = createRequire(import.meta.url).resolve('better-sqlite3');
  const script = `const db = new (require(${JSON.stringify(sqlite)}))(process.argv[1]); db.exec('BEGIN IMMEDIATE');
    process.stdout.write('held'); process.stdin.resume();`;
  const child = spawn(process.execPath, ['-e', script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
