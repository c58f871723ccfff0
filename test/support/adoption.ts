/** A FAVA repository in a temporary home of its own, adopted in this process. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readEnvironment } from '../../src/config/index.ts';
import type { Outcome } from '../../src/record/outcome.ts';
import { type AdoptReport, adopt } from '../../src/trail/adopt.ts';
import { readRecord, readRepository } from '../../src/trail/locate.ts';
import { type OpenRecord, openRecord } from '../../src/trail/open.ts';
import { Session } from '../../src/trail/session.ts';
import { type FavaRepository, type MakeFavaOptions, makeFavaRepository } from './fava-repository.ts';
import { JJ_FOLDER, pathWithJj } from './jj.ts';
import { value } from './record.ts';

export interface AdoptionHome {
  readonly root: string;
  readonly home: string;
  readonly env: Record<string, string>;
  adopt(options?: {
    readonly dryRun?: boolean;
    readonly eol?: boolean;
    readonly person?: string;
  }): Promise<Outcome<AdoptReport>>;
  /** Opens the adopted record for `work`, and closes it. */
  use<T>(work: (opened: OpenedRecord) => Promise<T>): Promise<T>;
  [Symbol.dispose](): void;
}

export interface OpenedRecord {
  readonly record: OpenRecord;
  session(agentId: string, options?: { readonly operator?: boolean }): Session;
}

/** Who adopts in tests. */
export const PERSON = 'lead-1';

/** @param make Fills the folder. */
export function adoptionHome(make: (root: string) => void, variables: Record<string, string> = {}): AdoptionHome {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'waymark-adopt-')));
  const root = join(home, 'data');
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), XDG_STATE_HOME: join(home, 'state'), ...variables };
  make(root);
  const open = {
    environment: value(readEnvironment(env)),
    env,
    producer: 'waymark/test',
    warn: (message: string, cause: unknown) => {
      throw new Error(`${message}: ${String(cause)}`);
    },
  };
  return {
    root,
    home,
    env,
    async adopt({ dryRun = false, eol = false, person = PERSON } = {}) {
      const found = readRepository(root);
      if (found === null) throw new Error('Nothing to adopt');
      if (!found.ok) return found;
      return adopt(found.value, { open, dryRun, eol, person: () => person, report: () => undefined });
    },
    async use(work) {
      const located = readRecord(root);
      if (located === null) throw new Error('No record');
      const record = value(await openRecord(value(located), open));
      const sessions: Session[] = [];
      try {
        await record.repository.settleIndex();
        return await work({
          record,
          session(agentId, { operator = false } = {}) {
            const session = new Session(record, { via: 'library', agentId, wantsOperator: operator, env: {} });
            sessions.push(session);
            return session;
          },
        });
      } finally {
        for (const session of sessions) await session.close();
        await record.repository.close();
      }
    },
    [Symbol.dispose]() {
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** The version stores of this machine and how FAVA makes a repository of each. */
export const STORES: readonly (readonly [string, MakeFavaOptions])[] = [
  ['git', {}],
  ...(JJ_FOLDER === undefined ? [] : ([['jj', { jj: join(JJ_FOLDER, 'jj') }]] as const)),
];

export interface FavaHome extends AdoptionHome {
  readonly fava: FavaRepository;
}

export function favaHome(options: MakeFavaOptions = {}): FavaHome {
  let fava: FavaRepository | undefined;
  const made = adoptionHome(
    (root) => {
      fava = makeFavaRepository(root, options);
    },
    options.jj === undefined ? {} : { PATH: pathWithJj() },
  );
  if (fava === undefined) throw new Error('No repository was made');
  return { ...made, fava };
}

/** Every file below `folder` with its bytes, as text of one character a byte; `.git` and `.jj` on request only. */
export function filesBelow(folder: string, options: { readonly all?: boolean } = {}): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => options.all === true || !/^\.(?:git|jj|waymark)\//.test(relative(folder, file)));
  return new Map(files.sort().map((file) => [relative(folder, file), readFileSync(file, 'latin1')]));
}

export function gitText(root: string, ...args: readonly string[]): string {
  return execFileSync('git', [...args], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}

/** `<scope>/<id>` of everything one recall answers, sorted. */
export async function recalled(session: Session, input: object): Promise<readonly string[]> {
  const answer = value(
    await session.operations().recall({ trail_name: 'acme', trail_names: ['**'], limit: 100, ...input }),
  );
  return answer.thoughts.map(({ source_trail, thought_id }) => `${source_trail}/${thought_id}`).sort();
}
