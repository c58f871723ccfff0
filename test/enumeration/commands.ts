/** Every argument and flag of every command, but `--json`, which each has (test/cli/exit-codes.test.ts). */
import type { Table } from './entry.ts';

const TOKEN = 'src/cli/commands/token.ts';
const LETS_IN = 'test/cli/token.test.ts: a token is made by an operator';
const RECALL = 'src/cli/commands/recall.ts';
const GET = 'src/cli/commands/get.ts';
const REVIEW = 'src/cli/commands/review.ts';
const NARROWS = 'test/cli/review.test.ts: the flags of review narrow what is listed';
const BY_RULE = 'test/cli/review.test.ts: a verdict by rule shows what it does';
const TRACE = 'src/cli/commands/trace.ts';
const DUPLICATES = 'src/cli/commands/duplicates.ts';
const SETTLES = 'test/cli/duplicates.test.ts: duplicates lists pairs of a scope and settles one';
const KEY = 'src/cli/commands/key.ts';
const END = 'src/cli/commands/key-end.ts';
const TOMBSTONES = 'src/cli/commands/tombstones.ts';
const LISTS = 'test/cli/tombstones.test.ts: a person lists tombstones, renews their key and lifts one';
const ROTATES = 'test/cli/key-end.test.ts: key rotate hands over';
const REVOKES = 'test/cli/key-end.test.ts: key revoke shows what stops counting';
const RECOVERY = 'src/cli/commands/key-recovery.ts';
const RECOVERS = 'test/cli/key-recovery.test.ts: key recover takes a record back';
const FLAGS = 'test/cli/reading-flags.test.ts: every flag of recall changes what it answers';
const TRACES = 'test/cli/trace.test.ts: every flag changes what is answered';
const VIEWS = 'test/cli/reading-flags.test.ts: get opens by id or prefix, in the view asked for';
const HOLDS = 'src/cli/commands/quarantine.ts';
const WITHHOLDS = 'test/cli/quarantine.test.ts: quarantine shows what it would withhold';
const ERASE = 'src/cli/commands/erase.ts';
const ERASES = 'test/cli/erase.test.ts: erase shows what goes, asks, and says what still holds the text';
const EXPORTS = 'src/cli/commands/export-site.ts';
const ENROLS = 'test/cli/review.test.ts: a second operator without enrolment is refused';

