/** Takes jj out of the PATH of this process and of all it starts. */
import { existsSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Tests and figures mean plain git unless they ask for jj, whatever the machine has. `WAYMARK_TEST_JJ` tells them where
 * it is. `folder` takes links to programs that lay beside it. Call it before anything else.
 */
export function hideJj(folder: string): void {
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
