import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderToolsDoc } from '../../src/mcp/render-tools-doc.ts';
import { TOOLS } from '../../src/mcp/tool-table.ts';

test('docs/tools.md is what the tool table says', () => {
  const committed = readFileSync(new URL('../../docs/tools.md', import.meta.url), 'utf8');
  expect(committed).toBe(renderToolsDoc());
});

test('renderToolsDoc() names every tool and every argument', () => {
  const doc = renderToolsDoc();
  for (const tool of TOOLS) {
    const section = doc.split(`## ${tool.name}\n`)[1]?.split('\n## ')[0] ?? '';
    for (const name of Object.keys(tool.input.shape)) expect(section).toContain(`| \`${name}\` |`);
  }
  expect(doc).toContain('`preferences/firm`');
});
