/**
 * A data repository as FAVA Trails 0.5 to 0.9 leave it, written from the facts alone (fava.md 1, 3.1 to 3.6): nothing of
 * Waymark's code makes or judges a file here. What each thought counts as is written beside it by hand.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * What FAVA 0.7 and later make of a file. `open`: draft or proposed. `error` and `rejected` are shown to operators alone
 * there. `unreadable`: skipped in silence, or found by no id.
 */
export type Standing = 'governed' | 'open' | 'error' | 'rejected' | 'retired' | 'unreadable';

export interface FavaThought {
  readonly path: string;
  readonly scope: string;
  readonly id: string;
  readonly author: string;
  readonly standing: Standing;
  /** A draft whose back-link leads to an approved thought: its author still sees it, history hides it. */
  readonly isReplacedDraft: boolean;
  readonly text: string;
}

export interface ExpectedRecall {
  /** `<scope>/<id>` of each thought, sorted; an id that lies in two files stands twice. */
  readonly governed: readonly string[];
  /** Drafts and proposals by author. */
  readonly authoring: Readonly<Record<string, readonly string[]>>;
  /** As an operator sees it by default, and with what was replaced. */
  readonly history: readonly string[];
  readonly historyWithSuperseded: readonly string[];
}

export interface FavaRepository {
  readonly root: string;
  readonly thoughts: readonly FavaThought[];
  readonly expected: ExpectedRecall;
  /** Paths of the settings files that are in force. */
  readonly settings: readonly string[];
}

export interface MakeFavaOptions {
  /** Makes it colocated, with history by this program, as FAVA does. @default plain git */
  readonly jj?: string;
  /** jj only: where `push_strategy: manual` left the bookmark. @default behind */
  readonly bookmark?: 'behind' | 'absent';
}

/** In `root`, which must not exist. */
export function makeFavaRepository(root: string, options: MakeFavaOptions = {}): FavaRepository {
  mkdirSync(root, { recursive: true });
  const thoughts = favaThoughts();
  const half = Math.floor(thoughts.length / 2);
  const first = new Map([...favaFiles(), ...thoughts.slice(0, half).map(fileOf)]);
  const second = new Map(thoughts.slice(half).map(fileOf));
  if (options.jj === undefined) commitWithGit(root, [first, second]);
  else commitWithJj(root, options.jj, { commits: [first, second], bookmark: options.bookmark ?? 'behind' });
  const settings = [...favaFiles().keys()].filter((path) =>
    /config\.yaml|\.fava-trails\.yaml|gate-prompt\.md/.test(path),
  );
  return { root, thoughts, expected: expectedOf(thoughts), settings: settings.sort() };
}

/**
 * Writes files and commits them, as a running FAVA would; `null` removes one. With jj the bookmark follows, as under
 * `push_strategy: immediate`.
 */
export function favaCommit(root: string, files: Readonly<Record<string, string | null>>, jj?: string): void {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(root, path), { force: true });
    else writeFile(root, path, text);
  }
  if (jj !== undefined) {
    runJj(root, jj, ['commit', '-m', 'Save thought']);
    return void runJj(root, jj, ['bookmark', 'set', 'main', '-r', '@-']);
  }
  git(root, ['add', '-A', '--', ...Object.keys(files)]);
  git(root, ['commit', '-q', '-m', 'Save thought']);
}

/** A thought file in FAVA's field order. `fields` replaces or adds top-level lines; `null` leaves one out. */
export function favaThought(facts: {
  readonly id: string;
  readonly status: string;
  readonly author?: string;
  readonly source?: string;
  readonly fields?: Readonly<Record<string, string | null>>;
  readonly tags?: readonly string[];
  /** YAML of `metadata.extra`, indented by four. */
  readonly extra?: string;
  readonly body?: string;
}): string {
  const { id, status, author = 'builder-1', source = 'decision', fields = {}, tags = [], extra, body } = facts;
  const lines: Record<string, string | null> = {
    schema_version: '1',
    thought_id: id,
    parent_id: null,
    superseded_by: null,
    superseded_scope: null,
    supersedes_id: null,
    supersedes_scope: null,
    agent_id: author,
    confidence: '0.8',
    source_type: source,
    validation_status: status,
    intent_ref: null,
    created_at: "'2026-03-30T09:15:27.104233Z'",
    relationships: '[]',
    ...fields,
  };
  const known = Object.entries(lines).flatMap(([name, value]) => (value === null ? [] : [`${name}: ${value}`]));
  const tagLines = tags.length === 0 ? ['  tags: []'] : ['  tags:', ...tags.map((tag) => `  - ${tag}`)];
  const extraLines = extra === undefined ? ['  extra: {}'] : ['  extra:', extra];
  return ['---', ...known, 'metadata:', ...tagLines, ...extraLines, '---', body ?? `What ${id} says.`].join('\n');
}

