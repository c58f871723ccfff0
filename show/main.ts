/** Prints one line per item that the issues must show, or those named as arguments; ends with 1 if one does not. */
import { ISSUES } from './issues.ts';
import type { Item } from './item.ts';

const named = process.argv.slice(2);
const unknown = named.find((issue) => !ISSUES.has(issue));
if (unknown !== undefined) {
  console.error(`show: there is no issue "${unknown}", wanted ${[...ISSUES.keys()].join(', ')}`);
  process.exitCode = 2;
} else {
  const issues = [...ISSUES].filter(([issue]) => named.length === 0 || named.includes(issue));
  let failed = 0;
  for (const [issue, items] of issues) {
    for (const [at, item] of items.entries()) if (!(await show(`${issue}.${at + 1}`, item))) failed += 1;
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

async function show(name: string, item: Item): Promise<boolean> {
  const started = performance.now();
  const { ok, figures } = await item.show().catch((error: unknown) => ({ ok: false, figures: String(error) }));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${ok ? 'shown' : 'NOT SHOWN'}  ${name} ${item.title}: ${figures} (${seconds} s)`);
  return ok;
}
