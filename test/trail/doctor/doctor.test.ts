/** Each check names exactly the thing that is broken; the control is a whole record. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Environment } from '../../../src/config/index.ts';
import { readEnvironment } from '../../../src/config/index.ts';
import { checkPin, logNameOf, openKeyStore } from '../../../src/ledger/index.ts';
import { writeIntent } from '../../../src/store/intent.ts';
import type { DiskFacts } from '../../../src/trail/doctor/facts.ts';
import { gatherFacts } from '../../../src/trail/doctor/gather.ts';
import type { DoctorOptions, Finding } from '../../../src/trail/doctor/index.ts';
import { doctor, examine } from '../../../src/trail/doctor/index.ts';
import { readRecord } from '../../../src/trail/locate.ts';
import { pinFile } from '../../../src/trail/open.ts';
import { tokenFileOf, writeTokens } from '../../../src/trail/tokens/token-file.ts';
import { commitFile, git } from '../../cases/evidence.ts';
import { waymark } from '../../cli/support.ts';
import { holdLock } from '../../support/hold-lock.ts';
import { makeRecord, value } from '../../support/record.ts';
import { tempDir } from '../../support/temp-dir.ts';

const SCOPE = 'acme/api';
const DAY_MS = 86_400_000;

interface Patient {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly environment: Environment;
  /** Folder of the remembered checkpoints. */
  readonly seenFolder: string;
  readonly repositoryId: string;
  /** A readable, approved thought. */
  readonly path: string;
  /** Log of alice, who has three events. */
  readonly log: string;
  readonly options: DoctorOptions;
}

interface Template {
  readonly home: string;
  readonly repositoryId: string;
  readonly path: string;
  readonly log: string;
}

let template: Template;

/** A record with an operator, an agent and an approved thought; each test gets a copy of it. */
beforeAll(async () => {
  await using t = await makeRecord();
  const alice = t.session('alice').operations();
  const carol = t.session('carol', { operator: true }).operations();
  const { thought_id } = value(await alice.save({ trail_name: SCOPE, content: 'a' })).thought;
  for (const content of ['b', 'c']) value(await alice.save({ trail_name: SCOPE, content }));
  value(await carol.decide({ trail_name: SCOPE, thought_id, verdict: 'approve' }));
  await t.record.repository.settleIndex();
  const key = t.record.keys.list().keys.find(({ agent_id }) => agent_id === 'alice');
  const home = mkdtempSync(join(tmpdir(), 'waymark-'));
  template = {
    home,
    repositoryId: t.record.repository.trust.repositoryId,
    path: `trails/${SCOPE}/thoughts/observations/${thought_id}.md`,
    log: logNameOf(key?.publicKey ?? ''),
  };
  await t.record.repository.close();
  cpSync(t.env['HOME'] ?? '', home, { recursive: true });
});
afterAll(() => rmSync(template.home, { recursive: true }));

function makePatient(): Patient {
  const { home, ...facts } = template;
  const folder = tempDir();
  cpSync(home, folder, { recursive: true });
  const root = join(folder, 'data');
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const environment = value(readEnvironment(env));
  const located = readRecord(root);
  if (located === null) throw new Error('No record was copied');
  checkPin({ file: pinFile(environment), root }, value(located).waymark);
  const options = { environment, cwd: root, env: { PATH: process.env['PATH'] }, now: Date.now() };
  const seenFolder = join(environment.stateDir, facts.repositoryId);
  return { ...facts, root, env, environment, seenFolder, options };
}

/** Brings the index in step. */
async function read({ root, env }: Patient): Promise<void> {
  const said = await waymark(['status'], { cwd: root, env });
  expect(said.code).toBe(0);
}

/** What is not as it should be, less what this machine's disk is, and keys as `init` leaves them. */
function faults(findings: readonly Finding[]): readonly Finding[] {
  const aside = ['file system', 'disk', 'protection', 'recovery'];
  return findings.filter(({ mark, check }) => mark !== 'ok' && !aside.includes(check));
}

