/**
 * What counts as a secret: fava.md section 9, widened to every PEM private key, AWS id and GitHub token, and to
 * Anthropic keys.
 *
 * Each pattern starts with a fixed prefix and has bounded repetition only, so scanning is linear. A letter or digit
 * before the prefix means that it is part of a longer word (`risk-based`) or digest, and not a token.
 *
 * There are no exceptions, AWS's documentation key `AKIA...EXAMPLE` included: people test a guard with exactly that
 * key, and one that lets it pass looks switched off. Whoever needs it in a thought can shorten it.
 *
 * Not covered: passwords, connection strings, JWTs, personal data.
 */
export interface SecretPattern {
  /** The rule's name in refusals and denial events. */
  readonly id: string;
  readonly pattern: RegExp;
}

export const SECRET_PATTERNS: readonly SecretPattern[] = [
  // RFC 7468 labels, PGP's `PRIVATE KEY BLOCK`, and SSH.com's four dashes.
  { id: 'pem_private_key', pattern: /-{4} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4}/ },
  { id: 'aws_access_key_id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/ },
  { id: 'github_pat', pattern: /(?<![A-Za-z0-9])(?:ghp_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})/ },
  // Since 2026 installation tokens are `ghs_<app>_<JWT>`; GitHub asks scanners to accept dots and underscores.
  { id: 'github_token', pattern: /(?<![A-Za-z0-9])(?:gh[or]_[A-Za-z0-9]{36}|gh[su]_[A-Za-z0-9._-]{36})/ },
  { id: 'anthropic_api_key', pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20}/ },
  { id: 'openrouter_api_key', pattern: /(?<![A-Za-z0-9])sk-or-v1-[A-Za-z0-9]{32}/ },
  {
    id: 'openai_api_key',
    pattern: /(?<![A-Za-z0-9])sk-(?:[A-Za-z0-9]{32}|(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32})/,
  },
  { id: 'stripe_live_key', pattern: /(?<![A-Za-z0-9])[sr]k_live_[A-Za-z0-9]{24}/ },
  { id: 'slack_token', pattern: /(?<![A-Za-z0-9])xox[abceoprs]-[A-Za-z0-9-]{10}/ },
];
