/** `npm run bench`: installs and builds what is missing, then measures; arguments are those of `bench/main.ts`. */
import { ensure, runNode } from './ensure.mjs';

await ensure({ tools: true });
process.exitCode = await runNode(['.tools/bench/main.js', ...process.argv.slice(2)]);
