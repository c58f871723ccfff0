/** Programs and libraries that Waymark needs. */
import { ACCEPTED_VERSIONS } from '../../store/jj/index.ts';
import type { Facts, MachineFacts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const OLDEST_NODE = 20;
/** As the git store demands it. */
const OLDEST_GIT = [2, 36] as const;

export function checkMachine({ machine, record }: Facts): readonly Finding[] {
  return [checkNode(machine), checkGit(machine), ...checkJj(machine, record?.isJujutsu === true), checkSqlite(machine)];
}

function checkNode({ node }: MachineFacts): Finding {
  const major = Number(/^v?(\d+)/.exec(node)?.[1] ?? 0);
  if (major >= OLDEST_NODE) return ok('node', node.replace(/^v/, ''));
  return fail(
    'node',
    `Node ${node} is too old, wanted ${OLDEST_NODE} or newer`,
    `Install Node ${OLDEST_NODE} or newer`,
  );
}

function checkGit({ git }: MachineFacts): Finding {
  const wanted = OLDEST_GIT.join('.');
  if (!git.found) return fail('git', `git cannot be used: ${git.reason}`, `Install git ${wanted} or newer`);
  const [major = 0, minor = 0] = git.version.split('.').map(Number);
  const isRecent = major > OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor >= OLDEST_GIT[1]);
  if (isRecent) return ok('git', git.version);
  const cause = `git ${git.version} cannot promise that a commit survives power loss, wanted ${wanted} or newer`;
  return fail('git', cause, `Install git ${wanted} or newer`);
}

/** Only a repository that has `.jj` needs it. */
function checkJj({ jj }: MachineFacts, isNeeded: boolean): readonly Finding[] {
  const install = `Install jj ${ACCEPTED_VERSIONS.join(' or ')} and put it on PATH`;
  if (!jj.found) {
    if (!isNeeded) return [ok('jj', `not used by this record (${jj.reason})`)];
    return [fail('jj', `The record is a Jujutsu repository, and jj cannot be used: ${jj.reason}`, install)];
  }
  if (ACCEPTED_VERSIONS.some((version) => jj.version === version || jj.version.startsWith(`${version}.`))) {
    return [ok('jj', `${jj.version}${isNeeded ? '' : ', not used by this record'}`)];
  }
  const cause = `jj ${jj.version} is none of the versions that were tested: ${ACCEPTED_VERSIONS.join(', ')}`;
  return [isNeeded ? fail('jj', cause, install) : warn('jj', `${cause}; this record does not use it`, install)];
}

function checkSqlite({ sqliteFault }: MachineFacts): Finding {
  if (sqliteFault === null) return ok('better-sqlite3', 'loads');
  const cause = `better-sqlite3 does not load, and nothing works without: ${sqliteFault}`;
  return fail('better-sqlite3', cause, 'npm rebuild better-sqlite3');
}
