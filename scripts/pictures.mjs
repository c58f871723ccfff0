/**
 * Draws docs/pictures: what five commands print on the demo record, as text in SVG.
 *
 *     npm run build && node scripts/pictures.mjs [FOLDER]      FOLDER instead of docs/pictures
 *
 * Text, so that it can be read, searched and diffed; no font is embedded, and the colours follow the reader's theme.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Stands for the id that the first picture's recall finds first. */
const DECISION = 'DECISION';

const PICTURES = [
  { name: 'recall', title: 'Recall: what is approved and current', args: ['recall', 'idempotency', 'key'] },
  { name: 'review', title: 'Review: what waits for a person', args: ['review'] },
  { name: 'verify', title: 'Verify: every signature, tree and thought checked', args: ['verify'] },
  { name: 'status', title: 'Status: branch, index, queue and logs', args: ['status'] },
  {
    name: 'trace',
    title: 'Trace: why a decision was taken, each step verified',
    args: ['trace', DECISION, '--depth', '10'],
  },
];

const COLUMNS = 132;
const FONT = 12;
const CHARACTER = 7.25;
const LINE = 17;
const MARGIN = 14;

const STYLE = `
.b{fill:#fff;stroke:#d0d7de}.t{fill:#1f2328}.p{fill:#1f2328;font-weight:bold}.i{fill:#0969da}.s{fill:#1a7f37}
@media(prefers-color-scheme:dark){.b{fill:#0d1117;stroke:#30363d}.t,.p{fill:#e6edf3}.i{fill:#4493f8}.s{fill:#3fb950}}
text{font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const out = process.argv[2] ?? join(ROOT, 'docs/pictures');
mkdirSync(out, { recursive: true });
const home = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-pictures-')));
try {
  const main = join(ROOT, 'dist/cli/main.js');
  execFileSync(process.execPath, [main, 'demo'], { cwd: home, env: { ...process.env, HOME: home }, stdio: 'ignore' });
  const [decision = ''] = run(PICTURES[0].args).match(/[0-9A-Z]{26}(?= {2}approved {2}decision)/) ?? [];
  for (const { name, title, args: words } of PICTURES) {
    const args = words.map((word) => (word === DECISION ? decision : word));
    writeFileSync(join(out, `${name}.svg`), draw({ title, args }, run(args)));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** What the command prints where there is no terminal; `review` then lists the queue and decides nothing. */
function run(args) {
  const ended = spawnSync('setsid', ['-w', join(home, 'waymark-demo', 'waymark'), ...args], {
    encoding: 'utf8',
    input: '',
  });
  if (ended.status !== 0 && args[0] !== 'review') throw new Error(`waymark ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout.replaceAll(home, '~').trimEnd();
}

function draw({ title, args }, printed) {
  const lines = [`$ waymark ${args.join(' ')}`, ...printed.split('\n').flatMap(wrap)];
  const width = Math.ceil(Math.max(...lines.map((line) => line.length)) * CHARACTER) + 2 * MARGIN;
  const height = lines.length * LINE + 2 * MARGIN;
  const rows = lines.map((line, at) => {
    const text = at === 0 ? `<tspan class="p">${escapeXml(line)}</tspan>` : mark(escapeXml(line));
    return `<text class="t" x="${MARGIN}" y="${MARGIN + FONT + at * LINE}" xml:space="preserve">${text}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">${escapeXml(title)}</title>
<style>${STYLE}
</style>
<rect class="b" x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="6"/>
${rows.filter((_, at) => lines[at].trim() !== '').join('\n')}
</svg>
`;
}

/** As a terminal of so many columns would, but between words; the indent is kept. */
function wrap(line) {
  if (line.length <= COLUMNS) return [line];
  const cut = line.lastIndexOf(' ', COLUMNS);
  const indent = /^ */.exec(line)[0];
  return [line.slice(0, cut), ...wrap(indent + line.slice(cut + 1))];
}

function mark(text) {
  return text
    .replace(/^[0-9A-Z]{26}/, '<tspan class="i">$&</tspan>')
    .replace(/ {2}(approved|in step|ok)(?= |$)/g, '  <tspan class="s">$1</tspan>')
    .replace(/^Verified/, '<tspan class="s">$&</tspan>');
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
