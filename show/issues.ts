/** What each issue must show, in its order. */
import { bench } from './bench.ts';
import { freshClone } from './fresh-clone.ts';
import type { Item } from './item.ts';
import { testFiles } from './test-files.ts';

const CORE: readonly Item[] = [
  { title: 'Fresh clone, npm start, the whole flow over HTTP and stdio in both eras', show: freshClone },
  {
    title: 'The 24-record cross product through the MCP handler, with controls',
    show: testFiles('test/cases/cross-product.test.ts'),
  },
  { title: 'Kill matrix: 9 steps x 3 operations x 3 victims', show: testFiles('test/crash/kill-matrix.test.ts') },
  {
    title: 'Outside commits, hand edits, autocrlf, foreign branch, deleted index, held lock',
    show: testFiles(
      'test/crash/outside',
      'test/crash/forged',
      'test/crash/index-lost',
      'test/crash/busy',
      'test/crash/storage',
    ),
  },
  { title: 'Two processes x 100 parallel saves', show: testFiles('test/crash/two-processes.test.ts') },
  {
    title: 'The index against the naive predicate; withheld text changes no order',
    show: testFiles('test/store/index/recall.property.test.ts', 'test/store/index/recall.test.ts'),
  },
  {
    title: 'PyYAML reads every file of a generated record; the example of fava.md 1.2 is byte-equal',
    show: testFiles('test/record/codec', 'test/trail/pyyaml-record.test.ts'),
  },
  { title: "Benchmark figures beside FAVA's", show: bench() },
];

const SURFACE: readonly Item[] = [
  {
    title: 'The whole flow and parallel saves on Jujutsu beside a person; the kill matrix on jj',
    show: testFiles(
      'test/store/jj/jujutsu-store.test.ts',
      'test/crash/jujutsu.test.ts',
      'test/long/kill-matrix-jj.test.ts',
    ),
  },
  {
    title: 'A FAVA repository with the quirks of every version, adopted under git and jj; hostile ones refused by name',
    show: testFiles(
      'test/trail/adopt.test.ts',
      'test/trail/adopt-turns.test.ts',
      'test/trail/adopt-jj.test.ts',
      'test/attack/adopt.test.ts',
      'test/long/huge-blob.test.ts',
    ),
  },
  {
    title: 'Rollback, forget, change_scope and learn_preference through MCP, with history before and after',
    show: testFiles(
      'test/cases/rollback.test.ts',
      'test/cases/forget.test.ts',
      'test/cases/fava-tools.test.ts',
      'test/cases/lifecycle.test.ts',
      'test/trail/rollback.property.test.ts',
    ),
  },
  {
    title: 'Hand edits of config, scope settings, prompt, and keys change nothing and are named; accept',
    show: testFiles(
      'test/cases/governed-settings.test.ts',
      'test/trail/settings-status.test.ts',
      'test/trail/accept.test.ts',
      'test/cli/accept.test.ts',
    ),
  },
  {
    title: 'Every status, event type, setting, argument and flag has a producer and a consumer',
    show: testFiles('test/enumeration.test.ts', 'test/mcp/surface.test.ts'),
  },
  { title: 'Benchmark figures of adoption and Jujutsu', show: bench('Adopt ', 'On Jujutsu: ') },
];

