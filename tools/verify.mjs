#!/usr/bin/env node
/**
 * Checks a Waymark record, or an evidence folder cut out of one, and says what was done to it.
 *
 *     node verify.mjs [REPOSITORY] [--against FILE] [--owner KEY] [--json]
 *     node verify.mjs --evidence DIR [--owner KEY] [--json]
 *
 * REPOSITORY is the root of a clone (default: here, or the evidence folder this file lies in). FILE is what `waymark
 * checkpoint --export` once wrote; KEY the owner's public key as its holder told you. Without either, a record that was
 * replaced as a whole, or cut before anybody else wrote, cannot be told from an honest one.
 *
 * One file, for auditors: it needs Node 20 and, for a repository, `git` on PATH; it uses no package, no code of Waymark
 * and no network, reads committed bytes and never working files, and changes nothing. It is written from docs/format.md,
 * whose words it uses, and meant to be read from top to bottom.
 *
 * Exit code: 0 nothing found, 1 something was done to the record, 2 usage, 3 it cannot be told. Each finding has one of
 * the verdicts below, or none when it only follows from another that has one.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash, createHmac, createPublicKey, verify } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Limits of docs/format.md. Whatever is larger or deeper is not read, so that no file can exhaust this program. */
const MAX_EVENT_BYTES = 256 * 1024;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_LEVELS = 64;
/** How far an event may be dated ahead of this machine's clock. */
const MAX_AHEAD_MS = 5 * 60_000;
/** Of an exported or evidence file. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;

const UNKNOWN_PAST = 'Nothing here remembers an earlier state: a cut before today cannot be told';

// --- What was found --------------------------------------------------------------------------------------------------

class Report {
  findings = [];
  notes = [];
  checked = { events: 0, thoughts: 0, logs: 0 };

  /** @param verdict one of the thirteen names, or `null` for what follows from another finding. */
  add(verdict, code, path, message) {
    this.findings.push({ ...(verdict === null ? {} : { verdict }), code, path, message });
  }

  get verdicts() {
    const found = new Set(this.findings.flatMap(({ verdict }) => verdict ?? []));
    // What only follows from another finding, and from none, is not understood: nothing is vouched for.
    if (found.size === 0 && this.findings.length > 0) found.add('cannot_tell');
    return [...found].sort();
  }

  get exitCode() {
    if (this.verdicts.length === 0) return 0;
    return this.verdicts.join() === 'cannot_tell' ? 3 : 1;
  }
}

/** What keeps this program from judging at all; becomes `cannot_tell`. */
class CannotTell extends Error {}

// --- Text, JSON, base64url -------------------------------------------------------------------------------------------

/** The text, or `null` when the bytes are not UTF-8. A byte order mark stays. */
function utf8(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The bytes behind base64url text, `null` unless it is the one spelling of them. */
function fromBase64url(text) {
  if (typeof text !== 'string') return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Deepest nesting of a JSON text. Counted first: the platform's parser and ours below recurse. */
function depthOf(text) {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') deepest = Math.max(deepest, ++depth);
    else if (char === '}' || char === ']') depth -= 1;
  }
  return deepest;
}

/** The value of a JSON text, `undefined` when it is none. */
function parseJson(text) {
  if (text === null || depthOf(text) > MAX_LEVELS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * RFC 8785: members sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. Throws for what it cannot
 * express: a lone surrogate, a number beyond a double.
 */
function jcs(value) {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new TypeError('a lone surrogate');
    return JSON.stringify(value);
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('a number that is not finite');
  if (Array.isArray(value)) return `[${value.map(jcs).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${jcs(key)}:${jcs(value[key])}`).join(',')}}`;
}

// --- Hashes and signatures -------------------------------------------------------------------------------------------

function sha256(...parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** `sha256:` and hex of a value's JCS: record hashes and `args_hash`. */
function hashOf(value) {
  return `sha256:${sha256(jcs(value)).toString('hex')}`;
}

function isHash(value) {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}

function isPublicKey(value) {
  return fromBase64url(value)?.length === 32;
}

/** Ed25519 over raw keys: false also for a key or signature of another form. */
function isSignedBy(key, bytes, signature) {
  if (!isPublicKey(key) || signature?.length !== 64) return false;
  try {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
    return verify(null, bytes, publicKey, signature);
  } catch {
    return false;
  }
}

/** A log is named by its key: 16 hex digits. */
function logOf(key) {
  return sha256(fromBase64url(key)).toString('hex', 0, 8);
}

/** A repository is named by its owner's key: 32 hex digits. */
function repositoryOf(ownerKey) {
  return sha256(fromBase64url(ownerKey)).toString('hex', 0, 16);
}

/** Digests in a sidecar: HMAC-SHA256 under its nonce, hex. */
function digestUnder(nonce, bytes) {
  return createHmac('sha256', fromBase64url(nonce)).update(bytes).digest('hex');
}

// --- Trees and checkpoints -------------------------------------------------------------------------------------------

const TYPE_BYTES = new Map(
  Object.entries({ tool_call: 1, transaction: 2, observation: 3, directory_anchor: 4, annotation: 5, revision: 6 }).map(
    ([name, byte]) => [`https://atrib.dev/v1/types/${name}`, byte],
  ),
);

/** RFC 6962 leaf over the 90-byte entry of a record. */
function leafOf(record, hash) {
  const timestamp = Buffer.alloc(8);
  timestamp.writeBigUInt64BE(BigInt(record.timestamp));
  return sha256(
    Uint8Array.of(0x00, 0x01),
    Buffer.from(hash.slice('sha256:'.length), 'hex'),
    fromBase64url(record.creator_key),
    Buffer.from(record.context_id, 'hex'),
    timestamp,
    Uint8Array.of(TYPE_BYTES.get(record.event_type) ?? 0xff),
  );
}

function nodeOf(left, right) {
  return sha256(Uint8Array.of(0x01), left, right);
}

/** Root of a tree: each level pairs neighbours, and an odd last one moves up as it is (RFC 9162 2.1.1). */
function rootOf(leaves) {
  if (leaves.length === 0) return sha256();
  let level = leaves;
  while (level.length > 1) {
    const above = [];
    for (let at = 0; at < level.length; at += 2) {
      above.push(at + 1 < level.length ? nodeOf(level[at], level[at + 1]) : level[at]);
    }
    level = above;
  }
  return level[0];
}