export const commandFlags: Table = {
  'init <path>': ['src/cli/commands/init.ts', 'test/cli/init.test.ts: init makes a record in the folder named'],
  'init --recovery': ['src/cli/commands/init.ts', 'test/cli/key-recovery.test.ts: key recover takes a record back'],
  'demo <path>': ['src/cli/commands/demo.ts', 'test/cli/demo.test.ts: refuses a folder that exists'],
  'serve --host': ['src/cli/commands/serve.ts', 'test/cli/doors.test.ts: serve refuses other hosts as usage'],
  'serve --allow-host': ['src/cli/commands/serve.ts', 'test/cli/token.test.ts: --allow-host'],
  'token create --agent': [TOKEN, LETS_IN],
  'token create --role': [TOKEN, LETS_IN],
  'token create --grant': [TOKEN, LETS_IN],
  'token create --expires': [TOKEN, LETS_IN],
  'token create --allow-mcp': [TOKEN, LETS_IN],
  'token create --name': [TOKEN, LETS_IN],
  'token revoke <id>': [TOKEN, LETS_IN],
  'serve --port': ['src/cli/commands/serve.ts', 'test/cli/doors.test.ts: serve refuses other hosts as usage'],
  'desk login --url': ['src/cli/commands/desk.ts', 'test/cli/desk.test.ts: desk login prints a link'],
  'review --scope': [REVIEW, 'test/cli/review.test.ts: without a terminal the queue is printed'],
  'review --author': [REVIEW, NARROWS],
  'review --type': [REVIEW, NARROWS],
  'review --older-than': [REVIEW, NARROWS],
  'review --advice': [REVIEW, NARROWS],
  'review --near-tombstone': [REVIEW, NARROWS],
  'review --all': [REVIEW, BY_RULE],
  'review --verdict': [REVIEW, BY_RULE],
  'review --reason': [REVIEW, BY_RULE],
  'review --grounds': [REVIEW, BY_RULE],
  'duplicates <ids>': [DUPLICATES, SETTLES],
  'duplicates --scope': [DUPLICATES, SETTLES],
  'duplicates --keep': [DUPLICATES, SETTLES],
  'duplicates --reason': [DUPLICATES, SETTLES],
  'recall <query>': [RECALL, FLAGS],
  'recall --scope': [RECALL, FLAGS],
  'recall --mode': [RECALL, FLAGS],
  'recall --status': [RECALL, FLAGS],
  'recall --namespace': [RECALL, FLAGS],
  'recall --project': [RECALL, FLAGS],
  'recall --branch': [RECALL, FLAGS],
  'recall --tag': [RECALL, FLAGS],
  'recall --min-confidence': [RECALL, FLAGS],
  'recall --order': [RECALL, FLAGS],
  'recall --limit': [RECALL, FLAGS],
  'recall --cursor': [RECALL, FLAGS],
  'recall --full': [RECALL, FLAGS],
  'recall --include-superseded': [RECALL, FLAGS],
  'recall --related': [RECALL, FLAGS],
  'recall --valid-at': [RECALL, FLAGS],
  'recall --known-at': [RECALL, FLAGS],
  'get <id>': [GET, VIEWS],
  'get --scope': [GET, VIEWS],
  'get --mode': [GET, VIEWS],
  'get --valid-at': [GET, VIEWS],
  'get --known-at': [GET, VIEWS],
  'trace <id>': [TRACE, TRACES],
  'trace --depth': [TRACE, TRACES],
  'trace --max-nodes': [TRACE, TRACES],
  'trace --forward': [TRACE, TRACES],
  'trace --both': [TRACE, TRACES],
  'trace --follow': [TRACE, TRACES],
  'trace --context': [TRACE, TRACES],
  'trace --content': [TRACE, TRACES],
  'trace --no-verify': ['src/cli/program.ts', TRACES],
  'trace --cursor': [TRACE, TRACES],
  'trace --path-to': [TRACE, 'test/cli/trace.test.ts: --path-to shows the records between'],
  'trace --format': [TRACE, 'test/cli/trace.test.ts: each format is of the same records'],
  'scopes --prefix': ['src/cli/commands/scopes.ts', 'test/cli/exit-codes.test.ts: every reading command succeeds'],
  'key enrol <pubkey>': [KEY, ENROLS],
  'key enrol --agent': [KEY, ENROLS],
  'key enrol --role': [KEY, ENROLS],
  'quarantine --agent': [HOLDS, WITHHOLDS],
  'quarantine --since': [HOLDS, WITHHOLDS],
  'quarantine --reason': [HOLDS, WITHHOLDS],
  'quarantine --dry-run': [HOLDS, WITHHOLDS],
  'key enrol --name': [KEY, ENROLS],
  'key rotate --agent': [END, ROTATES],
  'key rotate --operator': [END, ROTATES],
  'key rotate --owner': [END, ROTATES],
  'key protect --recovery': [RECOVERY, 'test/cli/key-recovery.test.ts: a record without a recovery key'],
  'key recovery <file>': [RECOVERY, 'test/cli/key-recovery.test.ts: a record without a recovery key'],
  'key recover <file>': [RECOVERY, RECOVERS],
  'key recover --since': [RECOVERY, RECOVERS],
  'key recover --yes': [RECOVERY, RECOVERS],
  'key revoke <pubkey>': [END, REVOKES],
  'key revoke --reason': [END, REVOKES],
  'key revoke --size': [END, REVOKES],
  'key revoke --since': [END, REVOKES],
  'key revoke --yes': [END, REVOKES],
  'adopt <path>': ['src/cli/commands/adopt.ts', 'test/cli/adopt.test.ts: a folder may be named'],
  'adopt --dry-run': ['src/cli/commands/adopt.ts', 'test/trail/adopt.test.ts: every thought is reported'],
  'adopt --eol': ['src/cli/commands/adopt.ts', 'test/trail/adopt-turns.test.ts: --eol takes what differs'],
  'verify --records': [
    'src/cli/commands/verify-records.ts',
    'test/cli/verify-records.test.ts: each line of every shape gets an object',
  ],
  'evidence <id>': ['src/cli/commands/evidence.ts', 'test/cli/evidence.test.ts: evidence of a decision is checked'],
  'evidence --out': ['src/cli/commands/evidence.ts', 'test/cli/evidence.test.ts: evidence of a decision is checked'],
  'export site <out>': [EXPORTS, 'test/cli/export-site.test.ts: a copy holds the pages of what the agent may see'],
  'export site --as': [EXPORTS, 'test/cli/export-site.test.ts: flags of export site reach it: a grant narrows'],
  'export site --grant': [EXPORTS, 'test/cli/export-site.test.ts: flags of export site reach it: a grant narrows'],
  'erase <id>': [ERASE, ERASES],
  'erase --reason': [ERASE, ERASES],
  'erase --scope': [ERASE, ERASES],
  'erase --no-tombstone': ['src/cli/program-upkeep.ts', ERASES],
  'erase --dry-run': [ERASE, ERASES],
  'erase --purge-history': [ERASE, 'test/cli/purge.test.ts: erase --purge-history'],
  'mirror --with-content': [
    'src/cli/commands/mirror.ts',
    'test/cli/mirror.test.ts: with content a line is an envelope',
  ],
  'tombstones rotate-key --reason': [TOMBSTONES, LISTS],
  'lift <id>': [TOMBSTONES, LISTS],
  'lift --reason': [TOMBSTONES, LISTS],
  'accept <path>': ['src/cli/commands/accept.ts', 'test/cli/accept.test.ts: accept shows what changes'],
  'find <value>': ['src/cli/commands/find.ts', 'test/trail/find/find.test.ts: find is for operators'],
  'find --everywhere': ['src/cli/commands/find.ts', 'test/trail/find/find.test.ts: find is for operators'],
  'find --exact': ['src/trail/find/find-everywhere.ts', 'test/trail/find/find.test.ts: find names each place'],
  'scan --history': ['src/trail/find/scan.ts', 'test/trail/find/find.test.ts: scan names rule and place'],
  'verify --against': ['src/cli/commands/verify.ts', 'test/cli/verify.test.ts: the export of a whole record'],
  'verify --history': ['src/cli/commands/verify.ts', 'test/cli/verify.test.ts: --history goes on'],
  'checkpoint --export': ['src/cli/commands/checkpoint.ts', 'test/cli/verify.test.ts: the export of a whole record'],
  'import <path>': ['src/cli/commands/import.ts', 'test/cli/import.test.ts: a path that is not there'],
  'import --scope': ['src/cli/commands/import.ts', 'test/cli/import.test.ts: a folder of notes'],
  'import --dry-run': ['src/cli/commands/import.ts', 'test/cli/import.test.ts: a dry run says the same'],
};