/** The n-th id of the fixture: 26 Crockford characters. */
export function favaId(n: number): string {
  return `01KD2Q8W5N${String(n).padStart(16, '0')}`;
}

const GATE_06 = `    trust_gate:
      reviewer: llm-oneshot:google/gemini-2.5-flash
      reviewed_at: '2026-03-01T10:00:00.000001+00:00'
      verdict: approve
      reasoning: Useful to a future agent.`;
const GATE_DECISIONS = `    trust_gate:
      reviewer: decisions:~typesafe/jev-latest
      reviewed_at: '2026-10-30T09:16:02.551903+00:00'
      verdict: approve
      reasoning: Score 0.71 is at or above threshold 0.45; the reviewer gives no rationale.
      kind: llm_advisory
      provider: openrouter
      model: typesafe/jev-1.13-20260917
      policy: decisions
      noul_probability: 0.71
      threshold: 0.45
    approval:
      kind: llm_advisory
      actor: decisions:~typesafe/jev-latest
      approved_at: '2026-10-30T09:16:02.551903+00:00'`;
const GATE_HUMAN = `    trust_gate:
      reviewer: human:lead-1
      reviewed_at: '2026-09-20T09:16:02.551903+00:00'
      verdict: approve
      reasoning: ''
      kind: human
    approval:
      kind: human
      actor: human:lead-1
      approved_at: '2026-09-20T09:16:02.551903+00:00'`;
const MIGRATED = `    duplicate_migrations:
    - removed: ${favaId(900)}
      from: acme/ops
      note: null`;

const ENG = 'acme/eng';
const BILLING = 'acme/eng/billing';
const OPS = 'acme/ops';
const GLOBEX = 'globex/research';
const SOLO = 'solo';
const SCOPES = ['acme', ENG, BILLING, OPS, GLOBEX, SOLO];

