/** Every argument and flag of every command, but `--json`, which each has (test/cli/exit-codes.test.ts). */
import type { Table } from './entry.ts';

const RECALL = 'src/cli/commands/recall.ts';
const GET = 'src/cli/commands/get.ts';
const TRACE = 'src/cli/commands/trace.ts';
const KEY = 'src/cli/commands/key.ts';
const END = 'src/cli/commands/key-end.ts';
const ROTATES = 'test/cli/key-end.test.ts: key rotate hands over';
const REVOKES = 'test/cli/key-end.test.ts: key revoke shows what stops counting';
const FLAGS = 'test/cli/reading-flags.test.ts: every flag of recall changes what it answers';
const TRACES = 'test/cli/trace.test.ts: every flag changes what is answered';
const VIEWS = 'test/cli/reading-flags.test.ts: get opens by id or prefix, in the view asked for';
const ERASE = 'src/cli/commands/erase.ts';
const ERASES = 'test/cli/erase.test.ts: erase shows what goes, asks, and says what still holds the text';
const ENROLS = 'test/cli/review.test.ts: a second operator without enrolment is refused';

export const commandFlags: Table = {
  'init <path>': ['src/cli/commands/init.ts', 'test/cli/init.test.ts: init makes a record in the folder named'],
  'demo <path>': ['src/cli/commands/demo.ts', 'test/cli/demo.test.ts: refuses a folder that exists'],
  'serve --host': ['src/cli/commands/serve.ts', 'test/cli/doors.test.ts: serve refuses other hosts as usage'],
  'serve --port': ['src/cli/commands/serve.ts', 'test/cli/doors.test.ts: serve refuses other hosts as usage'],
  'review --scope': ['src/cli/commands/review.ts', 'test/cli/review.test.ts: without a terminal the queue is printed'],
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
  'get <id>': [GET, VIEWS],
  'get --scope': [GET, VIEWS],
  'get --mode': [GET, VIEWS],
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
  'key enrol --name': [KEY, ENROLS],
  'key rotate --agent': [END, ROTATES],
  'key rotate --operator': [END, ROTATES],
  'key rotate --owner': [END, ROTATES],
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