interface Breakage {
  /** Breaks it; answers options that differ. */
  readonly break: (patient: Patient) => Promise<Partial<DoctorOptions>> | Partial<DoctorOptions>;
  readonly says: RegExp;
  readonly mend: RegExp;
  readonly mark?: 'warn';
  /** Checks that fail with it, since they rest on it. */
  readonly also?: readonly string[];
}

/** A folder with one program, to be the whole PATH. */
function pathWith(name: string, script: string): string {
  const folder = tempDir();
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}

function withProgram(name: string, script: string): Partial<DoctorOptions> {
  return { env: { PATH: `${pathWith(name, script)}:${process.env['PATH']}` } };
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function keyFile({ environment }: Patient, kind: string): string {
  const folder = join(environment.configDir, 'keys');
  return join(folder, readdirSync(folder).find((name) => name.includes(`-${kind}-`)) ?? 'none');
}

function aged(path: string): void {
  const then = (Date.now() - DAY_MS) / 1000;
  utimesSync(path, then, then);
}

function leave(path: string, text = ''): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  aged(path);
}

const CASES: Readonly<Record<string, Breakage>> = {
  'node: too old': {
    break: () => ({ nodeVersion: 'v18.20.0' }),
    says: /v18\.20\.0 is too old/,
    mend: /Install Node 20/,
  },
  'git: missing': { break: () => ({ env: { PATH: tempDir() } }), says: /not on PATH/, mend: /Install git 2\.36/ },
  'git: too old': {
    break: () => withProgram('git', 'echo git version 2.30.2'),
    says: /2\.30\.2 cannot promise/,
    mend: /Install git 2\.36/,
  },
  'git: does not answer': {
    break: () => withProgram('git', 'exec sleep 60'),
    says: /does not answer/,
    mend: /Install git/,
  },
  'jj: needed and missing': {
    break: ({ root }) => {
      mkdirSync(join(root, '.jj'));
      return { env: { PATH: pathWith('git', 'echo git version 2.40.1') } };
    },
    says: /Jujutsu repository.*not on PATH/,
    mend: /Install jj/,
  },
  'jj: needed in a version nobody tested': {
    break: ({ root }) => {
      mkdirSync(join(root, '.jj'));
      return withProgram('jj', 'echo jj 0.12.0');
    },
    says: /0\.12\.0 is none of the versions/,
    mend: /Install jj/,
  },
  'jj: not needed, in a version nobody tested': {
    break: () => withProgram('jj', 'echo jj 0.12.0'),
    mark: 'warn',
    says: /does not use it/,
    mend: /Install jj/,
  },
  'repository: none of git': {
    break: ({ root }) => renameSync(join(root, '.git'), join(root, 'git-away')) ?? {},
    says: /not the top of a git repository/,
    mend: /git init -b main/,
  },
  'id: not of the owner': {
    break: ({ root }) =>
      edit(join(root, 'config.yaml'), (text) => text.replace(/id: ".*"/, 'id: "0123456789abcdef"')) ?? {},
    says: /not the id of its owner key/,
    mend: /git log -p -- config\.yaml/,
    also: ['pin'],
  },
  'pin: another owner': {
    break: ({ environment }) => {
      const pins = join(environment.configDir, 'pins');
      edit(pins, (text) => text.replaceAll(/"id":"./g, '"id":"x'));
      return {};
    },
    says: /not the one this machine first saw/,
    mend: /Restore config\.yaml/,
  },
  'pin: damaged': {
    break: ({ environment }) => appendFileSync(join(environment.configDir, 'pins'), 'half a') ?? {},
    says: /is not a pinned repository/,
    mend: /Mend or remove the pin file/,
  },
  'branch: HEAD elsewhere': {
    break: ({ root }) => {
      git(root, 'symbolic-ref', 'HEAD', 'refs/heads/other');
      return {};
    },
    says: /HEAD is on "other"/,
    mend: /^git switch main$/,
  },
  'branch: the working copy of jj elsewhere': {
    break: ({ root }) => {
      mkdirSync(join(root, '.jj'));
      git(root, 'checkout', '--quiet', '--detach', 'main~1');
      return withProgram('jj', 'echo jj 0.46.0');
    },
    says: /working copy \(@\) is not on "main"/,
    mend: /^jj new main$/,
  },
  'branch: no commit': {
    break: ({ root }) => {
      git(root, 'update-ref', '-d', 'refs/heads/main');
      return {};
    },
    says: /has no commit/,
    mend: /git reflog/,
    also: ['index'],
  },
  'branch: gone with the commit that a person abandoned': {
    break: ({ root }) => {
      mkdirSync(join(root, '.jj'));
      git(root, 'checkout', '-q', '--detach', 'main~1');
      git(root, 'branch', '-q', '-D', 'main');
      return withProgram('jj', 'echo jj 0.46.0');
    },
    says: /has no commit/,
    mend: /^jj undo, or jj bookmark create main/,
    also: ['index'],
  },
  'branch: holds no commit id': {
    break: ({ root }) => writeFileSync(join(root, '.git/refs/heads/main'), 'nonsense\n') ?? {},
    says: /holds no commit id/,
    mend: /git fsck/,
    also: ['index'],
  },
  'index: absent': {
    break: ({ root }) => {
      for (const name of readdirSync(join(root, '.waymark'))) {
        if (name.startsWith('index.sqlite')) rmSync(join(root, '.waymark', name));
      }
      return {};
    },
    mark: 'warn',
    says: /There is none/,
    mend: /^waymark reindex$/,
  },
  'index: damaged': {
    break: ({ root }) => {
      for (const suffix of ['-wal', '-shm']) rmSync(join(root, `.waymark/index.sqlite${suffix}`), { force: true });
      writeFileSync(join(root, '.waymark/index.sqlite'), 'no database');
      return {};
    },
    mark: 'warn',
    says: /cannot be read/,
    mend: /^waymark reindex$/,
  },
  'index: behind': {
    break: ({ root }) => commitFile(root, 'notes.txt', 'x') ?? {},
    mark: 'warn',
    says: /1 commits behind/,
    mend: /^waymark reindex$/,
  },
  'log: shorter than remembered': {
    break: (patient) => remember(patient, (size) => size + 1),
    says: /of "alice" is shorter/,
    mend: /waymark verify/,
  },
  'log: another than remembered': {
    break: (patient) => remember(patient, (size) => size),
    says: /of "alice" is another/,
    mend: /waymark verify/,
  },
  'log: an event in the middle is gone': {
    break: async (patient) => {
      commitFile(patient.root, `ledger/${patient.log}/0000/00/01.jsonl`, null);
      rmSync(join(patient.seenFolder, patient.log));
      await read(patient);
      return {};
    },
    says: /lacks event 1.*its next write is refused/,
    mend: /waymark verify/,
    also: ['content'],
  },
  'content: changed by hand': {
    break: async (patient) => {
      commitFile(patient.root, patient.path, `${readFileSync(join(patient.root, patient.path), 'utf8')}more`);
      await read(patient);
      return {};
    },
    mark: 'warn',
    says: /changed_since_event/,
    mend: /^waymark status$/,
  },
  'content: unreadable': {
    break: async (patient) => {
      commitFile(patient.root, `trails/${SCOPE}/thoughts/drafts/01ARZ3NDEKTSV4RRFFQ69G5FAV.md`, 'no frontmatter');
      await read(patient);
      return {};
    },
    mark: 'warn',
    says: /1 files cannot be read, first .*FAV\.md:1/,
    mend: /^waymark status$/,
  },
  'keys: folder open to others': {
    break: ({ environment }) => chmodSync(join(environment.configDir, 'keys'), 0o755) ?? {},
    says: /expected mode 0700/,
    mend: /^chmod 0700 .*keys$/,
    also: ['log'],
  },
  'keys: file open to others': {
    break: (patient) => chmodSync(keyFile(patient, 'operator'), 0o644) ?? {},
    says: /has mode 0644/,
    mend: /^chmod 0600 .*-operator-.*\.json$/,
  },
  'keys: damaged file': {
    break: (patient) => writeFileSync(keyFile(patient, 'owner'), '{}') ?? {},
    says: /not the private key its name says/,
    mend: /^waymark key list$/,
  },
  'enrolment: an operator key that nobody enrolled': {
    break: ({ environment, repositoryId }) => {
      const keys = openKeyStore({ dir: join(environment.configDir, 'keys') });
      keys.create({ kind: 'operator', repository: repositoryId, agent_id: 'dave' });
      return {};
    },
    mark: 'warn',
    says: /of "dave" on this machine is not enrolled/,
    mend: /waymark key enrol \S{43} --agent dave --role operator/,
  },
  'settings: unknown key': {
    break: ({ root }) => appendFileSync(join(root, 'config.yaml'), 'colour: red\n') ?? {},
    mark: 'warn',
    says: /config\.yaml has "colour"/,
    mend: /spelling/,
  },
  'settings: edited by hand': {
    break: async (patient) => {
      commitFile(patient.root, `trails/${SCOPE}/.fava-trails.yaml`, 'separation: sometimes\n');
      await read(patient);
      return {};
    },
    mark: 'warn',
    says: /trails\/acme\/api\/\.fava-trails\.yaml: /,
    mend: /waymark accept trails\/acme\/api/,
  },
  'settings: a file of this machine that cannot be used': {
    break: ({ environment }) => writeFileSync(join(environment.configDir, 'config.yaml'), 'colour: red\n') ?? {},
    says: /waymark\/config\.yaml is malformed/,
    mend: /Correct or remove/,
  },
  'serving: tokens that other accounts can read': {
    break: ({ environment, repositoryId }) => {
      const file = tokenFileOf(environment, repositoryId);
      writeTokens(file, []);
      chmodSync(file, 0o644);
      return {};
    },
    says: /file of tokens .* is open to other accounts/,
    mend: /mode 600/,
  },
  'serving: an issuer without an address of our own': {
    break: (patient) => serveBy(patient, `oauth: {issuer: "${ISSUER}", jwks_uri: "${ISSUER}jwks", grants: {}}`),
    says: /"serve\.public_url" is not/,
    mend: /Set "public_url"/,
  },
  'serving: a program that is not there': {
    break: (patient) => serveBy(patient, 'notify: {command: ["no-such-program-here"]}'),
    mark: 'warn',
    says: /"no-such-program-here", which is no program here/,
    mend: /Correct it/,
  },
  'permissions: .waymark open to others': {
    break: ({ root }) => chmodSync(join(root, '.waymark'), 0o755) ?? {},
    says: /expected mode 0700/,
    mend: /^chmod 0700 .*\.waymark$/,
  },
  'permissions: a file where objects go': {
    break: ({ root }) => {
      const pack = join(root, '.git/objects/pack');
      renameSync(pack, `${pack}.away`);
      writeFileSync(pack, '');
      return {};
    },
    says: /objects\/pack" is not a folder/,
    mend: /^mv .*\/pack .*\/pack\.aside$/,
  },
  'clock: before an event of this machine': {
    break: ({ options }) => ({ now: options.now - DAY_MS }),
    says: /before this machine's own newest event/,
    mend: /timedatectl/,
  },
  "clock: before somebody else's event": {
    break: ({ environment, options }) => {
      rmSync(join(environment.configDir, 'keys'), { recursive: true });
      return { now: options.now - DAY_MS };
    },
    mark: 'warn',
    says: /in the future/,
    mend: /timedatectl/,
  },
  'lock: held for long': {
    break: async ({ root }) => {
      const holder = await holdLock(join(root, '.waymark/lock.sqlite'));
      onTestFinished(() => holder[Symbol.asyncDispose]());
      const since = new Date(Date.now() - DAY_MS).toISOString();
      writeFileSync(join(root, '.waymark/lock.holder'), JSON.stringify({ pid: 4242, agent: 'bob', since }));
      return {};
    },
    mark: 'warn',
    says: /Held by process 4242 of "bob" since/,
    mend: /^ps -p 4242/,
  },
  'lock: something else in its place': {
    break: ({ root }) => {
      renameSync(join(root, '.waymark/lock.sqlite'), join(root, '.waymark/away'));
      mkdirSync(join(root, '.waymark/lock.sqlite'));
      return {};
    },
    says: /Cannot lock/,
    mend: /aside/,
  },
  'lock: FAVA writes': {
    break: async ({ root }) => {
      leave(join(root, '.jj/fava-governance.lock'));
      const child = spawn('flock', [join(root, '.jj/fava-governance.lock'), 'sh', '-c', 'echo held; cat']);
      onTestFinished(async () => {
        child.stdin.end();
        await once(child, 'close');
      });
      await once(child.stdout, 'data');
      return withProgram('jj', 'echo jj 0.46.0');
    },
    mark: 'warn',
    says: /FAVA Trails is writing/,
    mend: /Stop FAVA Trails/,
  },
  'leftovers: a write that was cut off': {
    break: async ({ root }) => {
      const changes = { parent: null, commits: [] };
      await writeIntent(join(root, '.waymark'), { version: 1, branch: 'main', kind: 'git', changes, children: [] });
      return {};
    },
    mark: 'warn',
    says: /cut off; the next write finishes it/,
    mend: /Save anything/,
  },
  'leftovers: a damaged intent': {
    break: ({ root }) => leave(join(root, '.waymark/intent'), '{') ?? {},
    mark: 'warn',
    says: /no whole intent/,
    mend: /^rm .*\/intent$/,
  },
  'leftovers: an intent set aside': {
    break: ({ root }) => leave(join(root, '.waymark/intent.damaged-1'), '{') ?? {},
    mark: 'warn',
    says: /set aside as damaged/,
    mend: /^rm .*damaged-1$/,
  },
  'leftovers: a temporary file': {
    break: ({ root }) => leave(join(root, '.waymark/tmp/1-ab')) ?? {},
    mark: 'warn',
    says: /left by a process/,
    mend: /^rm .*1-ab$/,
  },
  "leftovers: git's lock of the index": {
    break: ({ root }) => leave(join(root, '.git/index.lock')) ?? {},
    says: /keeps git from writing/,
    mend: /^rm .*index\.lock$/,
  },
  "leftovers: git's lock of the branch": {
    break: ({ root }) => leave(join(root, '.git/refs/heads/main.lock')) ?? {},
    says: /keeps git from writing/,
    mend: /^rm .*main\.lock$/,
  },
  'leftovers: half a pack': {
    break: ({ root }) => leave(join(root, '.git/objects/pack/tmp_pack_Ab12')) ?? {},
    mark: 'warn',
    says: /left by a git/,
    mend: /^rm .*tmp_pack_Ab12$/,
  },
  "leftovers: FAVA's journal": {
    break: ({ root }) => {
      leave(join(root, '.jj/fava-governance-transaction.json'), '{"before":{}}');
      return withProgram('jj', 'echo jj 0.46.0');
    },
    says: /FAVA Trails was cut off/,
    mend: /^waymark adopt$/,
  },
};

const ISSUER = 'https://login.example/';

function serveBy({ environment }: Patient, settings: string): Partial<DoctorOptions> {
  writeFileSync(join(environment.configDir, 'config.yaml'), `serve: {${settings}}\n`);
  return {};
}

/** This machine remembers alice's log with another root, at the size that `at` answers. */
function remember({ seenFolder, log }: Patient, at: (size: number) => number): Partial<DoctorOptions> {
  const file = join(seenFolder, log);
  const [size] = readFileSync(file, 'utf8').split(' ');
  writeFileSync(file, `${at(Number(size))} ${Buffer.alloc(32).toString('base64')}\n`);
  return {};
}

describe('the doctor', () => {
  test('finds nothing wrong with a whole record', async () => {
    const { findings, ...whole } = await doctor(makePatient().options);
    expect(whole).toEqual({ ok: true, found: true });
    expect(faults(findings)).toEqual([]);
    const checks = new Set(Object.keys(CASES).map((name) => name.split(': ')[0]));
    // Found only where something is wrong.
    checks.delete('enrolment');
    expect(findings.map(({ check }) => check)).toEqual(expect.arrayContaining([...checks]));
    // The control of a program that is not there is one that is.
    const patient = makePatient();
    serveBy(patient, 'notify: {command: ["git"]}');
    expect(faults((await doctor(patient.options)).findings)).toEqual([]);
  });

  test.each(Object.entries(CASES))('names %s', async (name, breakage) => {
    const patient = makePatient();
    const changed = await breakage.break(patient);
    const broken = await doctor({ ...patient.options, now: Date.now(), ...changed });
    const [check = ''] = name.split(': ');
    const found = faults(broken.findings);
    expect(found.map((finding) => finding.check).filter((other) => !breakage.also?.includes(other))).toEqual([check]);
    const finding = found.find((one) => one.check === check);
    expect(finding).toMatchObject({ mark: breakage.mark ?? 'fail', message: expect.stringMatching(breakage.says) });
    expect(finding?.mend).toMatch(breakage.mend);
    expect(broken.ok).toBe(breakage.mark === 'warn' && found.length === 1);
  });

  test('names keys without a passphrase until they have one, and a record that nobody may decide in', async () => {
    const t = await makeRecord();
    onTestFinished(() => t[Symbol.asyncDispose]());
    await t.record.repository.settleIndex();
    const { environment, keys } = t.record;
    const look = async () => {
      const options = { environment, cwd: t.root, env: { PATH: process.env['PATH'] }, now: Date.now() };
      const { findings } = await doctor(options);
      return findings.flatMap(({ check, mark, mend }) =>
        mark === 'ok' || /disk|system|recovery/.test(check) ? [] : [[check, mend]],
      );
    };
    const operator = ['operator', 'waymark review'];
    expect(await look()).toEqual([['protection', 'waymark key protect'], operator]);
    for (const key of keys.list().keys) keys.protect(key, 'a passphrase of some length');
    expect(await look()).toEqual([operator]);
  });

  test('names a full disk, and file systems that are remote or memory', async () => {
    const { options } = makePatient();
    const facts = await gatherFacts(options);
    const findingsOn = (disk: Partial<DiskFacts>) => {
      const whole = { freeBytes: 2 ** 40, type: 0xef53 };
      const record = facts.record === null ? null : { ...facts.record, disk: { ...whole, ...disk } };
      const found = examine({ ...facts, record }).filter(({ check }) => !/protection|recovery/.test(check));
      return found.flatMap(({ check, mark }) => (mark === 'ok' ? [] : [`${check} ${mark}`]));
    };
    expect(findingsOn({})).toEqual([]);
    expect(findingsOn({ freeBytes: 10_000_000 })).toEqual(['disk fail']);
    expect(findingsOn({ freeBytes: 500_000_000 })).toEqual(['disk warn']);
    expect(findingsOn({ type: 0x6969 })).toEqual(['file system warn']);
    expect(findingsOn({ type: 0x01021994 })).toEqual(['file system warn']);
    // As some platforms give it.
    expect(findingsOn({ type: 0xff534d42 | 0 })).toEqual(['file system warn']);
  });
});

describe('waymark doctor', () => {
  test('says what is missing where there is no record, and exits 3', async () => {
    const at = { cwd: tempDir(), env: { HOME: tempDir() } };
    const said = await waymark(['doctor'], at);
    expect(said).toMatchObject({ code: 3, stderr: '' });
    expect(said.stdout).toMatch(/^ok +git +\d/m);
    expect(said.stdout).toMatch(/^fail +repository +No record at or above/m);
    expect(said.stdout).toContain('waymark init PATH');
  });

  test('exits 0 with warnings alone and 1 when something fails, with the command under it', async () => {
    const { root, env } = makePatient();
    const at = { cwd: root, env };
    appendFileSync(join(root, 'config.yaml'), 'colour: red\n');
    const warned = await waymark(['doctor'], at);
    expect(warned.code).toBe(0);
    expect(warned.stdout).toMatch(/^warn +settings +config\.yaml has "colour"/m);
    git(root, 'symbolic-ref', 'HEAD', 'refs/heads/other');
    const failed = await waymark(['doctor', '--json'], at);
    expect(failed.code).toBe(1);
    const fault = { check: 'branch', mark: 'fail', mend: 'git switch main' };
    expect(JSON.parse(failed.stdout)).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining(fault)]),
    });
  });

  test('says that better-sqlite3 does not load', async () => {
    const { root, env } = makePatient();
    const said = await waymark(['doctor'], { cwd: root, env: { ...env, NODE_OPTIONS: '--no-addons' } });
    expect(said).toMatchObject({ code: 1, stderr: '' });
    expect(said.stdout).toMatch(/^fail +better-sqlite3 +.*does not load/m);
    expect(said.stdout).toContain('npm rebuild better-sqlite3');
  });

  test.each(['as left by a writer', 'as left by a reader'])(
    'changes no file of the record, the keys or the state, %s',
    async (left) => {
      const folder = tempDir();
      const env = { HOME: folder };
      const at = { cwd: join(folder, 'data'), env };
      await waymark(['init', 'data'], { cwd: folder, env });
      if (left.includes('reader')) await waymark(['recall', 'x'], at);
      const before = snapshot(folder);
      const said = await waymark(['doctor'], at);
      expect(said.stdout).toMatch(/^ok +index +in step/m);
      expect(snapshot(folder)).toEqual(before);
      // Also of a record this machine has not met, and without an index.
      for (const name of ['.config/waymark/pins', '.local', 'data/.waymark'])
        rmSync(join(folder, name), { recursive: true });
      const bare = snapshot(folder);
      expect((await waymark(['doctor'], at)).stdout).toMatch(/^warn +index +There is none/m);
      expect(snapshot(folder)).toEqual(bare);
      await waymark(['recall', 'x'], at);
      expect(snapshot(folder)).not.toEqual(bare);
    },
  );

  test.skipIf(process.getuid?.() !== 0)(
    'names what another account may not write, and does not fall over it',
    async () => {
      const { root, env } = makePatient();
      for (const folder of [env['HOME'] ?? '', root]) chmodSync(folder, 0o755);
      const said = await waymark(['doctor'], { cwd: root, env, uid: 65_534 });
      expect(said).toMatchObject({ code: 1, stderr: '' });
      expect(said.stdout).toMatch(/^fail +permissions +This account cannot write in ".*\.waymark"/m);
    },
  );
});

test('a recovery key is asked for, and asked to be moved away from the owner key', async () => {
  const patient = makePatient();
  const { environment, repositoryId, options } = patient;
  const said = async () => (await doctor(options)).findings.filter(({ check }) => check === 'recovery');
  const file = join(environment.configDir, 'keys', `${repositoryId}.recovery`);
  expect(await said()).toMatchObject([{ mark: 'warn', message: expect.stringContaining(file) }]);
  renameSync(file, join(tempDir(), 'moved'));
  expect(await said()).toMatchObject([{ mark: 'ok' }]);
  const facts = await gatherFacts(options);
  if (facts.record?.index.state !== 'read') throw new Error('The index was not read');
  const without = { ...facts, record: { ...facts.record, index: { ...facts.record.index, hasRecoveryKey: false } } };
  const hint = examine(without).filter(({ check }) => check === 'recovery');
  expect(hint).toMatchObject([{ mark: 'warn', mend: expect.stringContaining('waymark key recovery FILE') }]);
});

/** Path and digest of every file. */
function snapshot(folder: string): readonly string[] {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      // Memory that SQLite's connections share, under the name of a file.
      .filter((entry) => !entry.name.endsWith('-shm'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
      })
      .sort()
  );
}
