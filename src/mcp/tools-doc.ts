/** Prints `docs/tools.md`: `node dist/mcp/tools-doc.js > docs/tools.md`. */
import { renderToolsDoc } from './render-tools-doc.ts';

process.stdout.write(renderToolsDoc());
