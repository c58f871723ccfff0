/** Private keys in whatever form they are carried: armour, JSON, or bare. */
import { byPattern, byPatterns, type SecretRule } from './rule.ts';

/**
 * Members of an object in JSON (also escaped, as in a string of another) or YAML. A key in either must be told from
 * prose, so each rule wants several members.
 */
export const OBJECT_RULES: readonly SecretRule[] = [
  // RFC 7518, 6.2.2, 6.3.2 and RFC 8037: "d" is the private part.
  byPatterns('jwk_private_key', [
    /(?<![A-Za-z0-9])kty["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}(?:EC|RSA|OKP|AKP)(?![A-Za-z])/,
    /(?<![A-Za-z0-9])(?:d|priv)["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}[A-Za-z0-9_-]{20}/,
  ]),
  byPatterns('jwk_symmetric_key', [
    /(?<![A-Za-z0-9])kty["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}oct(?![A-Za-z])/,
    /(?<![A-Za-z0-9])k["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}[A-Za-z0-9_-]{20}/,
  ]),
  // The files of this program (`ledger/keys/stored-key.ts`); a sealed one is open to guessing its passphrase.
  byPatterns('waymark_private_key', [
    /(?<![A-Za-z0-9])publicKey["'\\]{0,3}\s{0,4}:/,
    /(?<![A-Za-z0-9])(?:seed|ciphertext)["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/,
  ]),
  byPatterns('google_service_account', [
    /(?<![A-Za-z0-9])type["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}service_account(?![A-Za-z0-9_])/,
    /(?<![A-Za-z0-9])private_key(?:_id)?["'\\]{0,3}\s{0,4}:\s{0,4}["'\\]{0,3}[A-Za-z0-9-]{5}/,
  ]),
];

export const PRIVATE_KEY_RULES: readonly SecretRule[] = [
  // RFC 7468 labels, PGP's `PRIVATE KEY BLOCK`, SSH.com's four dashes; words broken over lines, quoted or escaped.
  byPattern(
    'pem_private_key',
    /-{4}(?:\s|\\[nr]|>){0,4}BEGIN(?:[A-Z0-9\s>]|\\[nr]){0,48}PRIVATE(?:\s|\\[nr]|>){1,6}KEY(?:(?:\s|\\[nr]|>){1,6}BLOCK)?(?:\s|\\[nr]|>){0,4}-{4}/i,
  ),
  byPattern('putty_private_key', /PuTTY-User-Key-File-[1-9]{1,2}:/),
  // What is left of a key when its armour is cut off: the fixed start of openssh-key-v1, and of PKCS#8 and PKCS#1 in DER.
  byPattern(
    'bare_private_key',
    /(?<![A-Za-z0-9+/])(?:b3BlbnNzaC1rZXktdjEA[A-Za-z0-9+/]{20}|MC4CAQAwBQYDK2V[uwx]BCIEI[A-Za-z0-9+/]{40}|MI[GH][A-Za-z0-9+/]{1,3}AgEAMB[AM]GByqGSM49AgE[A-Za-z0-9+/]{20}|MII[A-Za-z0-9+/]{3}IBA(?:DANBgkqhkiG9w0BAQEFAASC|AKC)[A-Za-z0-9+/]{40})/,
  ),
  byPattern('age_secret_key', /(?<![A-Za-z0-9])AGE-(?:SECRET-KEY-(?:PQ-)?|PLUGIN-[A-Z0-9]{1,32}-)1[0-9A-Z]{50}/i),
  // Base64 of "Ed" with its key derivation: minisign's `Sc` and none, signify's `BK`.
  byPattern('minisign_secret_key', /(?<![A-Za-z0-9+/])(?:RWRTY0Iy|RWQAAEIy|RWRCSwAA)[A-Za-z0-9+/]{100}/),
];