function favaThoughts(): readonly FavaThought[] {
  const all: FavaThought[] = [];
  type Facts = Partial<Parameters<typeof favaThought>[0]> & {
    readonly text?: string;
    readonly file?: string;
    readonly isReplacedDraft?: true;
  };
  const add = (n: number, place: string, standing: Standing, facts: Facts = {}): void => {
    const { text, file, isReplacedDraft, ...rest } = facts;
    const id = rest.id ?? favaId(n);
    const at = place.lastIndexOf('//');
    const [scope, folder] = [place.slice(0, at), place.slice(at + 2)];
    const status = { governed: 'approved', retired: 'approved', open: 'draft', unreadable: 'draft' };
    const written = favaThought({
      id,
      status: standing === 'error' || standing === 'rejected' ? standing : status[standing],
      ...rest,
    });
    const path = `trails/${scope}/thoughts/${folder}/${file ?? `${id}.md`}`;
    const author = rest.author ?? 'builder-1';
    const isReplaced = isReplacedDraft === true;
    all.push({ path, scope, id, author, standing, isReplacedDraft: isReplaced, text: text ?? written });
  };
  const by = (n: number, rest: Readonly<Record<string, string>> = {}) => ({
    fields: { superseded_by: favaId(n), ...rest },
  });
  // The id exactly as the caller typed it, here without its last character.
  const shortParent = (n: number) => ({ parent_id: favaId(n).slice(0, -1) });

  // 0.5 and 0.6: the back-link is written at once, the successor is a draft in the original's folder, with its gate block.
  add(1, `${ENG}//decisions`, 'governed', { extra: GATE_06 });
  add(2, `${ENG}//decisions`, 'governed', { ...by(3), extra: GATE_06 });
  add(3, `${ENG}//decisions`, 'open', { fields: shortParent(2), extra: GATE_06 });
  add(4, `${ENG}//decisions`, 'retired', { ...by(5), extra: GATE_06 });
  add(5, `${ENG}//decisions`, 'governed', { fields: shortParent(4), extra: GATE_06 });
  add(6, `${ENG}//drafts`, 'open', by(7));
  add(7, `${ENG}//drafts`, 'open', { fields: shortParent(6) });
  add(8, `${BILLING}//observations`, 'governed', { ...by(9), source: 'observation' });
  add(9, `${BILLING}//observations`, 'rejected', { fields: shortParent(8), source: 'observation' });
  add(10, `${ENG}//decisions`, 'governed', by(11));
  add(11, `${OPS}//decisions`, 'open', { fields: { parent_id: favaId(10) }, author: 'builder-2' });
  add(12, `${ENG}//decisions`, 'retired', by(13));
  add(13, `${OPS}//decisions`, 'governed', { fields: { parent_id: favaId(12) } });
  add(14, `${ENG}//drafts`, 'open', { ...by(15), isReplacedDraft: true });
  add(15, `${ENG}//decisions`, 'governed', { fields: shortParent(14) });
  add(16, `${BILLING}//decisions`, 'governed', by(899));
  add(17, `${BILLING}//decisions`, 'governed', { ...by(18), extra: GATE_06 });
  add(18, `${BILLING}//decisions`, 'open', {
    fields: shortParent(17),
    extra: GATE_06,
    author: 'builder-2',
    status: 'proposed',
  });
  // A chain: the middle one was approved, the last one was not.
  add(19, `${BILLING}//decisions`, 'retired', by(20));
  add(20, `${BILLING}//decisions`, 'governed', { ...by(21), extra: GATE_06 });
  add(21, `${BILLING}//decisions`, 'error', { fields: shortParent(20) });

  // Every status, in drafts and elsewhere.
  add(22, 'acme//drafts', 'governed');
  add(23, 'acme//drafts', 'open');
  add(24, 'acme//drafts', 'open', { status: 'proposed' });
  add(25, 'acme//drafts', 'rejected');
  add(26, 'acme//drafts', 'error', { author: 'builder-2' });
  add(27, 'acme//observations', 'open', { status: 'proposed', source: 'observation', author: 'builder-2' });
  add(28, 'acme//decisions', 'open', { author: 'builder-2' });
  add(29, 'acme//intents', 'open', { source: 'inference' });
  add(30, 'acme//intents', 'governed', { source: 'inference' });
  add(31, 'acme//decisions', 'rejected', { author: 'builder-2' });
  add(32, 'acme//decisions', 'error');
  add(33, 'acme//preferences', 'governed', { source: 'user_input' });
  add(34, 'acme//preferences/client', 'governed', { source: 'user_input' });
  add(35, 'acme//preferences/firm', 'governed', { source: 'user_input' });
  add(36, 'acme//preferences/client', 'open', { source: 'user_input', author: 'lead-1' });
  add(37, 'acme//preferences/firm', 'open', { source: 'user_input', author: 'lead-1' });
  add(38, 'acme//observations', 'governed', { source: 'tool_output' });
  add(39, 'acme//observations', 'governed', { source: 'inference' });
  add(40, `${SOLO}//observations`, 'governed', { source: 'observation' });

  // 0.7: links in pairs, written when the successor is approved.
  add(41, `${OPS}//decisions`, 'retired', by(42, { superseded_scope: OPS }));
  add(42, `${OPS}//decisions`, 'governed', {
    fields: { parent_id: favaId(41), supersedes_id: favaId(41), supersedes_scope: OPS },
    extra: GATE_HUMAN,
  });
  add(43, `${OPS}//decisions`, 'governed', { extra: GATE_HUMAN });
  add(44, `${OPS}//drafts`, 'open', {
    fields: { parent_id: favaId(43), supersedes_id: favaId(43), supersedes_scope: OPS },
    author: 'builder-2',
  });
  add(45, `${OPS}//decisions`, 'retired', by(46, { superseded_scope: GLOBEX }));
  add(46, `${GLOBEX}//decisions`, 'governed', {
    fields: { parent_id: favaId(45), supersedes_id: favaId(45), supersedes_scope: OPS },
  });
  add(47, `${OPS}//decisions`, 'governed', by(46, { superseded_scope: SOLO }));
  add(48, `${GLOBEX}//drafts`, 'open', {
    fields: { parent_id: favaId(1), supersedes_id: favaId(1), supersedes_scope: ENG },
    status: 'proposed',
  });

  // An id that occurs twice retires nothing, unless the scope says which one is meant.
  add(49, `${GLOBEX}//observations`, 'governed', { source: 'observation' });
  add(49, `${SOLO}//observations`, 'governed', { source: 'observation' });
  add(50, `${GLOBEX}//decisions`, 'governed', by(49));
  add(51, `${GLOBEX}//decisions`, 'retired', by(49, { superseded_scope: SOLO }));
  add(52, `${GLOBEX}//decisions`, 'governed');
  add(52, `${GLOBEX}//drafts`, 'open');

  // 0.7 to 0.9: what else is written into files.
  add(53, `${BILLING}//decisions`, 'governed', { extra: GATE_DECISIONS });
  add(54, `${BILLING}//decisions`, 'governed', { extra: MIGRATED });
  add(55, `${BILLING}//drafts`, 'rejected', { extra: GATE_DECISIONS.replace('verdict: approve', 'verdict: reject') });
  add(56, `${GLOBEX}//decisions`, 'governed', { fields: { review_state: 'open', 'later key': '[1, two]' } });

  // What people and other tools make of files.
  const crlf = (n: number, status: string) => favaThought({ id: favaId(n), status }).replaceAll('\n', '\r\n');
  add(57, `${SOLO}//decisions`, 'governed', { text: crlf(57, 'approved') });
  add(58, `${SOLO}//drafts`, 'open', { text: crlf(58, 'draft') });
  add(59, `${SOLO}//decisions`, 'governed', { text: `\ufeff${favaThought({ id: favaId(59), status: 'approved' })}` });
  add(60, `${SOLO}//decisions`, 'governed', { tags: ['retries', 'a---b'] });
  add(61, `${SOLO}//decisions`, 'governed', { fields: { created_at: '2026-03-30T09:15:27+02:00', confidence: '1' } });
  add(62, `${SOLO}//decisions`, 'governed', { body: '\n# Title\n\n---\n\nAfter a rule: naïve 日本語 text.\n\n' });
  add(63, `${SOLO}//decisions`, 'governed', { body: '' });
  add(64, `${SOLO}//decisions`, 'governed', {
    fields: { relationships: `\n- type: DEPENDS_ON\n  target_id: ${favaId(1)}\n- type: REFERENCES\n  target_id: gone` },
    extra: '    weight: 0.5\n    nested:\n      none: null\n      list:\n      - 1\n      - on',
  });
  add(65, `${SOLO}//drafts`, 'open', { author: 'Agent With Blanks', fields: { intent_ref: 'docs/intent.md' } });

  // What FAVA skips in silence or finds by no id.
  add(66, `${SOLO}//decisions`, 'unreadable', { fields: { validation_status: 'accepted' } });
  add(67, `${SOLO}//decisions`, 'unreadable', { status: 'approved', fields: { confidence: '1.7' } });
  add(68, `${SOLO}//decisions`, 'unreadable', { status: 'approved', fields: { agent_id: '42' } });
  add(69, `${SOLO}//decisions`, 'unreadable', { status: 'approved', file: `${favaId(70)}.md` });
  add(71, `${SOLO}//decisions`, 'unreadable', { text: 'Only text, no frontmatter.\n' });
  add(72, `${SOLO}//decisions`, 'unreadable', {
    status: 'approved',
    fields: { relationships: '\n- type: LIKES\n  target_id: x' },
  });
  add(73, `${SOLO}//decisions`, 'unreadable', { id: 'notes-of-may', status: 'approved' });
  add(74, `${SOLO}//notes`, 'unreadable', { status: 'approved' });
  return all;
}