/** The root that an inclusion path leads to (RFC 9162 2.1.3.2), `null` when the path does not fit the tree. */
function rootOfPath(leaf, index, size, path) {
  if (index >= size) return null;
  let node = leaf;
  let [at, last] = [index, size - 1];
  for (const sibling of path) {
    if (last === 0) return null;
    if (at % 2 === 1 || at === last) {
      node = nodeOf(sibling, node);
      while (at % 2 === 0 && at !== 0) [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
    } else {
      node = nodeOf(node, sibling);
    }
    [at, last] = [Math.floor(at / 2), Math.floor(last / 2)];
  }
  return last === 0 ? node : null;
}

/**
 * A C2SP signed note of three body lines. Answers `{size, root}`, or `{problem}` in words. Signatures of others
 * (witnesses) are passed over; the log's own must be there and hold.
 */
function readCheckpoint(text, repository, key) {
  const origin = `waymark/${repository}/${logOf(key)}`;
  const split = text === null ? -1 : text.indexOf('\n\n');
  if (split < 0 || text.length > 16 * 1024 || !text.endsWith('\n')) return { problem: 'it has no body and signatures' };
  const body = text.slice(0, split + 1);
  const [name, size, root, ...more] = body.slice(0, -1).split('\n');
  const rootBytes = Buffer.from(root ?? '', 'base64');
  if (more.length > 0 || !/^(0|[1-9][0-9]{0,15})$/.test(size ?? '') || !Number.isSafeInteger(Number(size)))
    return { problem: 'its body is not three lines' };
  if (rootBytes.length !== 32 || rootBytes.toString('base64') !== root) return { problem: 'its root is no hash' };
  if (name !== origin) return { problem: 'it is of another log or repository' };
  const id = sha256(`${origin}\n`, Uint8Array.of(0x01), fromBase64url(key)).subarray(0, 4);
  let signed = false;
  for (const line of text.slice(split + 2, -1).split('\n')) {
    const [, signer, encoded] = /^\u2014 (\S+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
    if (signer === undefined) return { problem: 'a signature line is not one' };
    const bytes = Buffer.from(encoded, 'base64');
    if (signer !== origin || !bytes.subarray(0, 4).equals(id)) continue;
    if (!isSignedBy(key, Buffer.from(body), bytes.subarray(4))) return { problem: 'its signature does not hold' };
    signed = true;
  }
  return signed ? { size: Number(size), root: rootBytes } : { problem: 'the key of the log did not sign it' };
}

// --- git -------------------------------------------------------------------------------------------------------------

/** Settings that outrank the repository's own: nothing it holds may start a program, fetch, or show another object. */
const GIT_SETTINGS = [
  'safe.directory=*',
  `core.hooksPath=${devNull}`,
  'core.fsmonitor=false',
  'core.quotePath=false',
  'protocol.allow=never',
  'gc.auto=0',
  'maintenance.auto=false',
].flatMap((setting) => ['-c', setting]);

/** Built, not inherited, so that neither this machine's settings nor a committed program take part. */
function gitEnvironment(root) {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  return {
    PATH: path.join(delimiter),
    ...(process.env.SystemRoot === undefined ? {} : { SystemRoot: process.env.SystemRoot }),
    LC_ALL: 'C',
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: devNull,
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
    GIT_CEILING_DIRECTORIES: dirname(root),
  };
}

/** What git prints, `null` when it refuses. */
function git(root, ...args) {
  const options = { cwd: root, env: gitEnvironment(root), maxBuffer: 1024 * 1024 * 1024 };
  const { error, status, stdout } = spawnSync('git', [...GIT_SETTINGS, ...args], options);
  if (error !== undefined) throw new CannotTell(`git cannot be run: ${error.message}`);
  return status === 0 ? stdout : null;
}

/** Every file of a commit: `{path, mode, blob}`, in the order of git. */
function listTree(root, commit) {
  const out = git(root, 'ls-tree', '-r', '-z', '--full-tree', commit);
  if (out === null) throw new CannotTell(`Commit ${commit} cannot be listed`);
  const entries = [];
  for (let start = 0; start < out.length; ) {
    const end = out.indexOf(0, start);
    const line = out.toString('utf8', start, end);
    const [mode, , blob] = line.slice(0, line.indexOf('\t')).split(' ');
    entries.push({ path: line.slice(line.indexOf('\t') + 1), mode, blob });
    start = end + 1;
  }
  return entries;
}

/**
 * Bytes of blobs in the order asked for; `null` for one that is not here. Of a blob longer than a file of a record may be,
 * one byte more than that, so that everybody sees it is too long and nobody has to hold it.
 */
async function* readBlobs(root, blobs) {
  if (blobs.length === 0) return;
  const options = { cwd: root, env: gitEnvironment(root), stdio: ['pipe', 'pipe', 'ignore'] };
  const child = spawn('git', [...GIT_SETTINGS, 'cat-file', '--batch', '--buffer'], options);
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.stdin.end(`${blobs.join('\n')}\n`);
  const KEPT = MAX_FILE_BYTES + 1;
  let [count, waiting, chunks, bytes] = [0, null, [], 0];
  for await (const chunk of child.stdout) {
    let at = 0;
    while (at < chunk.length) {
      if (waiting === null) {
        // A header: `<id> blob <size>`, or `<id> missing`.
        const end = chunk.indexOf(0x0a, at);
        chunks.push(chunk.subarray(at, end < 0 ? chunk.length : end));
        at = end < 0 ? chunk.length : end + 1;
        if (end < 0) continue;
        const [, type, size] = Buffer.concat(chunks).toString('latin1').split(' ');
        [chunks, bytes] = [[], 0];
        if (size === undefined) {
          count += 1;
          yield null;
        } else waiting = { isBlob: type === 'blob', left: Number(size) + 1 };
        continue;
      }
      // The bytes and the line end after them.
      const taken = chunk.subarray(at, at + waiting.left);
      const kept = taken.subarray(0, Math.max(0, Math.min(KEPT - bytes, waiting.left - 1)));
      chunks.push(kept);
      bytes += kept.length;
      waiting.left -= taken.length;
      at += taken.length;
      if (waiting.left > 0) continue;
      const answer = waiting.isBlob ? Buffer.concat(chunks) : null;
      [count, waiting, chunks, bytes] = [count + 1, null, [], 0];
      yield answer;
    }
  }
  if (count < blobs.length) throw new CannotTell(`git read ${count} of ${blobs.length} objects and ended`);
}

/** `[entry, bytes]` of many files. */
async function* readEntries(root, entries) {
  let at = 0;
  for await (const bytes of readBlobs(
    root,
    entries.map(({ blob }) => blob),
  )) {
    yield [entries[at], bytes];
    at += 1;
  }
}

// --- One event -------------------------------------------------------------------------------------------------------

const ROLES = ['agent', 'reviewer', 'operator', 'owner', 'recovery', 'service'];
const STATUSES = ['draft', 'proposed', 'approved', 'rejected', 'error', 'tombstoned'];
const VERBS = [
  ...['init', 'enrol', 'protect', 'revoke', 'rotate', 'restored', 'adopt', 'accept', 'start', 'save', 'update'],
  ...['propose', 'approve', 'reject', 'request_changes', 'error', 'forget', 'supersede', 'change_scope', 'rollback'],
  ...['advise', 'vote', 'keep_out', 'lift', 'erase', 'purge', 'quarantine', 'recover', 'merge', 'keep_both', 'deny'],
];
const GROUNDS = ['false', 'harmful', 'outdated', 'duplicate', 'unclear', 'other'];
const REVOCATION_REASONS = ['rotation', 'retirement', 'compromise'];

const isText = (value) => typeof value === 'string';
const isHex = (length) => (value) => isText(value) && value.length === length && /^[0-9a-f]*$/.test(value);
const isCount = (max) => (value) => Number.isSafeInteger(value) && value >= 0 && value <= max;
const isOneOf = (values) => (value) => values.includes(value);
const isNullOr = (check) => (value) => value === null || check(value);
const isListOf = (check) => (value) => Array.isArray(value) && value.every(check);
const isBytes = (least, most) => (value) => {
  const length = fromBase64url(value)?.length ?? -1;
  return length >= least && length <= most;
};
const isListOfText = isListOf(isText);
const isAgentId = (value) => isText(value) && /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/.test(value);
const isRoot = (value) => isText(value) && /^[A-Za-z0-9+/]{43}=$/.test(value);
const isProtection = isOneOf(['none', 'scrypt']);

/** Whether an object has the required members and those optional ones it has are well formed; others are left alone. */
const isShape =
  (required, optional = {}) =>
  (value) =>
    isObject(value) &&
    Object.entries(required).every(([name, check]) => Object.hasOwn(value, name) && check(value[name])) &&
    Object.entries(optional).every(([name, check]) => !Object.hasOwn(value, name) || check(value[name]));

const ENROLMENT = isShape(
  { key: isPublicKey, agent_id: isAgentId, role: isOneOf(ROLES), protection: isProtection },
  { name: isText },
);
const REVOCATION = isShape(
  { key: isPublicKey, size: isCount(0xffffffff), reason: isOneOf(REVOCATION_REASONS) },
  { successor: isPublicKey, proof: isBytes(64, 64) },
);
const RESTORED = isShape({ log: isHex(16), size: isCount(0xffffffff), root: isRoot, found: isCount(0xffffffff) });
const QUARANTINE = isShape({ agent_id: isAgentId, since: isCount(8.64e15) });
const FILE_CHANGE = isShape(
  { path: (value) => isText(value) && value !== '', before: isNullOr(isHex(64)), after: isNullOr(isHex(64)) },
  { thought_id: isText, status: isOneOf(STATUSES) },
);
/** For whom a service signs. */
const ATTESTED = isShape({
  ...{ agent_id: isAgentId, role: isOneOf(['reviewer', 'operator']), method: isOneOf(['token', 'oauth', 'link']) },
  session: (value) => isText(value) && /^[A-Za-z0-9_-]{1,64}$/.test(value),
});
const OF_THOUGHTS = ['agent', 'reviewer', 'operator', 'service'];
/** What an erasure leaves of a sidecar. */
const SKELETON = isShape(
  { record: isHash, verb: isOneOf(VERBS), agent_id: isAgentId, role: isOneOf(OF_THOUGHTS) },
  {
    attested: ATTESTED,
    ...{ via: isText, scope: isText, thought_id: isText, status: isOneOf(STATUSES), self: (value) => value === true },
    ...{ kind: isOneOf(['human', 'llm_advisory']), protection: isProtection, enrolment: ENROLMENT },
    files: isListOf(
      isShape(
        { path: (value) => isText(value) && value !== '' },
        { thought_id: isText, status: isOneOf(STATUSES), after: isNullOr(isHex(64)) },
      ),
    ),
  },
);
const REVIEW = isShape(
  { policy: isText, model: isText, prompt: isHash, verdict: isOneOf(['approve', 'reject', 'error']) },
  { error: isText },
);
const DENIAL = isShape(
  { rule: isText, verb: isText, count: (value) => isCount(Number.MAX_SAFE_INTEGER)(value) && value > 0 },
  { field: isText },
);
const SIDECAR = isShape(
  { producer: isText, verb: isOneOf(VERBS), nonce: isBytes(32, 32), agent_id: isAgentId, role: isOneOf(ROLES) },
  {
    ...{ via: isText, scope: isText, thought_id: isText, reason: isText, author: isText },
    ...{ status: isOneOf(STATUSES), files: isListOf(FILE_CHANGE), claim: isHex(64), self: (value) => value === true },
    ...{ kind: isOneOf(['human', 'llm_advisory']), protection: isProtection, enrolment: ENROLMENT },
    ...{
      attested: ATTESTED,
      revocation: REVOCATION,
      restored: RESTORED,
      review: REVIEW,
      quarantine: QUARANTINE,
      erased: isListOf(SKELETON),
      erased_by: () => false,
      purge: isShape({ old_head: isHex(40), new_head: isHex(40) }),
      denial: DENIAL,
      idempotency: isShape({ key: isText, input: isHex(64) }),
    },
    ...{ unresolved: isListOfText, near_tombstone: isListOfText, tombstone: isText, beside: isText },
    grounds: isOneOf(GROUNDS),
  },
);
const POSITION = isShape({
  log: isHex(16),
  seq: isCount(0xffffffff),
  prev: isNullOr(isHash),
  seen: isNullOr(isHash),
});

const ATRIB_TYPES = 'https://atrib.dev/v1/types/';
/** Milliseconds of what a timestamp may be rounded to. */
const UNIT_MS = { ms: 1, s: 1000, min: 60_000, h: 3_600_000, d: 86_400_000 };

/** An absolute URI without fragment, and of http with a host. */
function isEventType(value) {
  if (!isText(value) || Buffer.byteLength(value) > 256) return false;
  return (
    /^[A-Za-z][A-Za-z0-9+.-]*:[^\s#]+$/.test(value) && (!/^https?:/i.test(value) || /^https?:\/\/[^/?]/i.test(value))
  );
}

/** Members of an atrib/1.0 record, alone; what they must be together is in {@link isWellFormed}. */
const RECORD = isShape(
  {
    spec_version: (value) => value === 'atrib/1.0',
    content_id: isHash,
    creator_key: isPublicKey,
    chain_root: isHash,
    event_type: isEventType,
    context_id: isHex(32),
    timestamp: isCount(Number.MAX_SAFE_INTEGER),
    signature: isBytes(64, 64),
    waymark: POSITION,
  },
  {
    ...{
      annotates: isHash,
      revises: isHash,
      checkpoint: isObject,
      timestamp_granularity: (unit) => isText(unit) && Object.hasOwn(UNIT_MS, unit),
    },
    ...{ revoked_key: isText, revocation_reason: isText, successor_key: isText },
    ...{ args_hash: isHash, result_hash: isHash, delegation_cert_hash: isHash },
    ...{ args_salt: isBytes(16, 65536), result_salt: isBytes(16, 65536), provenance_token: isBytes(16, 16) },
    ...{ tool_name: isText, session_token: isText, signers: () => false },
    informed_by: (value) => isListOf(isHash)(value) && value.length > 0 && isRising(value),
  },
);

function isRising(texts) {
  return texts.every((text, at) => at === 0 || text > texts[at - 1]);
}

/** Rules over several members: some stand only and always on their types, some at the start of a context only. */
function isWellFormed(record) {
  if (!RECORD(record)) return false;
  const { event_type, chain_root, context_id, timestamp, timestamp_granularity: unit = 'ms' } = record;
  const isFirstOfContext = chain_root === `sha256:${sha256(context_id).toString('hex')}`;
  const belongs = Object.entries({ annotates: 'annotation', revises: 'revision', checkpoint: 'session_checkpoint' });
  return (
    belongs.every(([member, type]) => Object.hasOwn(record, member) === (event_type === ATRIB_TYPES + type)) &&
    timestamp % UNIT_MS[unit] === 0 &&
    (isFirstOfContext || !Object.hasOwn(record, 'provenance_token')) &&
    (isFirstOfContext ||
      event_type === `${ATRIB_TYPES}key_revocation` ||
      !Object.hasOwn(record, 'delegation_cert_hash'))
  );
}

/** Whether the record itself says of a key what its sidecar does. */
function statesRevocation(record, revocation) {
  return (
    revocation !== undefined &&
    record.event_type === `${ATRIB_TYPES}key_revocation` &&
    record.revoked_key === revocation.key &&
    record.revocation_reason === revocation.reason &&
    record.successor_key === revocation.successor
  );
}

/** Whether the key that takes over signed so itself. */
function isProvedBySuccessor({ key, successor, proof }) {
  if (proof === undefined) return false;
  return isSignedBy(successor, Buffer.from(`waymark/hand-over\n${key}\n${successor}\n`), fromBase64url(proof));
}

/**
 * Reads one event line. Answers `{problem}` in words when it is none, or none that its own key signed (then also what it
 * says its place is); else what the rest of this program needs: `hash`, `key`, `log`, `seq` (as the record says),
 * `timestamp`, `prev`, `seen`, `leaf` and `local`, the sidecar, which is `null` when it is not the one that was signed.
 * Where there is none at all, `bare` is what a skeleton must fit.
 */
function readEvent(bytes) {
  if (bytes === null) return { problem: 'The object is not in the repository', isMissing: true };
  if (bytes.length > MAX_EVENT_BYTES) return { problem: 'The event is too long' };
  const text = utf8(bytes);
  const end = text?.indexOf('\n') ?? -1;
  if (text === null || (end >= 0 && end < text.length - 1)) return { problem: 'The file is not one line of UTF-8' };
  const envelope = parseJson(text);
  if (envelope === undefined) return { problem: 'The line is not JSON' };
  if (!isObject(envelope) || !isWellFormed(envelope.record)) return { problem: 'The record is malformed' };
  const { record, _local: local } = envelope;
  try {
    const { signature, ...unsigned } = record;
    const { log, seq, prev, seen } = record.waymark;
    if (!isSignedBy(record.creator_key, Buffer.from(jcs(unsigned)), fromBase64url(signature))) {
      return { problem: 'The record is not what its key signed', says: { log, seq, key: record.creator_key } };
    }
    const hash = hashOf(record);
    const isBound = SIDECAR(local) && hashOf(local) === record.args_hash;
    const { creator_key: key, timestamp } = record;
    return {
      ...{ hash, key, log, seq, timestamp, prev, seen, leaf: leafOf(record, hash) },
      statesRevocation: isBound && statesRevocation(record, local.revocation),
      local: isBound ? local : null,
      bare: local === undefined ? { type: record.event_type, content: record.content_id } : null,
    };
  } catch {
    return { problem: 'The line holds what RFC 8785 JSON cannot express' };
  }
}

// --- Erasure ---------------------------------------------------------------------------------------------------------

const VERDICT_VERBS = ['approve', 'reject', 'request_changes'];
const SAVING_VERBS = ['save', 'supersede', 'change_scope'];
/** Verbs whose sidecars an erasure may take away: about thoughts, and giving no authority. */
const ERASABLE = [
  ...[...SAVING_VERBS, ...VERDICT_VERBS, 'adopt', 'update', 'propose', 'error', 'forget', 'rollback', 'advise', 'vote'],
  ...['erase', 'merge', 'keep_both'],
];

const isThoughtId = (value) => isText(value) && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(value);

/** The thought that a sidecar erases, `null` when it is none of an operator's erasure. */
function erasedThoughtOf({ verb, role, thought_id }) {
  return verb === 'erase' && role === 'operator' && isThoughtId(thought_id) ? thought_id : null;
}

function isFileOf({ path, thought_id }, id) {
  return thought_id === id || thoughtPlaceOf(path)?.id === id;
}

/** Whether event type and content id of a record are those of the verb. */
function isTypeOf(verb, { type, content }) {
  const idOf = (text) => `sha256:${sha256(text).toString('hex')}`;
  const kinds = VERDICT_VERBS.includes(verb) ? ['annotation', 'revision'] : ['observation'];
  if (!VERDICT_VERBS.includes(verb) && !SAVING_VERBS.includes(verb))
    return type === `urn:waymark:event:${verb}` && content === idOf(`mcp://waymark:${verb}`);
  return kinds.some((kind) => type === `${ATRIB_TYPES}${kind}` && content === idOf(`mcp://atrib-emit:${kind}`));
}

/** Whether a skeleton may stand in the place of an event's sidecar. */
function mayStandFor({ verb, enrolment, thought_id, files = [] }, event, erased) {
  const isAbout = thought_id === erased || files.some((file) => isFileOf(file, erased));
  const enrolsItself =
    enrolment === undefined || (enrolment.key === event.key && enrolment.role === 'agent' && event.seq === 0);
  const revealsNothing = files.every(
    (file) => !isGoverned(file.path) && (verb === 'erase' || !isText(file.after) || !isFileOf(file, erased)),
  );
  return ERASABLE.includes(verb) && isAbout && enrolsItself && revealsNothing && isTypeOf(verb, event.bare);
}

/** Sound events of operators that erase. Whether they count is known only once all before them is judged. */
function erasersAmong(events, now) {
  return events.filter(({ local, timestamp }) => {
    return local !== null && erasedThoughtOf(local) !== null && timestamp <= now + MAX_AHEAD_MS;
  });
}

/** Puts in the place of each missing sidecar what the newest of these events that may says of it; else nothing. */
function putSkeletons(events, erasers) {
  const stated = new Map();
  for (const eraser of erasers)
    for (const skeleton of eraser.local.erased ?? [])
      stated.set(skeleton.record, [...(stated.get(skeleton.record) ?? []), { skeleton, eraser }]);
  for (const event of events) {
    if (event.bare === null) continue;
    const fitting = (stated.get(event.hash) ?? []).filter(({ skeleton, eraser }) =>
      mayStandFor(skeleton, event, eraser.local.thought_id),
    );
    const newest = fitting.reduce(
      (best, one) => (best === null || isBefore(best.eraser, one.eraser) ? one : best),
      null,
    );
    event.local = newest === null ? null : standIn(newest);
  }
}

/** The sidecar as far as it is known; its digests are under the nonce of the erasure. */
function standIn({ skeleton, eraser }) {
  const { record, files, ...said } = skeleton;
  const known = files?.map(({ after = '', ...file }) => ({ ...file, before: '', after }));
  return { ...said, nonce: eraser.local.nonce, isErased: true, ...(known === undefined ? {} : { files: known }) };
}

/**
 * Judges with what all erasures state, and again without those that then do not count, until every one does. `judgeAll`
 * answers the authority it ends with.
 */
function judgeErased(report, { events, now, judgeAll }) {
  let erasers = erasersAmong(events, now);
  const before = report.findings.length;
  for (;;) {
    putSkeletons(events, erasers);
    const judged = judgeAll();
    const counting = erasers.filter(({ hash }) => judged.authority.erasing.has(hash));
    if (counting.length === erasers.length) {
      const count = events.filter(({ local }) => local?.isErased).length;
      if (count > 0)
        report.notes.push(`Sidecars erased: ${count}; what stands for them is the word of the operator who erased`);
      return judged;
    }
    erasers = counting;
    report.findings.length = before;
  }
}

// --- Logs: sequence, chain, tree -------------------------------------------------------------------------------------

function eventPath(log, seq) {
  const hex = seq.toString(16).padStart(8, '0');
  return `ledger/${log}/${hex.slice(0, 4)}/${hex.slice(4, 6)}/${hex.slice(6)}.jsonl`;
}

/** The log and number a path names, `null` when it names none. */
function placeOf(path) {
  const [, log, ...digits] =
    /^ledger\/([0-9a-f]{16})\/([0-9a-f]{4})\/([0-9a-f]{2})\/([0-9a-f]{2})\.jsonl$/.exec(path) ?? [];
  return log === undefined ? null : { log, seq: Number.parseInt(digits.join(''), 16) };
}

/** The name of the log whose checkpoint the path is, else `null`. */
function checkpointLogOf(path) {
  return /^ledger\/([0-9a-f]{16})\/checkpoint$/.exec(path)?.[1] ?? null;
}

const UNCHECKED_LOG = { signed: null, last: -1, isDamaged: false, isFirstLost: false };

/** What is read of one `ledger/<log>`; `files` by the number in the path. */
function newLog(name) {
  return { name, files: new Map(), checkpoint: null, key: null, isFounding: false, ...UNCHECKED_LOG };
}

/** Whether the file at its place is the log's own record of that number. */
function isInPlace(file) {
  const { event, log, seq } = file;
  return event !== null && event.log === log && event.seq === seq && logOf(event.key) === log;
}

/** Whether the file holds a record of its log, by its key, that states another place in it. */
function isDisplaced({ event, log, seq }) {
  return event !== null && event.log === log && logOf(event.key) === log && event.seq !== seq;
}

/** Whether nothing that the log's key signed could stand at the file's place. */
function isBeyond(file, log) {
  return file.seq > log.last || (log.signed !== null && file.seq >= log.signed.size);
}

/** Why a file is not the sound event of its place: `[verdict, message]`, `null` when it is. */
function faultOfFile(file, log) {
  const { event, problem, says } = file;
  if (file.isMissing) return ['cannot_tell', problem];
  if (event === null) {
    const isOwn =
      says === undefined || (says.log === file.log && says.seq === file.seq && logOf(says.key) === file.log);
    return isOwn || !isBeyond(file, log) ? ['edited', problem] : ['inserted', 'The record is not of this log'];
  }
  if (isInPlace(file)) return event.local === null ? ['edited', 'The sidecar is not the one that was signed'] : null;
  if (event.log === file.log && event.seq === file.seq) return ['re_signed', 'Another key signed this record'];
  const home = log.files.get(event.seq);
  // Its own place is empty, or holds what does not belong there either.
  const isMoved = isDisplaced(file) && (home === undefined || (home.event !== null && !isInPlace(home)));
  if (isMoved) return ['reordered', `This is record ${event.seq} of its log, in the place of another`];
  return ['inserted', `This is record ${event.seq} of log ${event.log}, which does not belong here`];
}

/** Checks one log; fills in what later steps ask of it. */
function checkLog(report, log, repository, now) {
  const path = `ledger/${log.name}/checkpoint`;
  const files = [...log.files.values()].sort((a, b) => a.seq - b.seq);
  log.key = files.find(({ event }) => event !== null && logOf(event.key) === log.name)?.event.key ?? log.key;
  const read = log.checkpoint === null || log.key === null ? null : readCheckpoint(log.checkpoint, repository, log.key);
  if (read !== null && read.problem === undefined) log.signed = read;
  const isOurs = (file) => isInPlace(file) || (log.signed !== null && file.seq < log.signed.size);
  log.last = files.findLast(isOurs)?.seq ?? -1;

  for (const file of files) {
    const fault = faultOfFile(file, log);
    if (fault === null) continue;
    file.verdict = fault[0];
    report.add(fault[0], `event_${fault[0]}`, file.path, fault[1]);
    if (fault[0] === 'reordered' || !isBeyond(file, log)) log.isDamaged = true;
  }
  for (const file of files) checkChain(report, log, file, now);
  checkGaps(report, log, files);
  const size = log.last + 1;
  if (!log.isDamaged && log.signed !== null && log.signed.size > size) {
    report.add('cut_tail', 'log_cut', path, `The checkpoint is of ${log.signed.size} events, and the log of ${size}`);
    log.isDamaged = true;
  }
  log.isFirstLost = log.files.get(0)?.verdict !== undefined || !log.files.has(0);
  checkCheckpoint(report, log, { path, read, size });
}

/** Names each run of numbers that no file has although a later one is there. A record that only moved is named there. */
function checkGaps(report, log, files) {
  const moved = new Set(files.filter(isDisplaced).map(({ event }) => event.seq));
  let next = 0;
  for (const { seq } of files.filter((file) => file.seq <= log.last)) {
    if (seq > next && !(seq === next + 1 && moved.has(next))) {
      const which = seq === next + 1 ? `Event ${next} is` : `Events ${next} to ${seq - 1} are`;
      report.add('removed', 'event_removed', eventPath(log.name, next), `${which} gone, and later ones are there`);
      log.isDamaged = true;
    }
    next = seq + 1;
  }
}

/** A sound event must name the one before it; past the end of what the key signed it does not belong. */
function checkChain(report, log, file, now) {
  if (file.verdict !== undefined) return;
  const before = log.files.get(file.seq - 1);
  const isJudged = file.seq === 0 || (before !== undefined && isInPlace(before));
  if (isJudged && file.event.prev !== (before?.event.hash ?? null)) {
    file.verdict = 'forked';
    log.isDamaged = true;
    report.add('forked', 'event_out_of_chain', file.path, 'The event names another record as the one before it');
  }
  if (file.event.timestamp > now + MAX_AHEAD_MS) {
    file.isAhead = true;
    report.add('cannot_tell', 'timestamp_in_future', file.path, "It is dated after this machine's clock");
  }
}

function checkCheckpoint(report, log, { path, read, size }) {
  if (size === 0) {
    // What stands there of other logs is named by itself.
    if (log.files.size > 0 || (log.checkpoint === null && !log.isFounding)) return;
    const which = log.checkpoint === null ? 'The record began in this log' : 'The checkpoint is there';
    report.add('cut_tail', 'log_cut', path, `${which}, and no event of it`);
    log.isDamaged = true;
  } else if (log.checkpoint === null) {
    // Named once it is clear that nothing remembered says more.
  } else if (read === null || read.problem !== undefined) {
    const problem = read?.problem ?? 'no event names its key';
    report.add('edited', 'checkpoint_malformed', path, `The checkpoint counts for nothing: ${problem}`);
  } else if (!log.isDamaged && !rootOf(leavesOf(log, read.size)).equals(read.root)) {
    report.add('forked', 'root_mismatch', path, 'The events are not the ones that the checkpoint was signed over');
    log.isDamaged = true;
  } else if (!log.isDamaged && read.size < size) {
    // They count, since the key signed them; but nothing says that the log was meant to go on with them.
    const where = eventPath(log.name, read.size);
    report.add('inserted', 'event_past_checkpoint', where, `The checkpoint is of ${read.size} events only`);
  }
}

function leavesOf(log, size) {
  return Array.from({ length: size }, (_, seq) => log.files.get(seq).event.leaf);
}

/** Number of events from 0 on that are sound and chained. */
function soundLength(log) {
  let size = 0;
  while (log.files.has(size) && log.files.get(size).verdict === undefined) size += 1;
  return size;
}

// --- Checkpoints of before -------------------------------------------------------------------------------------------

/** The file of `waymark checkpoint --export`: `{repository, owner, logs: Map of {size, root}}`. */
function readExport(file) {
  const text = readInput(file);
  const value = parseJson(text);
  const isExport = isShape({
    waymark_checkpoints: (version) => version === 1,
    repository: isText,
    owner: isPublicKey,
    checkpoints: isListOf(isShape({ log: isHex(16), public_key: isPublicKey, note: isText })),
  });
  if (!isExport(value)) throw new CannotTell(`"${file}" is not a file of "waymark checkpoint --export"`);
  const logs = new Map();
  for (const { log, public_key, note } of value.checkpoints) {
    const read = readCheckpoint(note, value.repository, public_key);
    if (log !== logOf(public_key) || read.problem !== undefined) {
      throw new CannotTell(
        `The checkpoint of log ${log} in "${file}" counts for nothing: ${read.problem ?? 'wrong key'}`,
      );
    }
    logs.set(log, { ...read, key: public_key });
  }
  return { repository: value.repository, owner: value.owner, logs };
}

/** A log must hold what an earlier checkpoint of it was signed over. */
function checkRemembered(report, log, authority) {
  const { remembered } = log;
  const path = `ledger/${log.name}/checkpoint`;
  if (remembered !== undefined) holdToRemembered(report, log, { remembered, path, authority });
  if (log.checkpoint === null && log.last >= 0 && !log.isDamaged)
    report.add('cannot_tell', 'checkpoint_missing', path, `Log ${log.name} has no checkpoint`);
}

function holdToRemembered(report, log, { remembered, path, authority }) {
  const size = soundLength(log);
  if (size >= remembered.size) {
    if (rootOf(leavesOf(log, remembered.size)).equals(remembered.root)) return;
    log.isDamaged = true;
    report.add('forked', 'remembered_forked', path, `The first ${remembered.size} events are not those of the export`);
    return;
  }
  const message = `The export knows ${remembered.size} events of this log, and ${size} are here`;
  if (declaresLoss(authority, log.name, remembered)) report.notes.push(`${message}; a "restored" event says so`);
  // A hole, a change or a cut that the log itself shows is named already.
  else {
    report.add(log.isDamaged ? null : 'cut_tail', 'remembered_cut', path, message);
    log.isDamaged = true;
  }
}

/** Whether a `restored` event owns up to the loss of a log as it was remembered, or of a later state. */
function declaresLoss({ restored, keys }, name, { size, root }) {
  const holder = [...keys.values()].find(({ key }) => logOf(key) === name);
  return restored.some(
    (one) =>
      one.log === name &&
      (one.size > size || (one.size === size && one.root === root?.toString('base64'))) &&
      (holder === undefined || (one.agent_id === holder.agent_id && RANK[one.role] >= RANK[holder.role])),
  );
}

// --- The order of all events -----------------------------------------------------------------------------------------

function isBefore(a, b) {
  return a.timestamp === b.timestamp ? a.hash < b.hash : a.timestamp < b.timestamp;
}

/** A binary heap, earliest event first. */
class Heap {
  items = [];

  push(item) {
    const { items } = this;
    let at = items.push(item) - 1;
    for (let above = (at - 1) >> 1; at > 0 && isBefore(item.event, items[above].event); above = (at - 1) >> 1) {
      items[at] = items[above];
      at = above;
    }
    items[at] = item;
  }

  pop() {
    const { items } = this;
    const top = items[0];
    const last = items.pop();
    if (items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child + 1 < items.length && isBefore(items[child + 1].event, items[child].event)) child += 1;
      if (child >= items.length || !isBefore(items[child].event, last.event)) break;
      items[at] = items[child];
      at = child;
    }
    items[at] = last;
    return top;
  }
}

/**
 * One order over the events of all logs: each after the one before it in its log and after the one it has `seen`; among
 * those free the smaller timestamp, then the smaller hash. Where `seen` leads nowhere, after all that need not wait.
 *
 * @param queues The events of each log, by number.
 */
function orderEvents(queues) {
  const ordered = [];
  const done = new Set();
  const [free, stuck] = [new Heap(), new Heap()];
  const waiting = new Map();
  const offer = (queue, at) => {
    if (at >= queue.length) return;
    const head = { event: queue[at], queue, at, isTaken: false };
    const { seen } = head.event;
    if (seen === null || done.has(seen)) return free.push(head);
    waiting.set(seen, [...(waiting.get(seen) ?? []), head]);
    stuck.push(head);
  };
  for (const queue of queues) offer(queue, 0);
  while (free.items.length > 0 || stuck.items.length > 0) {
    const head = (free.items.length > 0 ? free : stuck).pop();
    if (head.isTaken) continue;
    head.isTaken = true;
    ordered.push(head.event);
    done.add(head.event.hash);
    for (const freed of waiting.get(head.event.hash) ?? []) if (!freed.isTaken) free.push(freed);
    waiting.delete(head.event.hash);
    offer(head.queue, head.at + 1);
  }
  return ordered;
}

// --- Authority: who may sign what ------------------------------------------------------------------------------------

const RANK = { service: 0, agent: 0, reviewer: 1, operator: 2, owner: 3, recovery: 4 };
const AUTHOR_VERBS = {
  save: ['draft'],
  update: ['draft'],
  supersede: ['draft'],
  change_scope: ['draft'],
  propose: ['proposed'],
};
const REVIEWER_VERBS = {
  ...AUTHOR_VERBS,
  approve: ['approved'],
  reject: ['rejected'],
  request_changes: ['draft'],
  error: ['error'],
};
/** Verb -> statuses a file may be left in, by role. */
const MAY_PRODUCE = {
  agent: AUTHOR_VERBS,
  reviewer: REVIEWER_VERBS,
  operator: {
    ...REVIEWER_VERBS,
    forget: ['tombstoned'],
    erase: ['tombstoned'],
    merge: ['approved'],
    adopt: STATUSES,
    rollback: STATUSES,
  },
  service: { approve: ['approved'], reject: ['rejected'], request_changes: ['draft'] },
  owner: {},
  recovery: {},
};
const OPEN = ['draft', 'proposed', 'error'];

/** Verbs that end a key. */
const ENDING_VERBS = ['revoke', 'rotate', 'recover'];

/** Roles whose event counts, of verbs that leave no thought in a status; of the others see `MAY_PRODUCE`. */
const SIGNED_BY = {
  ...{ accept: ['operator', 'owner'], keep_out: ['operator', 'owner', 'service'], lift: ['operator', 'owner'] },
  ...{ advise: ['reviewer'], vote: ['operator', 'service'], erase: ['operator'], purge: ['operator'] },
  quarantine: ['operator'],
  ...{ merge: ['operator'], keep_both: ['operator'] },
};

/** What a service signs for people. */
const ATTESTED_VERBS = ['approve', 'reject', 'request_changes', 'vote', 'keep_out'];

/** A service signs nothing but what a person decided, whom it names, and its own losses, and nobody else names one. */
function isAttestedRightly({ verb, role, attested }) {
  if (role !== 'service' || verb === 'restored') return attested === undefined;
  return attested !== undefined && ATTESTED_VERBS.includes(verb);
}

/** Whether an event of this verb and role puts its version of the governed file in force. */
function putsInForce({ verb, role }, path) {
  if (!['operator', 'owner', 'service'].includes(role) || !isGoverned(path)) return false;
  const isTombstone = /\/tombstones\/[^/]+\.yaml$/.test(path) && path.startsWith('trails/');
  if (verb === 'keep_out') return isTombstone || path === 'tombstone-keys.yaml';
  if (role === 'service') return false;
  return verb === 'lift' ? isTombstone : ['init', 'accept', 'adopt'].includes(verb);
}

/** What the events say, taken in one by one in their order. */
class Authority {
  /** @param known Revocation events that are in effect from the start. */
  constructor(ownerKey, known) {
    this.ownerKey = ownerKey;
    this.known = new Set(known.map(({ hash }) => hash));
    /** Key -> {agent_id, role, name, protection, origin: place of the event that enrolled it}. */
    this.keys = new Map();
    /** Key -> {size, reason}: the least number of its records that stand. */
    this.revoked = new Map();
    for (const { local } of known) this.#void(local.revocation);
    /** Thought id -> {agent_id, status}. */
    this.custody = new Map();
    /** Ids of erased thoughts, of whose files only an erasure says what they are. */
    this.erased = new Set();
    /** Hashes of the erasures that count. */
    this.erasing = new Set();
    /** Path -> the newest event that names it, and what it says; also of events that do not count. */
    this.lastOf = new Map();
    /** Governed path -> the newest event that put a version in force. */
    this.inForce = new Map();
    /** Key -> one more than the highest number of its events that counted. */
    this.counted = new Map();
    this.restored = [];
    /** What operators withhold: {agent_id, since}. */
    this.quarantines = [];
  }

  /** Answers why the event does not count, as `[verdict, code]`; `null` when it does. */
  take(event) {
    const fault = this.#faultOf(event);
    const erased = fault === null ? erasedThoughtOf(event.local) : null;
    if (erased !== null) this.#erase(erased, event);
    for (const change of event.local.files ?? []) {
      const id = this.erased.size === 0 ? undefined : thoughtPlaceOf(change.path)?.id;
      if (id === undefined || id === erased || !this.erased.has(id))
        this.lastOf.set(change.path, { event, change, counts: fault === null });
    }
    if (fault !== null) return fault;
    const { local, key, seq } = event;
    this.counted.set(key, Math.max(this.counted.get(key) ?? 0, seq + 1));
    this.#enrol(event);
    this.#keepCustody(local);
    if (local.verb === 'restored' && local.restored !== undefined) {
      this.restored.push({ ...local.restored, agent_id: local.agent_id, role: this.keys.get(key).role });
    }
    if (local.verb === 'quarantine' && local.quarantine !== undefined) this.quarantines.push(local.quarantine);
    for (const change of local.files ?? [])
      if (putsInForce(local, change.path)) this.inForce.set(change.path, { event, change });
    return null;
  }

  #erase(id, { hash }) {
    this.erasing.add(hash);
    if (this.erased.has(id)) return;
    this.erased.add(id);
    for (const path of this.lastOf.keys()) if (thoughtPlaceOf(path)?.id === id) this.lastOf.delete(path);
  }

  #void({ key, size, reason }) {
    const known = this.revoked.get(key);
    const isFirst = known === undefined || size < known.size || (size === known.size && reason < known.reason);
    if (isFirst) this.revoked.set(key, { size, reason });
  }

  #faultOf(event) {
    const { key, seq, local, fault } = event;
    if (fault !== undefined) return fault;
    const isRecovery = this.keys.get(key)?.role === 'recovery';
    if (!isRecovery && seq >= (this.revoked.get(key)?.size ?? Number.POSITIVE_INFINITY))
      return ['after_revocation', 'after_revocation'];
    const { verb, role, kind, enrolment, revocation } = local;
    if (revocation !== undefined && !ENDING_VERBS.includes(verb)) return ['wrong_role', 'bad_revocation'];
    const signing = verb === 'init' ? this.#faultOfInit(key, enrolment) : this.#faultOfSigner(event, isRecovery);
    if (signing !== null) return signing;
    if (SIGNED_BY[verb]?.includes(role) === false) return ['wrong_role', 'wrong_role'];
    if (kind === 'human' && role !== 'operator' && role !== 'service') return ['wrong_role', 'wrong_role'];
    if (!isAttestedRightly(local)) return ['wrong_role', 'wrong_role'];
    const custody = this.#faultOfCustody(local);
    return custody === null ? null : ['wrong_role', custody];
  }

  #faultOfSigner(event, isRecovery) {
    const { key, seq, local } = event;
    const { verb, enrolment } = local;
    const isEnd = ENDING_VERBS.includes(verb);
    const isSelf = !isEnd && enrolment?.key === key;
    if (isSelf && (this.keys.has(key) || key === this.ownerKey)) return ['wrong_role', 're_enrolled'];
    if (isSelf && enrolment.role !== 'agent') return ['wrong_role', 'wrong_role'];
    if (isSelf && seq !== 0) return ['wrong_role', 'not_first'];
    const signer = isSelf ? enrolment : this.keys.get(key);
    if (signer === undefined) return ['unknown_key', 'unknown_key'];
    if (local.agent_id !== signer.agent_id) return ['wrong_role', 'wrong_agent'];
    if (isRecovery !== (verb === 'recover') || (isRecovery && local.role !== 'recovery'))
      return ['wrong_role', 'wrong_role'];
    if ((signer.role === 'service') !== (local.role === 'service')) return ['wrong_role', 'wrong_role'];
    if (RANK[local.role] > RANK[signer.role]) return ['wrong_role', 'wrong_role'];
    if (isRecovery) return this.#isRecovery(event, signer) ? null : ['wrong_role', 'bad_revocation'];
    if (verb === 'rotate') return this.#isHandOver(event, signer) ? null : ['wrong_role', 'bad_revocation'];
    const isEnrolment = !isSelf && (verb === 'enrol' || enrolment !== undefined);
    const code =
      verb === 'revoke'
        ? this.#faultOfRevocation(event, signer)
        : isEnrolment
          ? this.#faultOfEnrolment(signer, verb, enrolment)
          : null;
    return code === null ? null : ['wrong_role', code];
  }

  #faultOfInit(key, enrolment) {
    if (key !== this.ownerKey) return ['wrong_role', 'wrong_role'];
    if (this.keys.has(key)) return ['wrong_role', 're_enrolled'];
    const isOwner = enrolment === undefined || (enrolment.key === key && enrolment.role === 'owner');
    return isOwner ? null : ['wrong_role', 'bad_enrolment'];
  }

  #faultOfEnrolment(signer, verb, enrolment) {
    if (enrolment === undefined || verb !== 'enrol') return 'bad_enrolment';
    if (RANK[signer.role] < RANK.operator || enrolment.role === 'owner') return 'wrong_role';
    const known = this.keys.get(enrolment.key);
    if (enrolment.role === 'recovery') {
      if (signer.role !== 'owner') return 'wrong_role';
      if ([...this.keys.values()].some(({ role }) => role === 'recovery')) return 're_enrolled';
      const isOwner = enrolment.key === this.ownerKey || known?.role === 'owner';
      return isOwner || enrolment.agent_id !== signer.agent_id ? 'bad_enrolment' : null;
    }
    const isFirm = known?.role === 'owner' || known?.role === 'recovery';
    const isOther = known !== undefined && (known.agent_id !== enrolment.agent_id || isFirm);
    return enrolment.key === this.ownerKey || isOther ? 're_enrolled' : null;
  }

  /** A key hands its agent and role over to a new one, and ends with this event. */
  #isHandOver(event, signer) {
    const { enrolment, revocation } = event.local;
    return (
      enrolment !== undefined &&
      !this.keys.has(enrolment.key) &&
      enrolment.key !== this.ownerKey &&
      enrolment.agent_id === signer.agent_id &&
      enrolment.role === signer.role &&
      revocation?.key === event.key &&
      revocation.size === event.seq + 1 &&
      revocation.reason === 'rotation' &&
      revocation.successor === enrolment.key &&
      isProvedBySuccessor(revocation) &&
      event.statesRevocation
    );
  }

  /** The recovery key ends an owner's key and names the next owner, beside whom no other is left. */
  #isRecovery(event, signer) {
    const { enrolment, revocation } = event.local;
    if (enrolment === undefined || revocation === undefined) return false;
    const falls = ({ origin, key }) =>
      (origin.key === revocation.key && origin.seq >= revocation.size) ||
      (origin.key !== key && this.keys.has(origin.key) && falls(this.keys.get(origin.key)));
    const isOtherOwner = (one) =>
      one.role === 'owner' && one.key !== revocation.key && !this.revoked.has(one.key) && !falls(one);
    return (
      !this.keys.has(enrolment.key) &&
      enrolment.key !== this.ownerKey &&
      enrolment.agent_id === signer.agent_id &&
      enrolment.role === 'owner' &&
      revocation.reason !== 'rotation' &&
      revocation.successor === enrolment.key &&
      isProvedBySuccessor(revocation) &&
      event.statesRevocation &&
      (this.keys.get(revocation.key)?.role === 'owner' || this.known.has(event.hash)) &&
      !falls(signer) &&
      ![...this.keys.values()].some(isOtherOwner)
    );
  }

  /** The owner ends any key, an operator any enrolled one but the owner's, and each key but the owner's itself. */
  #faultOfRevocation(event, signer) {
    const { revocation, enrolment } = event.local;
    if (revocation === undefined || enrolment !== undefined) return 'bad_revocation';
    if (!event.statesRevocation || revocation.successor !== undefined) return 'bad_revocation';
    const target = this.keys.get(revocation.key);
    // An owner's key ends by its own hand-over alone, also a former owner's.
    if (target?.role === 'owner' || revocation.key === this.ownerKey) return 'wrong_role';
    if (target?.role === 'recovery') return 'wrong_role';
    if (revocation.key === event.key) return revocation.size === event.seq + 1 ? null : 'bad_revocation';
    if (RANK[signer.role] < RANK.operator) return 'wrong_role';
    // Of one that an earlier pass found, the key may be unknown by its very effect.
    const mayBeUnknown = signer.role === 'owner' || this.known.has(event.hash);
    return target === undefined && !mayBeUnknown ? 'bad_revocation' : null;
  }

  /** Nobody but a decider changes another's thought, a decided one, or removes one. */
  #faultOfCustody({ role, agent_id, files = [] }) {
    if (['operator', 'reviewer', 'service'].includes(role)) return null;
    for (const { path, after } of files) {
      const place = thoughtPlaceOf(path);
      if (place === null) continue;
      if (after === null) return 'removes_thought';
      const custody = this.custody.get(place.id);
      if (custody === undefined) continue;
      if (custody.agent_id !== agent_id) return 'not_the_author';
      if (!OPEN.includes(custody.status)) return 'thought_frozen';
    }
    return null;
  }

  #enrol({ key, seq, local }) {
    const { verb, enrolment, revocation, protection, agent_id } = local;
    if (verb === 'init') {
      const facts = { agent_id, protection: protection ?? 'none', ...enrolment };
      this.keys.set(key, { ...facts, key, role: 'owner', origin: { key, seq } });
    } else if (enrolment !== undefined) {
      const { role, name = this.keys.get(enrolment.key)?.name } = enrolment;
      const isNew = !this.keys.has(enrolment.key) || role === 'recovery';
      const known = isNew ? { ...enrolment, origin: { key, seq } } : this.keys.get(enrolment.key);
      this.keys.set(enrolment.key, { ...known, role, ...(name === undefined ? {} : { name }) });
    } else if (verb === 'protect') {
      this.keys.set(key, { ...this.keys.get(key), protection: protection ?? 'scrypt' });
    }
    if (revocation !== undefined) this.#void(revocation);
  }

  /** A thought is whose event first named its file, or whom an adoption states; its status is what came last. */
  #keepCustody({ verb, role, author, agent_id, files = [] }) {
    const stated = role === 'operator' && verb === 'adopt' ? author : undefined;
    for (const { path, thought_id, status } of files) {
      if (thought_id === undefined || status === undefined || thoughtPlaceOf(path)?.id !== thought_id) continue;
      const holder = stated ?? this.custody.get(thought_id)?.agent_id ?? agent_id;
      this.custody.set(thought_id, { agent_id: holder, status });
    }
  }
}

