/** Gives the run a temporary folder of its own, removed whatever the tests left there, and a PATH without jj. */
import { chmodSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-run-'));
  // Some tests run a process as another account, which must get through.
  chmodSync(folder, 0o711);
  // Before the workers start: they take it over from this process.
  process.env['TMPDIR'] = folder;
  hideJj(folder);
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Tests mean plain git unless they ask for jj, whatever the machine has. `WAYMARK_TEST_JJ` tells them where it is. */
function hideJj(folder: string): void {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const has = (program: string) => (at: string) => existsSync(join(at, program));
  const jj = process.env['WAYMARK_TEST_JJ'] || folders.find(has('jj'));
  if (jj === undefined || !has('jj')(jj)) delete process.env['WAYMARK_TEST_JJ'];
  else process.env['WAYMARK_TEST_JJ'] = jj;
  const kept = folders.filter((at) => !has('jj')(at));
  // A folder that holds jj may be the one that holds git, or everything else.
  const lost = ['git', 'node', 'sh', 'python3'].flatMap((program) => {
    const from = folders.find(has(program));
    return from === undefined || kept.some(has(program)) ? [] : [{ file: join(from, program), program }];
  });
  for (const { file, program } of lost) symlinkSync(file, join(folder, program));
  process.env['PATH'] = [...kept, ...(lost.length > 0 ? [folder] : [])].join(delimiter);
}
