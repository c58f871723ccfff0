/** Commits by the stream that git makes for bulk loads. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isolatedEnvironment } from '../test/support/mcp-client.ts';

export interface ImportedCommit {
  readonly author: string;
  readonly message: string;
  /** Repository path and bytes; `null` deletes. Read once, while it is written. */
  readonly files: Iterable<readonly [path: string, bytes: Uint8Array | null]>;
}

/** Puts commits on top of `branch`, which must exist; working files and git's index stay as they were. */
export async function fastImport(
  commits: Iterable<ImportedCommit>,
  options: { readonly record: string; readonly home: string; readonly branch: string },
): Promise<void> {
  const child = spawn('git', ['fast-import', '--quiet', '--done'], {
    cwd: options.record,
    env: isolatedEnvironment(options),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    if (!child.stdin.write(chunk)) await Promise.race([once(child.stdin, 'drain'), ended]);
  };
  let from = `refs/heads/${options.branch}^0`;
  let mark = 0;
  for (const commit of commits) {
    mark += 1;
    const who = `${commit.author} <${commit.author}@bench.invalid> ${Math.floor(Date.now() / 1000)} +0000`;
    await write(`commit refs/heads/${options.branch}\nmark :${mark}\nauthor ${who}\ncommitter ${who}\n`);
    await write(`data ${Buffer.byteLength(commit.message)}\n${commit.message}\nfrom ${from}\n`);
    for (const [path, bytes] of commit.files) {
      if (bytes === null) await write(`D ${path}\n`);
      else
        await write(Buffer.concat([Buffer.from(`M 100644 inline ${path}\ndata ${bytes.length}\n`), bytes, LINE_END]));
    }
    from = `:${mark}`;
  }
  child.stdin.end('done\n');
  const [code] = await ended;
  if (code !== 0) throw new Error(`git fast-import ended with exit code ${code}`);
}

const LINE_END = Buffer.from('\n');