const CONFIG = `# Our trails: ask ops before changing anything here.
trails_dir: trails
remote_url: git@example.com:acme/trails.git
push_strategy: manual
trust_gate: decisions
trust_gate_provider: openrouter
trust_gate_model: ~typesafe/jev-latest
trust_gate_decisions_config:
  trust_gate_noul_question: Should this be kept?
  trust_gate_noul_threshold: 0.45
tool_timeout_secs: 300
trails:
  acme/eng:
    name: acme/eng
    stale_draft_days: 30  # never obeyed
hooks: []
`;

/** Everything beside the thoughts. */
function favaFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>([
    ['config.yaml', CONFIG],
    ['.gitignore', '.jj/\n__pycache__/\n*.pyc\n.venv/\n'],
    ['README.md', '# Trails\n'],
    ['CLAUDE.md', '# For agents\n\nRecall before you decide.\n'],
    ['AGENTS.md', '# For agents\n\nRecall before you decide.\n'],
    ['trails/trust-gate-prompt.md', 'Would a future agent find this useful?\n'],
    ['trails/acme/eng/trust-gate-prompt.md', 'Approve engineering decisions with evidence.\n'],
  ]);
  for (const scope of SCOPES) {
    for (const folder of ['decisions', 'observations', 'intents', 'preferences/client', 'preferences/firm', 'drafts']) {
      files.set(`trails/${scope}/thoughts/${folder}/.gitkeep`, '');
    }
    files.set(
      `trails/${scope}/.fava-trails.yaml`,
      `name: ${scope}\ndefault_namespace: drafts\ntrust_gate_policy: llm-oneshot\ngc_interval_snapshots: 500\n` +
        `gc_interval_seconds: 3600\nstale_draft_days: ${scope === OPS ? 14 : 0}\nhooks: []\n`,
    );
  }
  return files;
}

