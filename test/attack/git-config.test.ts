/** A repository whose own configuration names programs: Waymark reads it and starts none of them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { searchedFolders } from '../../src/store/git/environment.ts';
import { commitThatAdded } from '../../src/store/git/history.ts';
import { locateRepository } from '../../src/store/git/repository.ts';
import { type AdoptionHome, adoptionHome, gitText } from '../support/adoption.ts';
import { favaId, favaThought } from '../support/fava-repository.ts';
import { value } from '../support/record.ts';

const THOUGHT = `trails/acme/eng/thoughts/decisions/${favaId(1)}.md`;

interface Prepared extends AdoptionHome {
  /** The file that a started program leaves. */
  readonly mark: string;
}

function prepared(extra: Readonly<Record<string, string>> = {}): Prepared {
  const home = adoptionHome((root) => {
    const files = {
      'config.yaml': 'trails_dir: trails\nremote_url: null\npush_strategy: manual\n',
      [THOUGHT]: favaThought({ id: favaId(1), status: 'approved' }),
      ...extra,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    person(root, 'init', '-q', '-b', 'main');
    person(root, 'add', '-A');
    person(root, 'commit', '-q', '-m', 'Prepared');
  });
  return { ...home, mark: join(home.home, 'started') };
}

function person(root: string, ...args: readonly string[]): void {
  const settings = ['-c', 'user.name=Person', '-c', 'user.email=person@example.org'];
  execFileSync('git', [...settings, ...args], { cwd: root, stdio: 'pipe' });
}

test.each(['clean', 'process'])('a filter (%s) is not started while adopt looks for uncommitted files', async (key) => {
  using home = prepared({ '.gitattributes': '* filter=planted\n' });
  const { root, mark } = home;
  person(root, 'config', `filter.planted.${key}`, `touch ${mark}; cat`);
  person(root, 'config', 'filter.planted.required', 'true');
  const touch = () => utimesSync(join(root, THOUGHT), 1, 1);
  touch();
  spawnSync('git', ['status'], { cwd: root });
  // Git itself starts it.
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
  touch();
  expect(value(await home.adopt({ dryRun: true })).counts.governed).toBe(1);
  expect(existsSync(mark)).toBe(false);
  writeFileSync(join(root, THOUGHT), 'edited');
  expect(await home.adopt({ dryRun: true })).toMatchObject({ ok: false, code: 'uncommitted_edit' });
});

test('a transport is not started for a missing object, whatever the repository allows', async () => {
  using home = prepared();
  const { root, mark } = home;
  const blob = gitText(root, 'rev-parse', `HEAD:${THOUGHT}`);
  rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
  const settings = {
    'core.repositoryFormatVersion': '1',
    'extensions.partialClone': 'planted',
    'remote.planted.promisor': 'true',
    'remote.planted.url': `ext::sh -c touch% ${mark}`,
    'protocol.ext.allow': 'always',
  };
  for (const [name, text] of Object.entries(settings)) person(root, 'config', name, text);
  spawnSync('git', ['cat-file', '-p', blob], { cwd: root });
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
  expect(await home.adopt({ dryRun: true })).toMatchObject({
    code: 'storage',
    // Ours, or git's own, which versions word differently.
    message: expect.stringMatching(/is not in the repository|transport 'ext' not allowed/),
  });
  expect(existsSync(mark)).toBe(false);
});

test('a program for signatures is not started while history is searched', async () => {
  using home = prepared();
  const { root, mark } = home;
  const program = join(home.home, 'gpg');
  writeFileSync(program, `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(program, 0o755);
  const plain = execFileSync('git', ['cat-file', 'commit', 'HEAD'], { cwd: root }).toString();
  const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n';
  const input = plain.replace('\n\n', `\n${signature}`);
  const signed = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin'], { cwd: root, input });
  const commit = signed.toString().trim();
  person(root, 'config', 'log.showSignature', 'true');
  person(root, 'config', 'log.showRoot', 'false');
  person(root, 'config', 'gpg.program', program);
  spawnSync('git', ['log', '-1', commit], { cwd: root });
  expect(existsSync(mark)).toBe(true);
  rmSync(mark);
  const history = { location: value(await locateRepository(root)), head: commit };
  expect(await commitThatAdded(history, THOUGHT)).toBe(commit);
  expect(existsSync(mark)).toBe(false);
});

test('programs are looked for in absolute folders only', () => {
  const PATH = ['', '.', 'bin', '/usr/bin', '/bin'].join(delimiter);
  expect(searchedFolders({ PATH, LD_LIBRARY_PATH: delimiter, HOME: '/root' })).toEqual({
    PATH: `/usr/bin${delimiter}/bin`,
  });
  expect(searchedFolders({})).toEqual({});
});

test('a lock of FAVA that is a pipe or a link keeps nobody waiting and makes no file elsewhere', async () => {
  using home = prepared();
  const { root } = home;
  const [lock, elsewhere] = [join(root, '.jj/fava-governance.lock'), join(home.home, 'elsewhere')];
  mkdirSync(join(root, '.jj'));
  execFileSync('mkfifo', [lock]);
  for (const dryRun of [true, false]) expect(await home.adopt({ dryRun })).toMatchObject({ code: 'repository' });
  rmSync(lock);
  execFileSync('ln', ['-s', elsewhere, lock]);
  expect(await home.adopt()).toMatchObject({ code: 'repository' });
  expect(existsSync(elsewhere)).toBe(false);
  rmSync(join(root, '.jj'), { recursive: true });
  writeFileSync(join(root, '.jj'), '');
  expect(await home.adopt()).toMatchObject({ code: 'repository' });
  rmSync(join(root, '.jj'));
  value(await home.adopt());
  expect(readFileSync(join(root, 'config.yaml'), 'utf8')).toContain('waymark:');
});
