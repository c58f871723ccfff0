/**
 * Every place of this machine that Waymark knows and that holds a text: the branch, the working files, what Waymark and
 * version control keep beside them, the folders of the account, and with them every object of the repository.
 */
import { join } from 'node:path';
import type { Environment } from '../../config/index.ts';
import { type Outcome, ok, type Refusal, refuse } from '../../record/outcome.ts';
import { parseThoughtPath } from '../../record/paths.ts';
import type { Principal } from '../../record/principal.ts';
import { soughtText } from '../../record/sought-text.ts';
import type { Status } from '../../record/thought.ts';
import { filePieces } from '../../store/file-pieces.ts';
import { type GitLocation, locateRepository, searchObjects } from '../../store/git/index.ts';
import type { Index } from '../../store/index/index.ts';
import type { Repository } from '../../store/repository.ts';
import { checkOperator } from '../guard.ts';

/**
 * - `committed`: a file of the branch.
 * - `working`: a file of the working tree.
 * - `state`: below `.waymark`, the index included.
 * - `version_control`: below `.git` or `.jj`, objects aside: logs of refs, messages, operations.
 * - `account`: keys' folder, memory and caches of this account.
 * - `mirrors`: records of atrib's tools.
 * - `history`: a path of a commit, or the commit itself; or an object that nothing leads to.
 */
export const PLACE_KINDS = [
  'committed',
  'working',
  'state',
  'version_control',
  'account',
  'mirrors',
  'history',
] as const;
export type PlaceKind = (typeof PLACE_KINDS)[number];

export interface FoundPlace {
  readonly place: PlaceKind;
  /** Of the repository, or absolute outside it. */
  readonly path?: string;
  readonly thought_id?: string;
  readonly status?: Status;
  readonly commit?: string;
  /** Where no commit has it. */
  readonly object?: string;
}

export interface FindResult {
  readonly status: 'ok';
  /** At most 1,000 of each kind. */
  readonly places: readonly FoundPlace[];
  /** All there are. */
  readonly counts: Readonly<Record<PlaceKind, number>>;
  /** Refs that lead to commits with it. */
  readonly refs: readonly string[];
  /** Where more may be, of which nothing is known here. */
  readonly notes: readonly string[];
}