function expectedOf(thoughts: readonly FavaThought[]): ExpectedRecall {
  const names = (chosen: (thought: FavaThought) => boolean) =>
    thoughts
      .filter(chosen)
      .map(({ scope, id }) => `${scope}/${id}`)
      .sort();
  const authors = [...new Set(thoughts.map(({ author }) => author))];
  const isReadable = ({ standing }: FavaThought) => standing !== 'unreadable';
  return {
    governed: names(({ standing }) => standing === 'governed'),
    authoring: Object.fromEntries(
      authors.map((agent) => [agent, names(({ author, standing }) => author === agent && standing === 'open')]),
    ),
    history: names((one) => isReadable(one) && one.standing !== 'retired' && !one.isReplacedDraft),
    historyWithSuperseded: names(isReadable),
  };
}

type Files = ReadonlyMap<string, string>;

function fileOf({ path, text }: FavaThought): readonly [string, string] {
  return [path, text];
}

function commitWithGit(root: string, commits: readonly Files[]): void {
  git(root, ['init', '-q', '-b', 'main']);
  for (const files of commits) {
    for (const [path, text] of files) writeFile(root, path, text);
    git(root, ['add', '-A']);
    git(root, ['commit', '-q', '-m', 'Save thoughts']);
  }
}

function commitWithJj(
  root: string,
  jj: string,
  { commits, bookmark }: { readonly commits: readonly Files[]; readonly bookmark: 'behind' | 'absent' },
): void {
  runJj(root, jj, ['git', 'init', '--colocate']);
  for (const [at, files] of commits.entries()) {
    for (const [path, text] of files) writeFile(root, path, text);
    runJj(root, jj, ['commit', '-m', 'Save thoughts']);
    if (at === 0 && bookmark === 'behind') runJj(root, jj, ['bookmark', 'create', 'main', '-r', '@-']);
  }
}

function writeFile(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The constant author of every FAVA commit. */
const AUTHOR = { name: 'FAVA Trail', email: 'fava@machine-wisdom.ai' };

function git(root: string, args: readonly string[]): void {
  const person = ['-c', `user.name=${AUTHOR.name}`, '-c', `user.email=${AUTHOR.email}`, '-c', 'core.autocrlf=false'];
  const env = { PATH: process.env['PATH'], HOME: dirname(root), LC_ALL: 'C' };
  execFileSync('git', [...person, ...args], { cwd: root, env, stdio: 'pipe' });
}

/** jj needs the git that lies beside it. */
function runJj(root: string, jj: string, args: readonly string[]): string {
  const env = {
    PATH: `${dirname(jj)}:${process.env['PATH']}`,
    HOME: dirname(root),
    JJ_CONFIG: '/dev/null',
    JJ_USER: AUTHOR.name,
    JJ_EMAIL: AUTHOR.email,
  };
  return execFileSync(jj, ['--color=never', '--no-pager', ...args], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}
