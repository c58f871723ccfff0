/** Secrets without a shape of their own, known by what stands before them. */
import { isStandIn, looksLikePassword, looksRandom } from './guessing.ts';
import type { SecretRule } from './rule.ts';

/** The end of a name, what assigns, and a value without white space; a call `f(` is no value. */
const ASSIGNMENT =
  /(password|passwd|passphrase|pwd|(?:^|[^a-z])(?:db|my|user|root|admin)_?pass|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|auth[_-]?key|credentials?)(s?[A-Za-z0-9_-]{0,24})(["'\\`*]{0,4})[ \t]{0,24}(:=|=>|==?|:)(?:[ \t]{0,24}|[ \t]{0,4}(?:[|>][+-]?)?\r?\n[ \t]{1,16})(["'\\`]{0,3})([^\s"'`\\,;<>(){}[\]]{6,400}|<[^\s]{1,40})(["'`\\]?)(.?)/gi;
/** Element of XML, or argument of a command. */
const ENCLOSED =
  /(?:<|(?<![A-Za-z0-9-])--?)(?:[A-Za-z0-9_.:-]{0,24}[_.:-])?(password|passwd|passphrase|pwd|secret|token|api-?key|access-?key|client-?secret|secret-?key)(?:[ \t]{0,4}>|[ \t]{1,4})["']?([^\s"'`<>(){}[\]]{6,400})/gi;
/** What is about a secret and none itself. */
const ABOUT =
  /(?:hash|digest|policy|length|type|kind|algorithm|algo|file|path|dir|name|ur[il]|id|count|limit|budget|expir\w*|ttl|reset|field|min|max|rotation|age|version|ref|arn|manager|store|scanning|scanner|endpoint|count|usage|regex|pattern|rule|hint|label|prompt|public)s?$/i;
const BEARER = /(?<![A-Za-z0-9])bearer\s{1,4}["']?([A-Za-z0-9._~+/-]{16,400}={0,2})/gi;
const BASIC = /(?<![A-Za-z0-9])basic\s{1,4}["']?([A-Za-z0-9+/_-]{6,400}={0,2})(?![A-Za-z0-9+/=])/gi;
/** RFC 3986, 3.2.1; what `@` ends is the host's. */
const USERINFO =
  /(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.-]{1,20}):\/\/[^\s:@/?#"'<>]{0,128}:([^\s@/?#"'<>]{1,256}|<[^\s@]{1,64}>)@/gi;
/** Of documentation: everybody's, and nobody's. */
const EVERYBODYS = /^(?:pass|passwd|password|pw|pwd|secret|token|user|guest|1234|pass123)$/i;

export const CREDENTIAL_RULES: readonly SecretRule[] = [
  { id: 'bearer_token', finds: (text) => some(text, BEARER, ([, token = '']) => looksRandom(token)) },
  { id: 'basic_authorization', finds: (text) => some(text, BASIC, ([, pair = '']) => isUserAndPassword(pair)) },
  {
    id: 'connection_string_password',
    finds: (text) => some(text, USERINFO, ([, scheme = '', password = '']) => !isWeb(scheme) && isOwn(password)),
  },
  {
    id: 'basic_auth_url',
    finds: (text) => some(text, USERINFO, ([, scheme = '', password = '']) => isWeb(scheme) && isOwn(password)),
  },
];

/** `PASSWORD=...`, `secret: "..."`, in text or as a member of an object written as text. */
export const ASSIGNMENT_RULE: SecretRule = {
  id: 'secret_assignment',
  finds: (text) => some(text, ASSIGNMENT, isSecretAssigned) || some(text, ENCLOSED, isSecretEnclosed),
};

function isSecretEnclosed([, name = '', value = '']: RegExpExecArray): boolean {
  return /^p(?:ass|wd)/i.test(name) ? looksLikePassword(value) : looksRandom(value);
}

function isSecretAssigned(match: RegExpExecArray): boolean {
  const [, name = '', rest = '', , assigns = '', quote = '', value = '', , after = ''] = match;
  if (ABOUT.test(name + rest) || after === '(' || value.endsWith('://')) return false;
  // People choose passwords and write about them: `password: SHA-256 hashed` goes on with words.
  if (/^(?:pass|pwd|db|my|user|root|admin|[^a-z])/i.test(name)) {
    const endsThere = quote !== '' || assigns !== ':' || !/^[ \t]*[\p{L}\d(]/u.test(restOfLine(match));
    return endsThere && looksLikePassword(value.replace(/[.!?]$/, ''));
  }
  return looksRandom(value);
}

function restOfLine(match: RegExpExecArray): string {
  const end = match.index + match[0].length - (match[8]?.length ?? 0);
  return match.input.slice(end, end + 16).split('\n', 1)[0] ?? '';
}

function isUserAndPassword(encoded: string): boolean {
  const text = Buffer.from(encoded, 'base64').toString('latin1');
  const [, password = ''] = /^[\x21-\x39\x3b-\x7e]{0,128}:([\x20-\x7e]{1,256})$/.exec(text) ?? [];
  return password !== '' && !isStandIn(password);
}

function isOwn(password: string): boolean {
  // With three characters it is an example: `http://abc:xyz@example.com`.
  return password.length > 3 && !isStandIn(password) && !EVERYBODYS.test(password);
}

function isWeb(scheme: string): boolean {
  return /^(?:https?|wss?|git|ftps?|sftp|ssh)$/i.test(scheme);
}

function some(text: string, pattern: RegExp, holds: (match: RegExpExecArray) => boolean): boolean {
  for (const match of text.matchAll(pattern)) if (holds(match)) return true;
  return false;
}
