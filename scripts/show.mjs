/** `npm run show`: installs and builds what is missing, then prints one line per item that must show. */
import { ensure, runNode } from './ensure.mjs';

await ensure({ tools: true });
process.exitCode = await runNode(['.tools/show/main.js', ...process.argv.slice(2)]);