const EVIDENCE: readonly Item[] = [
  {
    title: "The eight behaviours of atrib's scaffold, and every handed fixture, through trace and trace-server",
    show: testFiles('test/trail/trace', 'test/store/mirrors', 'test/long/huge-mirror.test.ts'),
  },
  {
    title: 'Vectors 3.2.4, 3.4.1, 3.4.7, 1.9, 2.11/anchors, delegation-certificates, mcp-extension',
    show: testFiles(
      'test/ledger/edges.test.ts',
      'test/ledger/revocation.test.ts',
      'test/ledger/anchors.test.ts',
      'test/ledger/delegation.test.ts',
      'test/ledger/mcp-extension.test.ts',
    ),
  },
  {
    title: 'Three observations, a decision, approval, supersession: traced by another agent; an event file deleted',
    show: testFiles(
      'test/cases/trace.test.ts',
      'test/cases/causes.test.ts',
      'test/cases/summarize.test.ts',
      'test/cases/remote.test.ts',
      'test/cli/trace.test.ts',
      'test/docs-trace.test.ts',
    ),
  },
  {
    title: 'The tamper matrix: each manipulation its own verdict from both verifiers, beside an untouched record',
    show: testFiles(
      'test/attack/tamper-matrix.test.ts',
      'test/tools/verify-mjs.test.ts',
      'test/cli/verify.test.ts',
      'test/cli/evidence.test.ts',
      'test/attack/revocation.test.ts',
      'test/trail/rotate-key.test.ts',
      'test/trail/restored.test.ts',
    ),
  },
  { title: 'Benchmark figures of trace, mirrors and verify', show: bench('Mirrors: ', 'Verify') },
];

const JUDGEMENT: readonly Item[] = [
  {
    title: 'Gate: every malformed answer, 429, slow, dropped, 401 from a real fake server; the request field by field',
    show: testFiles('test/cases/gate.test.ts', 'test/review', 'test/cli/gate.test.ts'),
  },
  {
    title: 'Human: refused without authority and accepted with it, every agent path listed, changed bytes, hand edits',
    show: testFiles(
      'test/cases/authority.test.ts',
      'test/cases/no-agent-approval.test.ts',
      'test/cases/elicitation.test.ts',
      'test/cases/quarantine.test.ts',
      'test/trail/decide.test.ts',
      'test/trail/quorum',
      'test/cli/review.test.ts',
      'test/cli/key-recovery.test.ts',
    ),
  },
  {
    title: 'Tombstone: reject A, supersede with B, restate A through every writer, after rebuild, restore and clone',
    show: testFiles('test/cases/tombstone.test.ts', 'test/record/normal-value.test.ts', 'test/trail/tombstones'),
  },
  {
    title: 'Two clocks: backfill, late knowledge, out-of-order arrivals, a status replay, with exact sets',
    show: testFiles('test/cases/two-clocks.test.ts', 'test/store/past-indexes.test.ts'),
  },
  {
    title: 'Erasure: thirteen steps from write to proof, the leak probe over every file, purge and find',
    show: testFiles(
      'test/cases/erasure.test.ts',
      'test/trail/erasure',
      'test/attack/erasure.test.ts',
      'test/cli/purge.test.ts',
      'test/trail/find',
    ),
  },
  {
    title: 'The seven marks: mechanism, module, symbol, test, each there; corrected values on every reading surface',
    show: testFiles('test/marks.test.ts', 'test/cases/corrected.test.ts'),
  },
];

const SERVICE: readonly Item[] = [
  {
    title: 'MCP conformance over our HTTP stack: both requirement sets, every scored check; only unscored may fail',
    show: testFiles('test/conformance'),
  },
  {
    title:
      'In a browser: sign-in, find, read, trace, reject, approve, stale refused, hostile text, no script, axe-core',
    show: testFiles('test/browser'),
  },
  {
    title: 'Two principals, one endpoint, 500 interleaved requests; every route x every credential from one table',
    show: testFiles('test/http/isolation.test.ts', 'test/http/routes.test.ts'),
  },
  {
    title: 'waymark serve under load with SIGTERM: no acknowledged save lost; readiness, metrics, logs, traces',
    show: testFiles(
      'test/crash/serve-sigterm.test.ts',
      'test/trail/readiness.test.ts',
      'test/http/watch.test.ts',
      'test/http/request-log.test.ts',
      'test/http/trace-context.test.ts',
    ),
  },
  { title: 'Benchmark figures of callers over HTTP and of pages', show: bench('32 callers over HTTP', 'Page: ') },
];

export const ISSUES: ReadonlyMap<string, readonly Item[]> = new Map([
  ['2', CORE],
  ['3', SURFACE],
  ['4', EVIDENCE],
  ['5', JUDGEMENT],
  ['6', SERVICE],
]);