/**
 * Takes in all events, in passes: a revocation also voids what its key signed earlier in the order, past the size it
 * names. When one is met that voids what had counted, the pass starts anew with it known from the start; one of the owner
 * with the owner's alone, so that what an operator signed cannot stand in its way, and one of the recovery key with its own.
 */
function judge(ordered, ownerKey) {
  let known = [];
  for (;;) {
    const authority = new Authority(ownerKey, known);
    const faults = [];
    const met = ordered.find((event) => {
      const { revocation } = event.local;
      const counted = authority.counted.get(revocation?.key) ?? 0;
      const fault = authority.take(event);
      if (fault !== null) faults.push({ event, fault });
      return (
        fault === null && revocation !== undefined && counted > revocation.size && !authority.known.has(event.hash)
      );
    });
    if (met === undefined) return { authority, faults };
    const weight = Math.max(RANK.operator, RANK[authority.keys.get(met.key)?.role]);
    known = [...known.filter((one) => one.weight >= weight), { ...met, weight }];
  }
}

// --- Thoughts --------------------------------------------------------------------------------------------------------

const NAMESPACES = ['drafts', 'decisions', 'observations', 'intents', 'preferences', 'preferences/client'];
const NAMESPACE = new Set([...NAMESPACES, 'preferences/firm']);