export interface FindOptions {
  readonly text: string;
  /** Byte for byte. @default false: case, width and white space make no difference */
  readonly exact: boolean;
  readonly environment: Environment;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

export interface FindSubject {
  readonly repository: Repository;
  readonly principal: Principal;
}

/** Shorter ones are everywhere. */
const SHORTEST = 4;
/** The pieces that are looked at share more than this, whatever the text is folded to. */
const LONGEST = 8 * 1024;
const SHOWN = 1_000;

/** Operator only. Writes nothing. */
export async function findEverywhere(
  { repository, principal }: FindSubject,
  { text, exact, environment, report }: FindOptions,
): Promise<Outcome<FindResult>> {
  const refused = checkOperator('Looking everywhere', principal) ?? checkText(text);
  if (refused !== null) return refused;
  const located = await locateRepository(repository.root);
  if (!located.ok) return located;
  const sought = soughtText(text, { exact });
  const found = new Places(repository.index.reader());
  const { store } = repository;
  const head = store.head();
  const tree = head === null ? [] : await store.list(head, '');
  const files = tree.filter(({ mode }) => mode !== '160000');
  let at = 0;
  for await (const bytes of store.readBlobs(files.map(({ blob }) => blob))) {
    const { path } = files[at++] ?? { path: '' };
    if (sought.isIn(bytes) || sought.isIn(Buffer.from(path))) found.add({ place: 'committed', path });
  }
  report(`Looked at ${files.length} files of the branch`);
  const within = `${repository.root}/`;
  for (const { place, folder, except } of foldersOf(repository.root, located.value, environment)) {
    const unreadable = (path: string) => found.note(`"${path}" cannot be read, so it is not known what is in it`);
    for await (const { file, bytes } of filePieces(folder, { except, unreadable })) {
      if (sought.isIn(bytes) || sought.isIn(Buffer.from(file)))
        found.add({ place, path: file.startsWith(within) ? file.slice(within.length) : file });
    }
  }
  const objects = await searchObjects(located.value, {
    look: ({ bytes }) => (sought.isIn(bytes) ? true : null),
    report,
  });
  for (const { object, places } of objects.hits) {
    if (places.length === 0) found.add({ place: 'history', object });
    for (const place of places) found.add({ place: 'history', ...place });
  }
  for (const remote of await repository.remoteUrls()) {
    found.note(`Remote "${remote}" may have it, with all that fetched from there`);
  }
  found.note('Clones, backups, exports and evidence archives elsewhere are not known here');
  return ok({ status: 'ok', ...found.result(), refs: objects.refs });
}

interface Folder {
  readonly place: PlaceKind;
  readonly folder: string;
  readonly except: readonly string[];
}

function foldersOf(root: string, { gitDir, commonDir }: GitLocation, environment: Environment): readonly Folder[] {
  const { configDir, stateDir, cacheDir, atribRecords } = environment;
  return [
    { place: 'working', folder: root, except: ['.git', '.jj', '.waymark'] },
    { place: 'state', folder: join(root, '.waymark'), except: [] },
    { place: 'version_control', folder: commonDir, except: ['objects'] },
    ...(gitDir.startsWith(commonDir) ? [] : [{ place: 'version_control', folder: gitDir, except: [] } as const]),
    { place: 'version_control', folder: join(root, '.jj'), except: [] },
    { place: 'account', folder: configDir, except: [] },
    { place: 'account', folder: stateDir, except: [] },
    { place: 'account', folder: cacheDir, except: [] },
    { place: 'mirrors', folder: atribRecords.file ?? atribRecords.folder, except: [] },
  ];
}

class Places {
  readonly #index: Index;
  readonly #places = new Map<string, FoundPlace>();
  readonly #counts = new Map<PlaceKind, number>();
  readonly #notes = new Set<string>();

  constructor(index: Index) {
    this.#index = index;
  }

  add(found: FoundPlace): void {
    const key = JSON.stringify(found);
    if (this.#places.has(key)) return;
    const count = (this.#counts.get(found.place) ?? 0) + 1;
    this.#counts.set(found.place, count);
    if (count <= SHOWN) this.#places.set(key, { ...found, ...this.#thoughtAt(found) });
  }

  note(line: string): void {
    this.#notes.add(line);
  }

  result(): Pick<FindResult, 'places' | 'counts' | 'notes'> {
    const count = (kind: PlaceKind) => this.#counts.get(kind) ?? 0;
    const [committed, working, state, version_control] = [
      count('committed'),
      count('working'),
      count('state'),
      count('version_control'),
    ];
    const [account, mirrors, history] = [count('account'), count('mirrors'), count('history')];
    return {
      places: [...this.#places.values()],
      counts: { committed, working, state, version_control, account, mirrors, history },
      notes: [...this.#notes],
    };
  }

  #thoughtAt({ place, path = '' }: FoundPlace): Pick<FoundPlace, 'thought_id' | 'status'> {
    const id = place === 'committed' || place === 'history' ? parseThoughtPath(path)?.id : undefined;
    if (id === undefined) return {};
    const status = this.#index.thoughtByPath(path)?.thought.validation_status;
    return { thought_id: id, ...(place === 'committed' && status !== undefined ? { status } : {}) };
  }
}

function checkText(text: string): Refusal | null {
  const bytes = Buffer.byteLength(text);
  if (text.trim().length >= SHORTEST && bytes <= LONGEST) return null;
  return refuse(
    'invalid',
    `The text has ${bytes} bytes: expected at least ${SHORTEST} characters and at most ${LONGEST} bytes`,
    {
      field: 'value',
      next: 'Look for a telling part of it, such as one sentence',
    },
  );
}
