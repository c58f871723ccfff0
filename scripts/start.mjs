/** `npm start`: installs and builds what is missing, makes a record in `./data` if there is none, and serves it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensure, ROOT, runNode } from './ensure.mjs';

await ensure();

const main = join(ROOT, 'dist/cli/main.js');
const chosen = process.env.WAYMARK_DATA_REPO ?? process.env.FAVA_TRAILS_DATA_REPO;
const record = chosen ?? join(ROOT, 'data');

// A record the caller names is the caller's: only the default one is made here.
if (chosen === undefined && !existsSync(join(record, 'config.yaml'))) {
  const code = await runNode([main, 'init', record]);
  if (code !== 0) process.exit(code);
}

process.exitCode = await runNode([main, 'serve', ...process.argv.slice(2)], {
  env: { ...process.env, WAYMARK_DATA_REPO: record },
});
