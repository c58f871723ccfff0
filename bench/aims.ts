/** What each figure is called and should be. */

/** One number for every size, or one by number of thoughts or records. */
export type Limit = number | Readonly<Record<number, number>>;

export interface Aim {
  readonly label: string;
  readonly section: string;
  readonly path: readonly string[];
  readonly unit: 'ms' | 's' | '/s' | 'MiB' | 'KiB' | '';
  /** @default none: a figure for information */
  readonly aim?: { readonly most: Limit } | { readonly least: Limit };
  /** FAVA's figure to put beside it. @default none */
  readonly fava?: 'saveMs' | 'readMs';
}

/** 60 kB. */
const PAYLOAD_KIB = 60_000 / 1024;

export const AIMS: readonly Aim[] = [
  aim('Save, p50', 'save p50', 'ms', {
    aim: { most: { 1000: 20, 10000: 20, 100000: 40 } },
    fava: 'saveMs',
  }),
  aim('Save, p95', 'save p95', 'ms', { aim: { most: { 1000: 40, 10000: 40 } } }),
  aim('Save, longest', 'save max', 'ms'),
  aim('`git status` clean after the last save', 'save cleanAfterMs', 'ms', { aim: { most: 1_000 } }),
  aim('Event, tree and checkpoint of a save, p95', 'sign p95', 'ms', { aim: { most: 1 } }),
  aim('16 savers in one process', 'concurrent oneProcess savesPerSecond', '/s', { aim: { least: 200 } }),
  aim('16 processes', 'concurrent processes savesPerSecond', '/s', { aim: { least: 30 } }),
  aim('16 processes, wait p99', 'concurrent processes wait p99', 'ms', { aim: { most: 2_000 } }),
  aim('16 processes, saves of the slowest', 'concurrent processes fewestBySaver', '', { aim: { least: 1 } }),
  aim('16 processes, saves of the quickest', 'concurrent processes mostBySaver', ''),
  aim('Recall, rare, all scopes, p50', 'recall rare.allScopes p50', 'ms', { fava: 'readMs' }),
  aim('Recall, rare, all scopes, p95', 'recall rare.allScopes p95', 'ms', { aim: { most: 3 } }),
  aim('Recall, rare, one scope, p95', 'recall rare.oneScope p95', 'ms', { aim: { most: 3 } }),
  aim('Recall, seldom, all scopes, p95', 'recall seldom.allScopes p95', 'ms'),
  aim('Recall, two characters, one scope, p95', 'recall twoCharacters.oneScope p95', 'ms', { aim: { most: 20 } }),
  aim('Recall, two characters, all scopes, p95', 'recall twoCharacters.allScopes p95', 'ms'),
  aim('Recall, common, one scope, p95', 'recall common.oneScope p95', 'ms', { aim: { most: 12 } }),
  aim('Recall, common, all scopes, p50', 'recall common.allScopes p50', 'ms', { fava: 'readMs' }),
  aim('Recall, common, all scopes, p95', 'recall common.allScopes p95', 'ms', { aim: { most: 60 } }),
  aim('Recall, two words, all scopes, p95', 'recall twoWords.allScopes p95', 'ms'),
  aim('Recall, next page of a common word, p95', 'recall nextPage.allScopes p95', 'ms', { aim: { most: 60 } }),
  aim('32 callers over HTTP, 9 recalls a save', 'http callsPerSecond', '/s', { aim: { least: 200 } }),
  aim('32 callers over HTTP, recall p50', 'http recall p50', 'ms'),
  aim('32 callers over HTTP, recall p99', 'http recall p99', 'ms', { aim: { most: 300 } }),
  aim('32 callers over HTTP, save p95', 'http save p95', 'ms', { aim: { most: 400 } }),
  aim('32 callers over HTTP, errors', 'http errors', '', { aim: { most: 0 } }),
  aim('32 callers over HTTP, memory of Node', 'http memory node', 'MiB'),
  ...['overview', 'scope', 'thought'].flatMap((page) => [
    aim(`Page: ${page}, p50`, `pages ${page} p50`, 'ms'),
    aim(`Page: ${page}, p95`, `pages ${page} p95`, 'ms', { aim: { most: 50 } }),
    aim(`Page: ${page}, with style and scripts, gzipped`, `pages ${page} gzipKiB`, 'KiB', {
      aim: { most: PAYLOAD_KIB },
    }),
  ]),
  aim('Page: trace of 150 nodes, p50', 'pages trace p50', 'ms'),
  aim('Page: trace of 150 nodes, p95', 'pages trace p95', 'ms', { aim: { most: 300 } }),
  aim('Page: trace of 150 nodes, without the graph, gzipped', 'pages trace gzipKiB', 'KiB', {
    aim: { most: PAYLOAD_KIB },
  }),
  aim('Page: trace of 150 nodes, with the graph, gzipped', 'pages trace gzipKiBWithGraph', 'KiB'),
  aim('Start to tools/list, p50 of 7', 'start p50', 'ms', { aim: { most: 350 } }),
  aim('Memory of Node after recalls', 'recall memory node', 'MiB', { aim: { most: 200 } }),
  aim('Memory of Node after saves', 'save memory node', 'MiB', { aim: { most: 200 } }),
  aim('Memory with children after saves', 'save memory withChildren', 'MiB', { aim: { most: 300 } }),
  aim('Index deleted, until in step', 'reindex seconds', 's', { aim: { most: 40 } }),
  aim('Answers meanwhile', 'reindex answersMeanwhile', ''),
  aim('Answers meanwhile, p95', 'reindex recallMeanwhile p95', 'ms'),
  aim('Repository a save, after maintenance', 'size gitKiBPerSave', 'KiB', { aim: { most: 15 } }),
  aim('Repository a save, as the server leaves it', 'size gitKiBPerSaveAsLeft', 'KiB'),
  aim('Working files a save', 'size workingTreeKiBPerSave', 'KiB'),
  aim('Most not yet maintained', 'size mostUnmaintainedMiB', 'MiB', { aim: { most: 100 } }),
  aim('Index file', 'size indexMiB', 'MiB'),
  aim('Adopt a FAVA repository of as many thoughts', 'adopt seconds', 's', { aim: { most: 8 } }),
  aim('Verify at head', 'verify head seconds', 's'),
  aim('Verify at head, of 100,000 events', 'verify head secondsFor100kEvents', 's', { aim: { most: { 100000: 10 } } }),
  aim('Verify at head, most memory of Node', 'verify head peakMiB', 'MiB'),
  aim('Verify the history, a commit a thought', 'verify history seconds', 's', { aim: { most: { 100000: 90 } } }),
  aim('Verify the history, most memory of Node', 'verify history peakMiB', 'MiB'),
  aim('On Jujutsu: save, p50', 'jujutsu save p50', 'ms', { aim: { most: { 1000: 80, 10000: 200 } }, fava: 'saveMs' }),
  aim('On Jujutsu: save, p95', 'jujutsu save p95', 'ms'),
  aim('On Jujutsu: 2,000 saves, p50 of the last hundred', 'jujutsu late p50', 'ms'),
  aim('On Jujutsu: `.jj` after 2,000 saves', 'jujutsu jjMiB', 'MiB'),
  aim('On Jujutsu: kept refs after 2,000 saves', 'jujutsu keepRefs', ''),
  aim('On Jujutsu: operations after 2,000 saves', 'jujutsu operations', ''),
  aim('Mirrors: trace of 100 records, verified, p50', 'mirrors trace p50', 'ms'),
  aim('Mirrors: trace of 100 records, verified, p95', 'mirrors trace p95', 'ms', { aim: { most: 10 } }),
  aim('Mirrors: the same where no signature was checked before, p50', 'mirrors firstTrace p50', 'ms'),
  aim('Mirrors: the same where no signature was checked before, p95', 'mirrors firstTrace p95', 'ms'),
  aim('Mirrors: records of a larger trace', 'mirrors manyVisited', ''),
  aim('Mirrors: each record beyond 100, verified', 'mirrors furtherRecordMs', 'ms', { aim: { most: 0.1 } }),
  aim('Mirrors: the same trace by a scan of whole files, p50', 'mirrors wholeFileScan p50', 'ms'),
  aim('Mirrors: the scan takes as many times longer', 'mirrors scanOverTrace', ''),
  aim('Mirrors: page of up to 200 of up to 10,000 children, verified, p95', 'mirrors hubPage p95', 'ms', {
    aim: { most: 20 },
  }),
  aim('Mirrors: first index', 'mirrors firstIndex seconds', 's', { aim: { most: 60 } }),
  aim('Mirrors: first index, processor time', 'mirrors firstIndex cpuSeconds', 's'),
  aim('Mirrors: first index, most memory of Node', 'mirrors firstIndex peakMiB', 'MiB', { aim: { most: 300 } }),
  aim('Mirrors: index file', 'mirrors indexMiB', 'MiB', { aim: { most: 300 } }),
  aim('Mirrors: catch up with one append, 100 files, p95', 'mirrors catchUp p95', 'ms', { aim: { most: 2 } }),
];

/** The limit at a size; `undefined` when none was set. */
export function limitAt(limit: Limit, count: number): number | undefined {
  return typeof limit === 'number' ? limit : limit[count];
}

/** `at` is the section and the names below it, apart by blanks; names may hold dots. */
function aim(label: string, at: string, unit: Aim['unit'], rest: Pick<Aim, 'aim' | 'fava'> = {}): Aim {
  const [section = '', ...path] = at.split(' ');
  return { label, section, path, unit, ...rest };
}
