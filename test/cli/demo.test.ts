/** `waymark demo`: what it tells, what it leaves alone, and that what it prints can be pasted. */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { git } from '../cases/evidence.ts';
import { tempDir } from '../support/temp-dir.ts';
import { json, waymark } from './support.ts';

interface Ran {
  readonly code: number;
  readonly said: string;
}

/** As pasted into a shell without a terminal. */
function paste(command: string, at: { readonly cwd: string; readonly env: NodeJS.ProcessEnv }): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile('setsid', ['-w', 'sh', '-c', command], at, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr });
    });
    child.stdin?.end();
  });
}

const folders: string[] = [];

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-')));
  folders.push(folder);
  return folder;
}

type Demo = Awaited<ReturnType<typeof makeDemo>>;

let demo: Demo;
let second: Demo;
beforeAll(async () => {
  demo = await makeDemo();
  second = await makeDemo();
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A demo in a folder of its own, called with a home that holds nothing. */
async function makeDemo() {
  const [home, cwd] = [newFolder(), newFolder()];
  const made = await waymark(['demo'], { cwd, env: { HOME: home } });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const commands = made.stdout.match(/^ {2}\S.*$/gm)?.map((line) => line.trim()) ?? [];
  const env = { PATH: process.env['PATH'], HOME: home };
  const run = (command: string, cwd_ = cwd) => paste(command, { cwd: cwd_, env });
  const folder = join(cwd, 'waymark-demo');
  return { home, cwd, made, commands, run, folder, root: join(folder, 'record') };
}

describe('waymark demo', () => {
  test('prints commands that work when pasted, and leaves the account as it was', async () => {
    const { home, commands, run, made } = demo;
    expect(made.stdout).toContain('Made a record of 30 thoughts');
    const [recall = '', get = '', trace = '', review = '', verify = '', serve = '', ...more] = commands;
    expect(more).toEqual([]);
    const recalled = await run(recall);
    expect(recalled).toMatchObject({ code: 0, said: expect.stringContaining('Retry only charges that carried') });
    // Replaced, so no longer recalled.
    expect(recalled.said).not.toContain('up to five times');
    expect(await run(get)).toMatchObject({ code: 0, said: expect.stringContaining('after 1, 5 and 25 seconds') });
    expect(await run(trace)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^approve: [\s\S]+ records: \d+ verified\n$/m),
    });
    const queue = await run(review);
    // Nothing is decided without a terminal.
    expect(queue.code).toBe(1);
    expect(queue.said.match(/^[0-9A-Z]{26} /gm)).toHaveLength(4);
    expect(await run(verify)).toMatchObject({ code: 0, said: expect.stringContaining('thoughts 30') });
    // It serves until it is told to stop, so its own help is asked.
    expect(await run(`${serve} --help`)).toMatchObject({ code: 0 });
    expect(await run('./waymark-demo/waymark doctor')).toMatchObject({ code: 0 });
    expect(readdirSync(home)).toEqual([]);
  });

  test('holds a superseded decision, a withdrawn value, a replacement in another scope, what was turned down, and links', async () => {
    const { run } = demo;
    const all =
      'WAYMARK_OPERATOR=1 ./waymark-demo/waymark recall --mode history --include-superseded --limit 100 --json';
    const { thoughts } = JSON.parse((await run(all)).said);
    const statuses = thoughts.map((thought: { validation_status: string }) => thought.validation_status);
    const count = (status: string) => statuses.filter((one: string) => one === status).length;
    expect(['approved', 'proposed', 'draft', 'rejected', 'tombstoned'].map(count)).toEqual([21, 4, 3, 1, 1]);
    expect((await run('./waymark-demo/waymark recall Northwind')).said).not.toContain('Jana Koval');
    const text = JSON.stringify(thoughts);
    for (const named of ['"superseded_by"', '"superseded_scope"', '"DEPENDS_ON"', '"REFERENCES"', '"parent_id"']) {
      expect(text).toContain(named);
    }
    const scopes = JSON.parse((await run('./waymark-demo/waymark scopes --json')).said).scopes;
    expect(scopes.map(({ path }: { path: string }) => path)).toEqual([
      'acme/ledger',
      'acme/payments',
      'acme/payments/refunds',
      'acme/payments/retries',
      'acme/support',
    ]);
  });

  test('tells the same story in the same order each time, by the same people', async () => {
    const log = ({ root }: Demo) => {
      const lines = git(root, 'log', '--reverse', '--format=%an: %s').toString();
      return lines.replaceAll(/[0-9A-Z]{26}/g, 'ID');
    };
    const first = log(demo);
    expect(log(second)).toBe(first);
    for (const agent of ['builder-7', 'ledger-bot', 'support-scout', 'maria']) expect(first).toContain(`\n${agent}: `);
  });

  test('refuses a folder that exists and touches nothing in it', async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, 'mine'));
    writeFileSync(join(cwd, 'mine', 'file'), 'x');
    const at = { cwd, env: { HOME: tempDir() } };
    const refused = await waymark(['demo', 'mine'], at);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('exists already');
    expect(refused.stderr).toContain('rm -r ');
    expect(readdirSync(join(cwd, 'mine'))).toEqual(['file']);
    expect((await waymark(['demo', 'no/such/place'], at)).code).toBe(3);
    const fresh = json(await waymark(['demo', "it's new", '--json'], at));
    expect(fresh).toMatchObject({ status: 'ok', thoughts: 30, folder: join(cwd, "it's new") });
    const [recall] = Array.isArray(fresh['commands']) ? fresh['commands'] : [];
    expect(await paste(String(recall), { cwd, env: { PATH: process.env['PATH'] } })).toMatchObject({ code: 0 });
  });

  test('leaves nothing behind when it cannot be finished, and works after it was moved', async () => {
    const cwd = tempDir();
    const failed = await waymark(['demo'], { cwd, env: { HOME: tempDir(), PATH: '/nonexistent' } });
    expect(failed.code).toBe(3);
    expect(existsSync(join(cwd, 'waymark-demo'))).toBe(false);
    const { folder, run } = second;
    renameSync(folder, `${folder}-moved`);
    expect(await run(`'${folder}-moved/waymark' recall yen`, '/')).toMatchObject({ code: 0 });
  });
});
