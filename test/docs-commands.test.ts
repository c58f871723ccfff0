/** The commands of a team, in README.md and docs/: each runs as written, in order, on one record. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { clientLines, TOKEN_VARIABLE } from '../src/cli/client-lines.ts';
import { announceAddress } from '../src/trail/desk/server-address.ts';
import { parsed, waymarkProcess } from './cli/support.ts';
import { makeRecord } from './support/record.ts';
import { seedThought } from './support/seed.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCS = ['README.md', 'docs/serving.md', 'docs/desk.md', 'docs/reading.md'];

function text(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Lines of the blocks marked `bash`, as words; quotes are all the shell they need. */
function commandsIn(path: string): readonly (readonly string[])[] {
  const blocks = [...text(path).matchAll(/^```bash\n(.*?)^```$/gms)].map(([, body = '']) => body);
  return blocks.flatMap((block) =>
    block
      .trim()
      .split('\n')
      .map((line) => [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')),
  );
}

test('the commands of serving, desk, reading and README run as written, and do what is said of them', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true });
  const input = { trail_name: 'acme/api', content: 'Retry with a key' };
  await seedThought({ author: t.session('alice'), operator: carol, status: 'approved', input });
  const at = { cwd: t.root, env: { ...t.env, WAYMARK_AGENT_ID: 'carol' } };
  announceAddress(t.record, 'http://127.0.0.1:8765');
  expect((await parsed(['status'], at)).stdout).toMatch(/^server +runs at http:\/\/127\.0\.0\.1:8765$/m);
  let made = '';
  const ran = new Set<string>();
  for (const doc of DOCS) {
    for (const [program, ...words] of commandsIn(doc)) {
      expect(program, doc).toBe('waymark');
      const args = words.map((word) => (word === 'k3v9q2x7m1p5' ? made : word));
      const { code, stdout, stderr } = await parsed(args, at);
      expect([doc, words, code, code === 0 ? '' : stderr]).toEqual([doc, words, 0, '']);
      if (words[1] === 'create') made = stdout.trim().slice(3, 15);
      if (words[0] === 'desk') expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:8765\/login\?code=/);
      ran.add(words.slice(0, 2).join(' '));
    }
  }
  expect([...ran].toSorted()).toEqual(['desk login', 'export site', 'token create', 'token list', 'token revoke']);
  const listed = (await parsed(['token', 'list'], at)).stdout;
  for (const who of ['claude-code', 'codex', 'cursor', 'rita', 'omar', 'build-bot', 'ana'])
    expect(listed).toContain(who);
  expect(listed).toMatch(/ revoked /);
  const site = join(dirname(t.root), 'site');
  expect(readFileSync(join(site, 'index.html'), 'utf8')).toContain('as <b>newcomer</b> may see it');
  expect(existsSync(join(site, 's/acme/api/index.html'))).toBe(true);
  // As a process of its own it says what it wrote and nothing else.
  const again = await waymarkProcess(['export', 'site', site], at);
  expect(again).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^Wrote \d+ files to /) });
});

test('docs/serving.md has the line of each client that "waymark serve" prints', () => {
  const serving = text('docs/serving.md');
  const [claude, codex] = clientLines('https://waymark.example/mcp', { needsCredential: true });
  for (const row of [claude, codex]) expect(serving).toContain(`    ${row?.[1]}\n`);
  const [cursor = 'null'] = serving.match(/^ {4}\{ "mcpServers".*?^ {4}\} \} \}$/ms) ?? [];
  const [, , [, printed = ''] = []] = clientLines('https://waymark.example/mcp', { needsCredential: true });
  expect(printed).toBe(`in .cursor/mcp.json: ${JSON.stringify(JSON.parse(cursor))}`);
  expect(serving).toContain(`\`${TOKEN_VARIABLE}\``);
});
