/**
 * Brings a fresh clone to the point where it can run: checks the machine, installs packages, builds.
 *
 * Plain Node without packages, since it runs before there are any. Everything it says goes to stderr: stdout belongs to
 * the command that runs next.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Exit code of the whole product for "the machine lacks something". */
const ENVIRONMENT = 3;
const MINIMUM_NODE = 20;
const PROGRESS_MS = 10_000;

/** Checks, installs and builds what is missing; ends the process when it cannot. `tools` builds bench and show too. */
export async function ensure({ tools = false } = {}) {
  checkMachine();
  await install();
  await build({ config: 'tsconfig.build.json', out: 'dist', sources: ['src'] });
  if (!tools) return;
  await build({
    config: 'tsconfig.tools.json',
    out: '.tools',
    sources: ['bench', 'show', 'test/children', 'test/support', 'dist/.stamp'],
  });
}

/** Runs a Node script of the checkout with this terminal and returns its exit code; signals reach it. */
export async function runNode(args, { env = process.env } = {}) {
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'inherit' });
  const forward = (signal) => {
    // A terminal has sent Ctrl-C to the whole process group already; twice would mean "at once" to the child.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  try {
    return await exitCode(child);
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
}

/** Ends the process with what is wrong and what to do about it. */
export function fail(message, { next, code = ENVIRONMENT }) {
  console.error(`waymark: ${message}\n  next: ${next}`);
  process.exit(code);
}

function checkMachine() {
  const node = process.versions.node;
  if (Number(node.split('.')[0]) < MINIMUM_NODE) {
    fail(`Node ${node} is too old, ${MINIMUM_NODE} or newer is needed`, {
      next: `install Node ${MINIMUM_NODE} or newer`,
    });
  }
  if (spawnSync('git', ['--version'], { stdio: 'ignore' }).status !== 0) {
    fail('git is not on PATH, and the record is a git repository', { next: 'install git, then run this again' });
  }
}

async function install() {
  // Somebody shares the packages of another checkout: `npm ci` would empty them there.
  if (isLink(join(ROOT, 'node_modules'))) return;
  const stamp = join(ROOT, 'node_modules/.waymark-install');
  // The native module is built for one Node ABI, so another Node means another install.
  const wanted = digest([readFileSync(join(ROOT, 'package-lock.json')), process.versions.modules, process.arch]);
  if (read(stamp) === wanted) return;
  if (read(stamp) !== undefined || !installedMatchesLock()) await installPackages();
  writeFileSync(stamp, wanted);
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Whether `npm ci` run by hand left what the lock file asks for. npm writes its own lock last, so a cut install has none. */
function installedMatchesLock() {
  const installed = read(join(ROOT, 'node_modules/.package-lock.json'));
  if (installed === undefined) return false;
  const have = JSON.parse(installed).packages;
  const { '': _root, ...want } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages;
  const wrong = Object.entries(want).some(([path, entry]) =>
    have[path] === undefined ? entry.optional !== true : have[path].version !== entry.version,
  );
  return !wrong && Object.keys(have).every((path) => path in want);
}

async function installPackages() {
  say('installing packages; better-sqlite3 may compile from source, which takes about a minute');
  const started = Date.now();
  const ticker = setInterval(() => {
    say(`still installing (${Math.round((Date.now() - started) / 1000)} s)`);
  }, PROGRESS_MS);
  // Development packages hold the compiler, so they are wanted whatever NODE_ENV says; and `npm --silent` outside must
  // not hide why an install failed.
  const code = await exitCode(spawnNpm(['ci', '--include=dev', '--no-fund', '--no-audit', '--loglevel=error']));
  clearInterval(ticker);
  if (code === 0) return;
  fail(`npm ci ended with exit code ${code}`, {
    next: 'read the messages above; compiling better-sqlite3 needs python3, make, a C++ compiler and the headers of Node, which npm downloads unless npm_config_nodedir names their folder',
  });
}

function spawnNpm(args) {
  const options = { cwd: ROOT, stdio: ['ignore', 2, 2] };
  const running = process.env.npm_execpath;
  if (running !== undefined && basename(running) === 'npm-cli.js') {
    return spawn(process.execPath, [running, ...args], options);
  }
  return spawn('npm', args, { ...options, shell: process.platform === 'win32' });
}

/**
 * Compiles `sources` when their content is not what `out` was built from. The result is swapped in whole: a server that
 * runs from the old build and loads modules late never sees half of a new one.
 */
async function build({ config, out, sources }) {
  const target = join(ROOT, out);
  const wanted = digest(['package.json', 'tsconfig.json', config, ...sources].flatMap(contents));
  if (read(join(target, '.stamp')) === wanted) return;
  say(`building ${out}`);
  const fresh = join(ROOT, '.fresh', `${out}-${process.pid}`);
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(fresh, { recursive: true });
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const code = await exitCode(
    spawn(process.execPath, [compiler, '-p', config, '--outDir', fresh], { cwd: ROOT, stdio: ['ignore', 2, 2] }),
  );
  if (code !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    fail(`the build of ${out} failed`, { next: 'fix the errors above', code: 1 });
  }
  writeFileSync(join(fresh, '.stamp'), wanted);
  rmSync(target, { recursive: true, force: true });
  renameSync(fresh, target);
}

/** Path and bytes of a file, or of every file below a folder, in a fixed order; nothing when it is absent. */
function contents(path) {
  const full = join(ROOT, path);
  if (!existsSync(full)) return [];
  const below = readdirOrNull(full);
  if (below === null) return [path, readFileSync(full)];
  return below.sort().flatMap((name) => contents(join(path, name)));
}

function readdirOrNull(path) {
  try {
    return readdirSync(path);
  } catch {
    return null;
  }
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest('hex');
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function say(message) {
  console.error(`waymark: ${message}`);
}

/** Exit code of a child; 127 when it cannot start, 128 + number when a signal ended it, as a shell has it. */
export function exitCode(child) {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      say(error.message);
      resolve(127);
    });
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}
