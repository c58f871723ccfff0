/** What a value gives away about itself, where its name alone makes it a suspect. */

/** Hidden, or to be filled in from elsewhere. */
const PLACEHOLDER =
  /^(?:[*x.•_#?-]+$|<|\$|%\w+%$|\{\{|@|(?:your|insert|replace|example|dummy|placeholder|change[-_]?me|redacted|masked)|(?:my|the|some|an?|fake|sample|todo|tbd|hidden|removed|none|null|undefined|nil|empty|unset|true|false|required|optional)(?:$|[-_. ]))/i;
/** Read from elsewhere when the program runs, or a place where it lies. */
const REFERENCE =
  /^(?:(?:process|import\.meta|os|deno|bun|env|secrets|vars|config|settings|self|this|props|args|var|local|data|module)[.[:]|(?:[a-z][a-z0-9+.-]{0,15}:)?\/\/|[~.]{0,2}\/|(?:vault|op|ssm|arn|ref|file|env|secret|sops|keychain):)/i;
/** Digests and ids that name something and open nothing. */
const IDENTIFIER =
  /^(?:sha(?:1|256|384|512)[:-].*|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25})$/i;
/** What stands behind "password:" in writing about passwords. */
const METHOD =
  /^(?:argon2(?:id?|d)?|s?crypt|bcrypt\w{0,3}|pbkdf2\S*|sha-?\d{1,3}(?:-\d{3})?|md[45]|hmac\S*|o?auth-?2(?:\.\d)?|openid\S*|saml2?|ed25519|x25519|aes-?\d{3}\S*|base-?(?:32|58|64)(?:url)?|[rhep]s\d{3}|totp|utf-?8|v\d+|oauth2\S*|\d+[a-z]{0,5})$/i;

/** Stands in for a secret, or says where it is. */
export function isStandIn(value: string): boolean {
  return value === '' || PLACEHOLDER.test(value) || REFERENCE.test(value) || IDENTIFIER.test(value);
}

/** Fits somebody's password: 7 characters or more, letters and something else, and no name of a method. */
export function looksLikePassword(value: string): boolean {
  if (value.length < 7 || isStandIn(value) || METHOD.test(value)) return false;
  return /\p{L}/u.test(value) ? /[\d!@#$%^&*+=?~|\\]/.test(value) && !isDottedName(value) : /\D/.test(value);
}

/**
 * Made by a machine: at least 16 characters, 3 bits each by Shannon's measure over the value itself, and letters, digits
 * and cases in no order. Words joined by hyphens, and names in camel case, change their kind of character rarely.
 */
export function looksRandom(value: string): boolean {
  if (value.length < 16 || isStandIn(value) || isDottedName(value)) return false;
  if (/^[0-9a-f]{32,}$/i.test(value)) return true;
  const longest = value.split(/[-_./:]/).reduce((best, part) => (part.length > best.length ? part : best), '');
  return (
    entropyOf(value) >= 3 && (kindChanges(value) >= 0.25 || (longest.length >= 12 && kindChanges(longest) >= 0.25))
  );
}

/** `settings.secretKey2`: words after words, with few digits. */
function isDottedName(value: string): boolean {
  return /^[A-Za-z_$][\w$]{0,40}(?:\??\.[A-Za-z_$][\w$]{0,40}){1,8}$/.test(value) && kindChanges(value) < 0.25;
}

/** Bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...counts.values()].reduce((bits, count) => bits - (count / total) * Math.log2(count / total), 0);
}

/** The share of neighbours of different kinds: lower case, upper case, digit. A capital before small letters is no change. */
function kindChanges(text: string): number {
  let changes = 0;
  for (let at = 1; at < text.length; at += 1) {
    const [before, after] = [kindOf(text.charCodeAt(at - 1)), kindOf(text.charCodeAt(at))];
    if (before !== after && before !== 'other' && after !== 'other' && !(before === 'upper' && after === 'lower')) {
      changes += 1;
    }
  }
  return text.length < 2 ? 0 : changes / (text.length - 1);
}

function kindOf(code: number): 'lower' | 'upper' | 'digit' | 'other' {
  if (code >= 0x61 && code <= 0x7a) return 'lower';
  if (code >= 0x41 && code <= 0x5a) return 'upper';
  return code >= 0x30 && code <= 0x39 ? 'digit' : 'other';
}