/** `{scope, id}` of a thought's path, `null` for any other. */
function thoughtPlaceOf(path) {
  const [, scope, namespace, id] = /^trails\/(.+?)\/thoughts\/(.+)\/([0-9A-HJKMNP-TV-Z]{26})\.md$/.exec(path) ?? [];
  if (scope === undefined || !NAMESPACE.has(namespace) || !isScope(scope)) return null;
  return { scope, id };
}

function isScope(scope) {
  const levels = scope.split('/');
  const isDevice = (level) => /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i.test(level);
  const isLevel = (level) =>
    /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/.test(level) &&
    !level.endsWith('.') &&
    !level.includes('..') &&
    !isDevice(level) &&
    level.toLowerCase() !== 'thoughts';
  return scope.length <= 255 && levels.length <= 16 && levels.every(isLevel);
}

/** A Markdown file that somebody meant to be a thought. */
function isThoughtLike(path) {
  return path.startsWith('trails/') && /^trails\/(?:.*\/)?thoughts\/.*\.md$/is.test(path);
}

/**
 * The scalars of a thought's frontmatter that the ledger speaks of: plain, in single or in double quotes, on one line.
 * `null` when there is no frontmatter, or one of the three is written in another way.
 */
function readFrontmatter(bytes) {
  const text = bytes.length > MAX_FILE_BYTES ? null : utf8(bytes)?.replace(/^\ufeff/, '');
  const [whole, yaml] = /^---[ \t]*\r?\n((?:[^\n]*\n)*?)---[ \t]*(?:\r?\n|$)/.exec(text ?? '') ?? [];
  if (whole === undefined) return null;
  const fields = { thought_id: undefined, validation_status: 'draft', agent_id: 'unknown' };
  for (const line of yaml.split(/\r?\n/)) {
    const [, name, source] = /^["']?([a-z_]+)["']?[ ]*:(?:[ \t]+(.*))?$/.exec(line) ?? [];
    if (!Object.hasOwn(fields, name ?? '')) continue;
    const value = readScalar(source ?? '');
    if (!isText(value)) return null;
    fields[name] = value;
  }
  return fields;
}

/** git's and jj's conflict markers at the start of a line. */
function hasConflictMarkers(bytes) {
  const text = bytes.toString('latin1');
  return /^<{7}[ \n]/m.test(text) && /^>{7}[ \n]/m.test(text);
}

/** Why a committed thought is not what the ledger says: `[verdict, code, message]`, `null` when it is. */
function faultOfThought(path, bytes, last) {
  const place = thoughtPlaceOf(path);
  if (bytes === null) return ['cannot_tell', 'unreadable', 'The object is not in the repository'];
  if (place === null) return ['unrecorded_change', 'misplaced', 'The path is not one of a thought'];
  if (last === undefined) return ['unrecorded_change', 'no_event', 'No signed event says how this file came to be'];
  if (!last.counts) return [null, 'event_invalid', 'The event about this file does not count'];
  const { change } = last;
  const { local } = last.event;
  if (change.after === null || digestUnder(local.nonce, bytes) !== change.after) {
    const markers = hasConflictMarkers(bytes) ? ': it holds conflict markers' : '';
    return ['unrecorded_change', 'changed_since_event', `The file is not what its last signed event says${markers}`];
  }
  const fields = readFrontmatter(bytes);
  if (fields === null) return ['cannot_tell', 'unreadable_thought', 'The file is as it was signed, and not read here'];
  const { thought_id, validation_status, agent_id } = fields;
  // The partner of an approval, which it retires, keeps its status.
  const isPartner = local.verb === 'approve' && change.thought_id !== local.thought_id;
  const produced = isPartner ? 'approved' : validation_status;
  const isAllowed =
    change.status === validation_status &&
    change.thought_id === thought_id &&
    thought_id === place.id &&
    MAY_PRODUCE[local.role][local.verb]?.includes(produced) === true &&
    (AUTHOR_VERBS[local.verb] === undefined || local.agent_id === agent_id || local.role !== 'agent');
  return isAllowed ? null : ['wrong_role', 'event_lacks_authority', 'The event may not leave this file in this status'];
}

// --- Governed settings -----------------------------------------------------------------------------------------------

/** A file that decides how the record is run. */
function isGoverned(path) {
  if (path.split('/').includes('thoughts')) return false;
  if (['config.yaml', 'keys.yaml', 'tombstone-keys.yaml'].includes(path) || /^hooks\/./s.test(path)) return true;
  return /^trails\/(?:[^/]+\/)*(?:\.fava-trails\.yaml|trust-gate-prompt\.md|tombstones\/[^/]+\.yaml)$/.test(path);
}

/** Why a governed file is not the version in force: `[verdict, code, message]`, `null` when it is. */
function faultOfSetting(path, bytes, authority, files) {
  const signed = authority.inForce.get(path);
  if (path === 'keys.yaml') return faultOfKeysView(bytes, authority);
  if (signed === undefined || signed.change.after === null) {
    if (bytes === null) return null;
    const inherits = saysWhatIsInherited(path, bytes, authority, files);
    if (inherits === 'yes') return null;
    const verdict = { no: 'unrecorded_change', follows: null, cannot_tell: 'cannot_tell' }[inherits];
    return [verdict, 'settings_unsigned', 'No operator signed this file: nothing of it is in force'];
  }
  if (bytes === null) return ['unrecorded_change', 'settings_removed', 'The version in force is gone'];
  if (digestUnder(signed.event.local.nonce, bytes) === signed.change.after) return null;
  return ['unrecorded_change', 'settings_changed', 'The file is not the version an operator signed last'];
}

/** `keys.yaml` must say what the enrolments and revocations say, in whatever order. */
function faultOfKeysView(bytes, { keys, revoked }) {
  const rows = [...keys.values()].map(({ key, agent_id, role, name, protection }) => ({
    ...{ key, agent_id, role, protection },
    ...(name === undefined ? {} : { name }),
    ...(revoked.has(key) ? { revoked: revoked.get(key) } : {}),
  }));
  if (bytes === null && rows.length === 0) return null;
  const { keys: read, ...more } = (bytes === null ? null : readYaml(utf8(bytes))) ?? {};
  const byKey = (list) => jcs([...list].sort((a, b) => (a.key < b.key ? -1 : 1)));
  const isList = Array.isArray(read) && read.every(isObject) && Object.keys(more).length === 0;
  if (isList && byKey(read) === byKey(rows)) return null;
  return ['unrecorded_change', 'settings_changed', 'The file is not what the enrolment events say'];
}

/**
 * A scope's first save writes a settings file that an agent signs. It is no difference as long as it says what is in force
 * in the scope anyway: `yes` or `no`; `follows` when what is in force above is not the committed file, which is named;
 * `cannot_tell` when that is written in another kind of YAML than is read here.
 */
function saysWhatIsInherited(path, bytes, authority, files) {
  const [, scope] = /^trails\/(.+)\/\.fava-trails\.yaml$/.exec(path) ?? [];
  const read = scope !== undefined && isScope(scope) ? readYaml(utf8(bytes)) : undefined;
  // An empty file is an empty map.
  const own = read === null ? {} : read;
  if (!isObject(own)) return 'no';
  const levels = scope.split('/');
  const config = settingsInForce('config.yaml', authority, files);
  const chain = [];
  for (let depth = levels.length; depth > 0; depth -= 1) {
    const name = levels.slice(0, depth).join('/');
    if (depth < levels.length) chain.push(settingsInForce(`trails/${name}/.fava-trails.yaml`, authority, files));
    chain.push(isObject(config) ? defaultsOf(config, name) : config);
  }
  const unknown = chain.find((settings) => !isObject(settings));
  if (unknown !== undefined) return unknown;
  if (!SETTINGS(own)) return 'no';
  // Of what is in force and malformed the strictest counts.
  const { trails = {} } = config;
  const areDefaultsSound = isObject(trails) && Object.values(trails).every(SETTINGS);
  const sound = chain.map((settings, at) =>
    SETTINGS(settings) && (areDefaultsSound || at % 2 === 1) ? settings : STRICTEST,
  );
  return jcs(effective([own, ...sound])) === jcs(effective(sound)) ? 'yes' : 'no';
}

/** What config.yaml says of a scope, `{}` when it says nothing. */
function defaultsOf({ trails }, scope) {
  return isObject(trails) && Object.hasOwn(trails, scope) && trails[scope] !== null ? trails[scope] : {};
}

/** The map in force at a path, `{}` for none; else why it is not to be had. */
function settingsInForce(path, authority, files) {
  const signed = authority.inForce.get(path);
  if (signed === undefined || signed.change.after === null) return {};
  const bytes = files.get(path);
  if (bytes === undefined || digestUnder(signed.event.local.nonce, bytes) !== signed.change.after) return 'follows';
  const read = readYaml(utf8(bytes));
  return read === null ? {} : isObject(read) ? read : 'cannot_tell';
}

const UNSET_POLICY = 'llm-oneshot';
const SCOPE_DEFAULTS = {
  ...{ default_namespace: 'drafts', trust_gate_policy: UNSET_POLICY, gc_interval_snapshots: 500 },
  ...{ gc_interval_seconds: 3600, stale_draft_days: 0, hooks: [] },
};
const STRICTEST = {
  ...SCOPE_DEFAULTS,
  ...{ separation: 'required', confirm: 'required', known_at: 'closed', trust_gate_policy: 'human' },
};
const SOURCE_TYPES = ['observation', 'inference', 'user_input', 'tool_output', 'decision'];

const isNumber = isCount(Number.MAX_SAFE_INTEGER);
const isRequired = (value) => value === 'required';
const SETTINGS = isShape(
  {},
  {
    ...{ name: isText, default_namespace: isText, trust_gate_policy: isText, stale_draft_days: isNumber },
    ...{ gc_interval_snapshots: isNumber, gc_interval_seconds: isNumber, separation: isRequired, confirm: isRequired },
    hooks: (value) => Array.isArray(value) && value.length === 0,
    quorum: (value) => isCount(9)(value) && value >= 2,
    trust_gate_tiers: (value) =>
      isObject(value) && Object.entries(value).every(([type, policy]) => SOURCE_TYPES.includes(type) && isText(policy)),
    known_at: isOneOf(['open', 'closed']),
  },
);

/** The policy by which a person has the most say, of equally strict ones the nearest. */
function strictest(policies) {
  const strictness = { [UNSET_POLICY]: 0, decisions: 1, 'llm-then-human': 2, quorum: 4 };
  const rank = (policy) => (Object.hasOwn(strictness, policy) ? strictness[policy] : 3);
  return policies.reduce((best, policy) => (rank(policy) > rank(best) ? policy : best), UNSET_POLICY);
}

/** Settings of a chain of scopes, nearest first: the nearest value counts, and a child can only be stricter. */
function effective(chain) {
  const { name, ...merged } = Object.assign({ ...SCOPE_DEFAULTS }, ...[...chain].reverse());
  const policy = strictest(chain.map((own) => own.trust_gate_policy ?? UNSET_POLICY));
  const quorum = Math.max(0, ...chain.map((own) => own.quorum ?? 0));
  const chosen = (own, type) => own.trust_gate_tiers?.[type] ?? own.trust_gate_policy ?? UNSET_POLICY;
  const tiers = SOURCE_TYPES.map((type) => [type, strictest(chain.map((own) => chosen(own, type)))]);
  return {
    ...merged,
    trust_gate_policy: policy,
    ...(quorum === 0 ? {} : { quorum }),
    ...(chain.some((own) => own.known_at === 'closed') ? { known_at: 'closed' } : {}),
    // What differs from the policy alone.
    ...('trust_gate_tiers' in merged
      ? { trust_gate_tiers: Object.fromEntries(tiers.filter(([, chosenPolicy]) => chosenPolicy !== policy)) }
      : {}),
  };
}

/**
 * YAML as Waymark, FAVA and most people write settings: block maps and lists, scalars and flow maps and lists on one line.
 * `null` for an empty text, `undefined` for anything that is written in another way.
 */
function readYaml(text) {
  if (text === null || text.length > 256 * 1024) return undefined;
  const lines = text.split(/\r?\n/).flatMap((line) => {
    const content = line.trimStart();
    return content === '' || content.startsWith('#') ? [] : [{ indent: line.length - content.length, content }];
  });
  if (lines.length === 0) return null;
  try {
    const cursor = { lines, at: 0 };
    if (lines.length === 1 && /^[[{]/.test(lines[0].content)) return readFlow(lines[0].content, 1);
    const value = readBlock(cursor, lines[0].indent, 1);
    return cursor.at === lines.length ? value : undefined;
  } catch {
    return undefined;
  }
}

function readBlock(cursor, indent, depth) {
  if (depth > MAX_LEVELS) throw new RangeError('too deep');
  const isList = /^-(?: |$)/.test(cursor.lines[cursor.at].content);
  const list = [];
  const map = new Map();
  for (let line = cursor.lines[cursor.at]; line?.indent === indent; line = cursor.lines[cursor.at]) {
    if (/^-(?: |$)/.test(line.content) !== isList) break;
    if (isList) list.push(readItem(cursor, line, depth));
    else {
      const [, quoted, plain, rest] =
        /^(?:("[^"\\]*"|'[^']*')|([^\s'"#&*!|>%@`[{?-][^:#]*))\s*:(?:\s+(.*))?$/.exec(line.content) ?? [];
      const key = quoted?.slice(1, -1) ?? plain?.trim();
      if (key === undefined || map.has(key)) throw new SyntaxError('no key');
      cursor.at += 1;
      map.set(key, readValue(cursor, rest ?? '', indent, depth));
    }
  }
  return isList ? list : Object.fromEntries(map);
}

function readItem(cursor, line, depth) {
  const rest = line.content.slice(1).trimStart();
  if (/^(?:"[^"\\]*"|'[^']*'|[\w.-]+)\s*:(?:\s|$)/.test(rest)) {
    // `- key: value` starts a map two columns further.
    const indent = line.indent + line.content.length - rest.length;
    cursor.lines[cursor.at] = { indent, content: rest };
    return readBlock(cursor, indent, depth + 1);
  }
  cursor.at += 1;
  return readValue(cursor, rest, line.indent, depth);
}

function readValue(cursor, rest, indent, depth) {
  if (rest !== '' && !rest.startsWith('#')) {
    const value = /^[[{]/.test(rest) ? readFlow(rest, depth + 1) : readScalar(rest);
    if (value === undefined) throw new SyntaxError('no scalar');
    return value;
  }
  const next = cursor.lines[cursor.at];
  const isNested =
    next !== undefined && (next.indent > indent || (next.indent === indent && /^-(?: |$)/.test(next.content)));
  return isNested ? readBlock(cursor, next.indent, depth + 1) : null;
}

/** `{a: b}` or `[a, b]` that ends on its line, a comment after it aside; throws for one of another form. */
function readFlow(source, depth) {
  const tokens =
    source.match(
      /\s+#.*$|'(?:[^']|'')*'|"(?:[^"\\]|\\.)*"|[{}[\],]|:(?=\s|$)|(?:[^\s{}[\],:'"]|:(?!\s|$))(?:[^{}[\],:]|:(?!\s|$))*|\S/g,
    ) ?? [];
  let at = 0;
  const take = (wanted) => {
    if (tokens[at] !== wanted) throw new SyntaxError('no flow');
    at += 1;
  };
  const scalar = () => {
    const value = readScalar((tokens[at] ?? '').trim());
    if (value === undefined || isObject(value)) throw new SyntaxError('no scalar');
    at += 1;
    return value;
  };
  const read = (level) => {
    if (level > MAX_LEVELS) throw new RangeError('too deep');
    const isMap = tokens[at] === '{';
    if (!isMap && tokens[at] !== '[') return scalar();
    const [end, list, map] = [isMap ? '}' : ']', [], new Map()];
    at += 1;
    while (tokens[at] !== end) {
      if (list.length + map.size > 0) {
        take(',');
        if (tokens[at] === end) break;
      }
      if (!isMap) list.push(read(level + 1));
      else {
        const key = scalar();
        if (!isText(key) || map.has(key)) throw new SyntaxError('no key');
        take(':');
        map.set(key, read(level + 1));
      }
    }
    at += 1;
    return isMap ? Object.fromEntries(map) : list;
  };
  const value = read(depth);
  if (at < tokens.length && !/^\s+#/.test(tokens[at])) throw new SyntaxError('more after it');
  return value;
}

const ESCAPES = { '"': '"', '\\': '\\', '/': '/', n: '\n', t: '\t', r: '\r', ' ': ' ' };

/** A scalar that ends on its line, a comment after it aside; `undefined` for one of another form. */
function readScalar(source) {
  const [, single, double, plain] =
    /^(?:'((?:[^']|'')*)'|"((?:[^"\\]|\\.)*)"|([^'"#&*!|>%@`{}[\],?-].*?|-[^\s].*?|\[\]|\{\}))(?:\s+#.*|\s*)$/s.exec(
      source,
    ) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double !== undefined) {
    let isKnown = true;
    const text = double.replace(
      /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs,
      (_, x, u, long, char) => {
        const hex = x ?? u ?? long;
        if (hex !== undefined && Number.parseInt(hex, 16) <= 0x10ffff)
          return String.fromCodePoint(Number.parseInt(hex, 16));
        isKnown &&= Object.hasOwn(ESCAPES, char ?? '');
        return ESCAPES[char] ?? '';
      },
    );
    return isKnown ? text : undefined;
  }
  if (plain === undefined || /:(?:\s|$)/.test(plain)) return undefined;
  if (plain === '[]') return [];
  if (plain === '{}') return {};
  if (/^(?:~|null|Null|NULL)$/.test(plain)) return null;
  if (/^(?:true|True|TRUE|false|False|FALSE)$/.test(plain)) return /^t/i.test(plain);
  return /^[-+]?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]+)?$/.test(plain) ? Number(plain) : plain;
}

// --- A repository ----------------------------------------------------------------------------------------------------

/** The commit that is the record, and what its config.yaml says: `{commit, id?, owner?}`. */
function findRecord(root) {
  const configAt = (commit) => {
    const bytes = commit === null ? null : git(root, 'cat-file', 'blob', `${commit}:config.yaml`);
    return bytes === null ? undefined : readYaml(utf8(bytes))?.waymark;
  };
  const commitAt = (name) =>
    git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`)?.toString().trim() ?? null;
  const starts = ['HEAD', 'refs/heads/main', 'refs/remotes/origin/main'].map(commitAt);
  const start = starts.find((commit) => configAt(commit) !== undefined) ?? null;
  const branchAt = (at) => (isText(configAt(at)?.branch) ? configAt(at).branch : 'main');
  const branch = branchAt(start);
  const named = commitAt(`refs/heads/${branch}`) ?? commitAt(`refs/remotes/origin/${branch}`);
  // A branch that does not itself say it is the record is not: the ledger then says who changed config.yaml.
  const commit = start === null || (named !== null && branchAt(named) === branch) ? named : start;
  if (commit === null) throw new CannotTell(`"${root}" has no branch "${branch}" that holds a record`);
  const { id, owner } = configAt(commit) ?? {};
  // That config.yaml is gone or unreadable is for the ledger to say.
  return /^[\w-]{8,64}$/.test(isText(id) ? id : '') && isPublicKey(owner) ? { commit, id, owner } : { commit };
}

/** Whose the record is, where its config.yaml does not say: the one you know, else who signed its first event. */
function ownerOf(known, logs) {
  const firsts = [...logs.values()].map(({ files }) => files.get(0)?.event);
  const [key, another] = firsts.flatMap((event) => (event?.local?.verb === 'init' ? [event.key] : []));
  const owner = known ?? (another === undefined ? key : undefined);
  if (owner === undefined) throw new CannotTell('The committed config.yaml names no owner that can be read');
  return { owner, id: repositoryOf(owner) };
}

async function verifyRepository(report, { root, against, owner }) {
  if (git(root, 'rev-parse', '--git-dir') === null)
    throw new CannotTell(`"${root}" is not the root of a git repository`);
  const found = findRecord(root);
  report.head = found.commit;
  const remembered = against === undefined ? null : readExport(against);
  if (remembered === null) report.notes.push(UNKNOWN_PAST);
  const entries = listTree(root, found.commit);
  if (entries.some(({ path }) => /^\.jjconflict-(?:base|side)-0\//.test(path)))
    throw new CannotTell('The branch is a conflicted jj commit');
  const { logs, strays } = await readLedger(root, entries);
  const known = owner ?? remembered?.owner;
  const record = { ...found, ...(found.owner === undefined ? ownerOf(known, logs) : {}) };
  if (isReRooted(report, record, { known, logs })) return;
  const founding = logOf(record.owner);
  for (const name of [founding, ...(remembered?.logs.keys() ?? [])]) if (!logs.has(name)) logs.set(name, newLog(name));
  logs.get(founding).isFounding = true;
  for (const [name, { key }] of remembered?.logs ?? []) {
    logs.get(name).remembered = remembered.logs.get(name);
    logs.get(name).key = key;
  }
  for (const path of strays) report.add('inserted', 'stray_file', path, 'Neither an event nor a checkpoint');
  for (const entry of entries.filter(isStray))
    report.add(
      'unrecorded_change',
      'stray_file',
      entry.path,
      'A link, a submodule or another spelling of a file of the record',
    );
  const now = Date.now();
  const events = [...logs.values()].flatMap(({ files }) => [...files.values()]);
  report.checked.events = events.length;
  report.checked.logs = logs.size;
  const { authority, faults } = judgeErased(report, {
    events: events.flatMap((file) => (file.event !== null && isInPlace(file) ? [file.event] : [])),
    now,
    judgeAll() {
      for (const log of logs.values()) {
        Object.assign(log, UNCHECKED_LOG);
        for (const file of log.files.values()) Object.assign(file, { verdict: undefined, isAhead: undefined });
        checkLog(report, log, record.id, now);
      }
      return judge(orderEvents([...logs.values()].map(countable)), record.owner);
    },
  });
  for (const log of logs.values()) checkRemembered(report, log, authority);
  const loss = lossOf(report, { logs, events, authority, owner: record.owner });
  reportFaults(report, faults, { logs, loss });
  for (const { agent_id, since } of authority.quarantines) {
    const from = new Date(since).toISOString();
    report.notes.push(`What "${agent_id}" wrote from ${from} on is in quarantine until decided anew`);
  }
  await checkFiles(report, { root, entries, authority, loss, faults });
}

/** Files of the ledger, each event read once and its bytes let go. */
async function readLedger(root, entries) {
  const logs = new Map();
  const strays = [];
  const wanted = [];
  const logNamed = (name) => {
    if (!logs.has(name)) logs.set(name, newLog(name));
    return logs.get(name);
  };
  const put = (path, read) => {
    const place = placeOf(path);
    const { problem, says, isMissing } = read;
    const event = problem === undefined ? read : null;
    logNamed(place.log).files.set(place.seq, { path, ...place, event, problem, says, isMissing });
  };
  for (const entry of entries) {
    if (!/^ledger\//i.test(entry.path)) continue;
    const name = placeOf(entry.path)?.log ?? checkpointLogOf(entry.path);
    // A link or a submodule in the place of a file is not the file.
    if (name === null) strays.push(entry.path);
    else if (entry.mode.startsWith('100')) wanted.push(entry);
    else if (placeOf(entry.path) !== null) put(entry.path, { problem: 'A link in the place of an event' });
  }
  for await (const [{ path }, bytes] of readEntries(root, wanted)) {
    const name = checkpointLogOf(path);
    if (name === null) put(path, readEvent(bytes));
    else logNamed(name).checkpoint = bytes === null ? null : (utf8(bytes) ?? '');
  }
  return { logs, strays };
}

/**
 * What is no file where the record has files, or takes the place of one where a file system knows no case: nothing that is
 * read here, but those who read working files would follow it.
 */
function isStray({ path, mode }) {
  const lower = path.toLowerCase();
  if (lower.startsWith('ledger/')) return false;
  const isOfRecord = (name) => isGoverned(name) || isThoughtLike(name);
  if (mode.startsWith('100')) return isOfRecord(lower) && !isOfRecord(path);
  return isOfRecord(lower) || /^(?:trails|hooks)(?:\/|$)/.test(lower);
}

/** Another owner than the one that is known, or than the ledger itself goes back to. Then nothing else is judged. */
function isReRooted(report, record, { known, logs }) {
  const add = (message) => report.add('re_rooted', 're_rooted', 'config.yaml', message) ?? true;
  if (known !== undefined && record.owner !== known) return add('The record has another owner than the one you know');
  if (record.id !== repositoryOf(record.owner)) return add('The repository id is not that of the owner key');
  for (const log of logs.values()) {
    const event = log.files.get(0)?.event;
    const isOtherRoot = event?.local?.verb === 'init' && event.key !== record.owner;
    const origin = `waymark/${isOtherRoot ? repositoryOf(event.key) : ''}/`;
    if (isOtherRoot && log.checkpoint?.startsWith(origin)) return add(`Log ${log.name} goes back to another owner`);
  }
  return false;
}

/** Events of a log that may count, by number: those in their place, with the sidecar that was signed. */
function countable(log) {
  const inPlace = [...log.files.values()].filter((file) => isInPlace(file) && file.event.local !== null);
  const events = inPlace
    .sort((a, b) => a.seq - b.seq)
    .map(({ event, verdict, path, isAhead }) => {
      // Out of its chain, or ahead of time, it counts for nothing, and is named already.
      return { ...event, path, ...(verdict === 'forked' || isAhead ? { fault: [null, 'event_invalid'] } : {}) };
    });
  return events;
}

/**
 * What may be missing, so that what is unbacked only follows from it: `any` event, or one that gave `authority`. A record
 * that an event says it saw, and that is in no log, shows that the end of a log is gone.
 */
function lossOf(report, { logs, events, authority, owner }) {
  const damaged = [...logs.values()].filter(({ isDamaged }) => isDamaged);
  const here = new Set(events.flatMap((file) => (isInPlace(file) ? file.event.hash : [])));
  const isCutNamed = report.findings.some(({ verdict }) => verdict === 'cut_tail');
  // A log that is as short as a "restored" event says explains records that are missing.
  const isDeclared = authority.restored.some(({ log, size }) => soundLength(logs.get(log) ?? newLog(log)) < size);
  let isDangling = false;
  for (const { event, path, verdict } of events) {
    if (event === null || verdict !== undefined || event.local === null) continue;
    if (event.seen === null || here.has(event.seen)) continue;
    const message = `The record it says it follows is in no log: ${event.seen}`;
    if (isDeclared) report.notes.push(`${path}: ${message}; a "restored" event says that records were lost`);
    else {
      // A hole that is named explains it, and says itself whether an enrolment may have gone with it.
      const isExplained = damaged.length > 0 || isCutNamed;
      report.add(isExplained || isDangling ? null : 'cut_tail', 'missing_seen', path, message);
      if (!isExplained) isDangling = true;
    }
  }
  const mayEnrol = new Set(
    [
      owner,
      ...[...authority.keys.values()].filter(({ role }) => RANK[role] >= RANK.operator).map(({ key }) => key),
    ].map(logOf),
  );
  const isAuthorityLost = damaged.some(({ name }) => mayEnrol.has(name));
  return {
    any: damaged.length > 0 || isDangling || isCutNamed,
    authority: isAuthorityLost || isDangling || !logs.has(logOf(owner)),
  };
}

const FAULTS = {
  unknown_key: 'No event that counts enrols the key of this log',
  after_revocation: 'A revocation of its key leaves fewer events than this one standing',
  not_the_author: 'It changes a thought that another agent saved',
  thought_frozen: 'It changes a thought that was decided',
  removes_thought: 'It leaves a thought without a file',
};

const CUSTODY = ['not_the_author', 'thought_frozen', 'removes_thought'];

/** Names the events that do not count. */
function reportFaults(report, faults, { logs, loss }) {
  // A key that only such an event enrols is no finding of its own.
  const named = new Set(faults.flatMap(({ event }) => event.local.enrolment?.key ?? []));
  const isNamed = new Set(report.findings.flatMap(({ verdict, path }) => (verdict === undefined ? [] : path)));
  for (const { event, fault } of faults) {
    // One that does not belong there at all.
    if (isNamed.has(event.path)) continue;
    const [verdict, code] = fault;
    const isCustody = CUSTODY.includes(code);
    const follows =
      verdict !== 'after_revocation' &&
      (loss.authority ||
        logs.get(event.log).isFirstLost ||
        (isCustody && loss.any) ||
        (verdict === 'unknown_key' && named.has(event.key)));
    const message = FAULTS[code] ?? `Its key may not sign this: ${code}`;
    if (verdict !== null) report.add(follows ? null : verdict, code, event.path, message);
  }
}

/** Thoughts and settings against the ledger, and what it says is there and is not. */
async function checkFiles(report, { root, entries, authority, loss, faults }) {
  const regular = entries.filter(({ mode }) => mode.startsWith('100'));
  const add = (path, [verdict, code, message]) => {
    const follows = (verdict === 'unrecorded_change' && loss.any) || (verdict === 'wrong_role' && loss.authority);
    report.add(follows ? null : verdict, code, path, message);
  };
  for await (const [{ path }, bytes] of readEntries(
    root,
    regular.filter(({ path }) => isThoughtLike(path)),
  )) {
    report.checked.thoughts += 1;
    const fault = faultOfThought(path, bytes, authority.lastOf.get(path));
    if (fault !== null) add(path, fault);
  }
  const files = new Map();
  for await (const [{ path }, bytes] of readEntries(
    root,
    regular.filter(({ path }) => isGoverned(path)),
  )) {
    files.set(path, bytes ?? Buffer.alloc(0));
  }
  const isEnrolmentFaulty = faults.some(({ event: { local } }) => local.enrolment ?? local.revocation);
  const named = new Set();
  for (const path of [...new Set([...files.keys(), ...authority.inForce.keys(), 'keys.yaml'])].sort()) {
    const fault = faultOfSetting(path, files.get(path) ?? null, authority, files);
    if (fault === null) continue;
    named.add(path);
    const follows = path === 'keys.yaml' ? isEnrolmentFaulty : authority.lastOf.get(path)?.counts === false;
    add(path, [follows ? null : fault[0], fault[1], fault[2]]);
  }
  const there = new Set(regular.map(({ path }) => path));
  for (const [path, { change, counts }] of authority.lastOf) {
    if (there.has(path) || named.has(path) || (counts && change.after === null)) continue;
    add(path, [
      counts ? 'unrecorded_change' : null,
      'missing_file',
      'The ledger says this file exists, and it is gone',
    ]);
  }
}

// --- An evidence folder ----------------------------------------------------------------------------------------------

const EVIDENCE = isShape({
  waymark_evidence: (version) => version === 1,
  repository: isText,
  owner: isPublicKey,
  head: isText,
  subject: (about) => isObject(about) && isText(about.thought_id) !== isHash(about.record_hash),
  truncated: (value) => typeof value === 'boolean',
  files: isListOf(isShape({ path: isText, sha256: isHex(64) })),
  thoughts: isListOf(
    isShape({ thought_id: isText, path: isText, file: isText, status: isOneOf(STATUSES), event: isHash }),
  ),
});
const PROOFS = isListOf(
  isShape({
    record_hash: isHash,
    log: isHex(16),
    leaf_index: isCount(0xffffffff),
    tree_size: isCount(2 ** 32),
    inclusion: isListOf((node) => isText(node) && Buffer.from(node, 'base64').length === 32),
  }),
);

/**
 * What an evidence folder can prove: that these records were signed by these keys, stand in logs whose checkpoints those
 * keys signed, that the keys go back to the owner, and that each text is the one its newest record here was signed over.
 * It cannot show what came later, or what was left out.
 */
function verifyEvidence(report, { root, owner }) {
  const evidence = parseJson(readInput(join(root, 'evidence.json')));
  if (!EVIDENCE(evidence)) throw new CannotTell(`"${root}" holds no evidence.json that can be read`);
  report.notes.push(
    'Evidence shows what it holds; the record itself may have gone on since',
    `It says that it was taken at commit ${evidence.head}, which nothing here shows`,
  );
  if (evidence.truncated) report.notes.push('There were more causes than an archive holds');
  if (owner === undefined)
    report.notes.push(`It goes back to owner key ${evidence.owner}: give the key you know with "--owner KEY"`);
  const reRooted = (message) => report.add('re_rooted', 're_rooted', 'evidence.json', message);
  if ((owner !== undefined && owner !== evidence.owner) || evidence.repository !== repositoryOf(evidence.owner))
    return reRooted('The evidence is of another owner than the one you know');
  const files = readEvidenceFiles(report, root, evidence);
  const lines = readLines(files);
  const { events, authority, faults } = judgeErased(report, {
    events: lines.flatMap(({ event }) =>
      event.problem === undefined && event.log === logOf(event.key) ? [event] : [],
    ),
    now: Date.now(),
    judgeAll() {
      const sound = readRecords(report, lines);
      return { events: sound, ...judge(sound, evidence.owner) };
    },
  });
  const inits = events.filter(({ local }) => local.verb === 'init');
  if (inits.some(({ key }) => key !== evidence.owner)) return reRooted('The records go back to another owner');
  proveRecords(report, { events, files, repository: evidence.repository });

  const isBroken = report.verdicts.some((verdict) => verdict !== 'cannot_tell');
  const add = (path, [verdict, code, message]) => {
    report.add((isBroken || inits.length === 0) && verdict !== 'cannot_tell' ? null : verdict, code, path, message);
  };
  if (inits.length === 0)
    report.add(
      isBroken ? null : 'removed',
      'init_missing',
      'records.jsonl',
      'The record in which the owner began is gone',
    );
  for (const { event, fault } of faults) {
    const [verdict, code] = fault;
    // What a thought was before is not all here, so that only the keys are judged.
    if (!CUSTODY.includes(code)) add(event.path, [verdict, code, FAULTS[code] ?? `Its key may not sign this: ${code}`]);
  }
  checkTexts(report, { evidence, files, authority, add });
  if (files.has('keys.json') && !isKeyList(parseJson(utf8(files.get('keys.json'))), events, authority))
    add('keys.json', ['unrecorded_change', 'keys_differ', 'It is not what the enrolments among the records say']);
  checkSubject(report, { evidence, events, authority, add });
  const own = events.flatMap(({ key, local }) =>
    local.enrolment?.key === key && local.role === 'agent' ? local.agent_id : [],
  );
  if (own.length > 0)
    report.notes.push(
      `Keys that enrolled themselves, whose names are their own word: ${[...new Set(own)].sort().join(', ')}`,
    );
}

function readLines(files) {
  const lines = (files.get('records.jsonl') ?? Buffer.alloc(0)).toString('latin1').split('\n').filter(Boolean);
  return lines.map((line, at) => ({
    path: `records.jsonl:${at + 1}`,
    event: readEvent(Buffer.from(line, 'latin1')),
  }));
}

/** The records that hold, in the order they lie in, which must be one that the logs and what was `seen` allow. */
function readRecords(report, lines) {
  const events = [];
  const [ends, awaited, met] = [new Map(), new Set(), new Set()];
  report.checked.events = lines.length;
  for (const { path, event } of lines) {
    if (event.problem !== undefined || event.local === null) {
      report.add('edited', 'event_edited', path, event.problem ?? 'The sidecar is not the one that was signed');
      continue;
    }
    if (event.log !== logOf(event.key)) {
      report.add('re_signed', 'event_re_signed', path, 'Another key signed it');
      continue;
    }
    if (met.has(event.hash)) {
      report.add('inserted', 'event_inserted', path, 'The record is here already');
      continue;
    }
    met.add(event.hash);
    const isLate = event.seq <= (ends.get(event.log) ?? -1) || awaited.has(event.hash);
    if (isLate) report.add('reordered', 'event_reordered', path, 'It comes after a record that follows it');
    ends.set(event.log, event.seq);
    awaited.add(event.seen);
    events.push({ ...event, path });
  }
  report.checked.logs = ends.size;
  return events;
}

/** Each record must stand in its log, each proof and checkpoint be of a record that is here. */
function proveRecords(report, { events, files, repository }) {
  const proofs = parseJson(utf8(files.get('proofs.json') ?? Buffer.from('[]')));
  const byHash = new Map((PROOFS(proofs) ? proofs : []).map((proof) => [proof.record_hash, proof]));
  const logs = new Set(events.map(({ log }) => log));
  for (const event of events) {
    checkInclusion(report, { event, path: event.path, proof: byHash.get(event.hash), files, repository });
    byHash.delete(event.hash);
  }
  const isNamed = report.findings.length > 0;
  for (const { record_hash, log } of byHash.values()) {
    logs.add(log);
    const message = `Record ${record_hash} is proved and gone`;
    report.add(isNamed ? null : 'removed', 'record_removed', 'records.jsonl', message);
  }
  for (const path of files.keys()) {
    const isIdle = path.startsWith('checkpoints/') && !logs.has(path.slice('checkpoints/'.length));
    if (isIdle) report.add(isNamed ? null : 'inserted', 'stray_file', path, 'A checkpoint of a log without records');
  }
}

/** The files that are judged, as they are; what is gone or changed is named. The list of files is signed by nobody. */
function readEvidenceFiles(report, root, evidence) {
  const listed = new Map(evidence.files.map(({ path, sha256: digest }) => [path, digest]));
  const inFolder = (name) => (existsSync(join(root, name)) ? readdirSync(join(root, name)) : []);
  const there = ['thoughts', 'checkpoints'].flatMap((name) => inFolder(name).map((file) => `${name}/${file}`));
  const files = new Map();
  for (const path of new Set([...listed.keys(), 'records.jsonl', 'proofs.json', 'keys.json', ...there])) {
    // Only names below the folder: the list is as hostile as anything else in it.
    const isInside = path.split('/').every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part));
    const facts = isInside ? lstatSync(join(root, path), { throwIfNoEntry: false }) : undefined;
    if (!facts?.isFile()) {
      const isExtra = !listed.has(path) && there.includes(path);
      if (isExtra) report.add('inserted', 'stray_file', path, 'It is no file of the evidence');
      else report.add('removed', 'file_removed', path, 'A file of the evidence is not here');
      continue;
    }
    if (facts.size > MAX_INPUT_BYTES) throw new CannotTell(`"${path}" is too large`);
    const bytes = readFileSync(join(root, path));
    files.set(path, bytes);
    // What a changed file says is judged by its signatures.
    if (sha256(bytes).toString('hex') !== listed.get(path))
      report.notes.push(`${path} is not the file that was packed`);
  }
  const known = new Set(['evidence.json', 'thoughts', 'checkpoints', ...files.keys()]);
  for (const name of readdirSync(root)) if (!known.has(name)) report.notes.push(`${name} is no part of the evidence`);
  return files;
}

/** Each text must be what the newest record about it was signed over, and stated as that says. */
function checkTexts(report, { evidence, files, authority, add }) {
  const stated = new Set();
  for (const { thought_id, path, file, status, event } of evidence.thoughts) {
    report.checked.thoughts += 1;
    stated.add(file);
    const bytes = files.get(file);
    const last = authority.lastOf.get(path);
    const isNamed =
      thoughtPlaceOf(path)?.id === thought_id && /^thoughts\/([^/-]+)(?:-\d+)?\.md$/.exec(file)?.[1] === thought_id;
    const isGone = bytes === undefined && !report.findings.some((finding) => finding.path === file);
    if (isGone) report.add('removed', 'file_removed', file, 'A text that evidence.json states is not here');
    const fault = bytes === undefined ? null : faultOfThought(path, bytes, last);
    if (fault !== null) add(file, fault);
    else if (!isNamed || (last !== undefined && (last.change.status !== status || last.event.hash !== event)))
      add('evidence.json', ['unrecorded_change', 'misstated', `It states "${file}" otherwise than the records do`]);
  }
  for (const file of files.keys()) {
    const isUnstated = file.startsWith('thoughts/') && !stated.has(file);
    if (isUnstated) add(file, ['unrecorded_change', 'no_event', 'Nothing says which thought this text is of']);
  }
}

/** Whether `keys.json` says of the keys that signed what the records say, and of no other. */
function isKeyList(rows, events, { keys }) {
  const byHash = new Map(events.map((event) => [event.hash, event]));
  const isRow = ({ key, log, agent_id, role, name, protection, enrolled_by }) => {
    const known = keys.get(key);
    const by = byHash.get(enrolled_by);
    return (
      known !== undefined &&
      jcs([log, agent_id, role, name ?? null, protection]) ===
        jcs([logOf(key), known.agent_id, known.role, known.name ?? null, known.protection]) &&
      (by?.local.enrolment?.key === key || (by?.local.verb === 'init' && by.key === key))
    );
  };
  const isList = Array.isArray(rows) && rows.every((row) => isObject(row) && isPublicKey(row.key) && isRow(row));
  return isList && events.every(({ key }) => !keys.has(key) || rows.some((row) => row.key === key));
}

/** What the evidence is about must be in it. The maker chose it: no signature does. */
function checkSubject(report, { evidence: { subject, thoughts }, events, authority, add }) {
  const { thought_id, record_hash } = subject;
  report.notes.push(`It is about ${thought_id === undefined ? `record ${record_hash}` : `thought ${thought_id}`}`);
  const about = thoughts.filter((thought) => thought.thought_id === thought_id);
  for (const { path } of about) {
    const { event, change } = authority.lastOf.get(path) ?? {};
    if (event === undefined) continue;
    const { role, agent_id, verb, attested } = event.local;
    const whose =
      attested === undefined ? '' : `, for ${attested.agent_id}, known as ${attested.role} by ${attested.method}`;
    report.notes.push(`${path}: ${change.status}, by "${verb}" of ${agent_id} as ${role}${whose}`);
  }
  const isHere = thought_id === undefined ? events.some(({ hash }) => hash === record_hash) : about.length > 0;
  if (!isHere) add('evidence.json', ['removed', 'subject_missing', 'What the evidence is about is not in it']);
}

/** The record must be a leaf of the tree whose root its key signed. */
function checkInclusion(report, { event, path, proof, files, repository }) {
  const where = `checkpoints/${event.log}`;
  const note = files.get(where);
  const isNamed = report.findings.some((finding) => finding.path === where);
  if (proof === undefined || note === undefined) {
    const verdict = proof !== undefined && isNamed ? null : 'cannot_tell';
    return report.add(verdict, 'proof_missing', path, 'No proof shows that the record stands in its log');
  }
  const checkpoint = readCheckpoint(utf8(note), repository, event.key);
  if (checkpoint.problem !== undefined)
    return isNamed ? undefined : report.add('edited', 'checkpoint_malformed', where, checkpoint.problem);
  const nodes = proof.inclusion.map((node) => Buffer.from(node, 'base64'));
  const root = rootOfPath(event.leaf, event.seq, checkpoint.size, nodes);
  const isOfRecord = proof.log === event.log && proof.leaf_index === event.seq && proof.tree_size === checkpoint.size;
  if (!isOfRecord || root === null || !root.equals(checkpoint.root)) {
    report.add('edited', 'proof_invalid', path, 'The proof does not lead from the record to the signed checkpoint');
  }
}

// --- Command line ----------------------------------------------------------------------------------------------------

/** The text of an input file. */
function readInput(file) {
  try {
    if (statSync(file).size > MAX_INPUT_BYTES) throw new CannotTell(`"${file}" is too large`);
    return utf8(readFileSync(file));
  } catch (error) {
    throw error instanceof CannotTell ? error : new CannotTell(`"${file}" cannot be read: ${error.code}`);
  }
}

const USAGE = 'usage: node verify.mjs [REPOSITORY | --evidence DIR] [--against FILE] [--owner KEY] [--json]';

/** `null` when the words make no sense. */
function readArguments(words) {
  const options = { json: false };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    const name = { '--against': 'against', '--owner': 'owner', '--evidence': 'evidence' }[word];
    if (word === '--json') options.json = true;
    else if (name !== undefined && at + 1 < words.length) options[name] = words[++at];
    else if (word.startsWith('-') || options.root !== undefined) return null;
    else options.root = word;
  }
  if (options.owner !== undefined && !isPublicKey(options.owner)) return null;
  return options.evidence !== undefined && (options.root ?? options.against) !== undefined ? null : options;
}

/** Control and direction characters made visible: paths are whatever somebody committed. */
function plain(text) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return text.replace(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

function print(report, json) {
  const { findings, notes, checked, verdicts, head } = report;
  if (json) return `${JSON.stringify({ ok: verdicts.length === 0, head, verdicts, findings, notes, checked })}\n`;
  const lines = findings.map(({ verdict = '-', path, message }) => `${verdict}  ${path}: ${message}`);
  const scale = `events ${checked.events}, thoughts ${checked.thoughts}, logs ${checked.logs}`;
  const summary = verdicts.length === 0 ? 'Verified' : `Found: ${verdicts.join(', ')}`;
  const at = head === undefined ? '' : ` at ${head}`;
  return [...lines, ...notes.map((note) => `note  ${note}`), `${summary}${at}: ${scale}`]
    .map((line) => `${plain(line)}\n`)
    .join('');
}

async function main(words) {
  if (words.includes('--help') || words.includes('-h')) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const options = readArguments(words);
  if (options === null) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const report = new Report();
  const here = dirname(fileURLToPath(import.meta.url));
  const isUnpacked =
    options.root === undefined && options.against === undefined && existsSync(join(here, 'evidence.json'));
  const evidence = options.evidence ?? (isUnpacked ? here : undefined);
  const named = evidence ?? options.root ?? '.';
  try {
    if (!existsSync(named)) throw new CannotTell(`"${named}" is not there`);
    const root = realpathSync(named);
    if (evidence === undefined) await verifyRepository(report, { ...options, root });
    else verifyEvidence(report, { root, owner: options.owner });
  } catch (error) {
    // Whatever it was, nothing is vouched for.
    const message = error instanceof CannotTell ? error.message : `It cannot be read: ${error?.message}`;
    report.add('cannot_tell', 'cannot_tell', named, message);
  }
  process.stdout.on('error', () => {});
  process.stdout.write(print(report, options.json));
  return report.exitCode;
}

process.exitCode = await main(process.argv.slice(2));
