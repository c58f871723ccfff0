/** Looks for secrets in what is there already: the branch, the working files, and every object of the repository. */
import { relative } from 'node:path';
import { type Outcome, ok } from '../../record/outcome.ts';
import { secretRulesIn } from '../../secrets/find-secret.ts';
import { secretlintRulesIn } from '../../secrets/second-opinion.ts';
import { filePieces } from '../../store/file-pieces.ts';
import { locateRepository, searchObjects } from '../../store/git/index.ts';
import type { VerifySubject } from '../verify.ts';

export interface ScanFinding {
  /** Of the table, or secretlint's. Never the value. */
  readonly rule: string;
  readonly where: 'committed' | 'working' | 'history';
  readonly path?: string;
  /** One that brought it. */
  readonly commit?: string;
  /** Where no commit has it. */
  readonly object?: string;
}

export interface ScanReport {
  readonly status: 'ok' | 'found';
  readonly findings: readonly ScanFinding[];
  readonly checked: { readonly files: number; readonly objects: number };
  /** Refs that lead to commits with findings. */
  readonly refs: readonly string[];
  /** Files that could not be read. */
  readonly unreadable: readonly string[];
}

export interface ScanOptions {
  /** Also every object, whatever leads to it. */
  readonly history: boolean;
  /** Progress, a line each. */
  readonly report: (line: string) => void;
}

/** Changes nothing. */
export async function scan(
  { repository }: Pick<VerifySubject, 'repository'>,
  { history, report }: ScanOptions,
): Promise<Outcome<ScanReport>> {
  const { root, store } = repository;
  const located = await locateRepository(root);
  if (!located.ok) return located;
  const findings: ScanFinding[] = [];
  const head = store.head();
  const tree = head === null ? [] : (await store.list(head, '')).filter(({ mode }) => mode !== '160000');
  const committed = new Set<string>();
  let at = 0;
  for await (const bytes of store.readBlobs(tree.map(({ blob }) => blob))) {
    const { path } = tree[at++] ?? { path: '' };
    for (const rule of await rulesIn(path, bytes)) {
      findings.push({ rule, where: 'committed', path });
      committed.add(`${rule} ${path}`);
    }
  }
  report(`Scanned ${tree.length} files of the branch`);
  const working = new Map<string, ScanFinding>();
  const unreadable: string[] = [];
  let files = 0;
  const except = ['.git', '.jj', '.waymark', 'node_modules'];
  for await (const { file, bytes } of filePieces(root, { except, unreadable: (path) => void unreadable.push(path) })) {
    files += 1;
    const path = relative(root, file);
    for (const rule of await rulesIn(path, bytes)) {
      const key = `${rule} ${path}`;
      // As committed, it is said once.
      if (!committed.has(key)) working.set(key, { rule, where: 'working', path });
    }
  }
  findings.push(...working.values());
  const objects = history
    ? await searchObjects(located.value, {
        // Trees hold names of files and digests; names are looked at above and by the commits that made them.
        look: async ({ type, bytes }) => (type === 'tree' ? null : nonEmpty(await rulesIn('', bytes))),
        report,
      })
    : null;
  for (const { object, found, places } of objects?.hits ?? []) {
    for (const rule of found) {
      if (places.length === 0) findings.push({ rule, where: 'history', object });
      for (const place of places) findings.push({ rule, where: 'history', ...place });
    }
  }
  return ok({
    status: findings.length === 0 ? 'ok' : 'found',
    findings,
    checked: { files: tree.length + files, objects: objects?.objects ?? 0 },
    refs: objects?.refs ?? [],
    unreadable,
  });
}

async function rulesIn(path: string, bytes: Uint8Array): Promise<readonly string[]> {
  const text = `${path}\n${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')}`;
  const own = secretRulesIn(text);
  return own.length > 0 ? own : secretlintRulesIn(text);
}

function nonEmpty(rules: readonly string[]): readonly string[] | null {
  return rules.length === 0 ? null : rules;
}
