import type { Json } from '../thought.ts';

/**
 * Matches plain text that PyYAML 6 reads as something other than a string: bool, int, float, null, timestamp, and the
 * `<<` and `=` keys of YAML 1.1. Source: PyYAML's `resolver.py`.
 */
const READS_AS_OTHER_TYPE = new RegExp(
  [
    '~|null|Null|NULL|<<|=|',
    'yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF',
    '[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+',
    '[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\\.[0-9_]*',
    '[-+]?[0-9][0-9_]*\\.[0-9_]*(?:[eE][-+][0-9]+)?|\\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?',
    '[-+]?\\.(?:inf|Inf|INF)|\\.(?:nan|NaN|NAN)',
    '[0-9]{4}-[0-9]{2}-[0-9]{2}',
    '[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]| +)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]*)?(?: *(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?',
  ]
    .map((alternatives) => `^(?:${alternatives})$`)
    .join('|'),
);

/** Matches printable ASCII that YAML does not allow as a plain scalar in block context. Source: PyYAML's `emitter.py`. */
const NOT_ALLOWED_PLAIN = /^[#,[\]{}&*!|>'"%@`]|^[?:-](?: |$)|^(?:---|\.\.\.)|: |:$| #|^ | $/;

/** Matches nearly all text in practice, in one cheap test: words joined by single blanks, hyphens or colons. */
const SURELY_ALLOWED_PLAIN = /^[A-Za-z0-9](?:[-: ]?[A-Za-z0-9_.,/+()])*$/;

/** Whether PyYAML writes this text plain, and so reads it back as the same string. Only printable ASCII without `---`. */
export function isPlain(text: string): boolean {
  if (!SURELY_ALLOWED_PLAIN.test(text) && !isAllowedPlain(text)) return false;
  // Other types are words of at most five letters or start below "?": most text never meets the long pattern.
  const mayBeOther = text.length <= 'false'.length || text < '?';
  return !(mayBeOther && READS_AS_OTHER_TYPE.test(text));
}

function isAllowedPlain(text: string): boolean {
  return PRINTABLE_ASCII.test(text) && !text.includes('---') && !NOT_ALLOWED_PLAIN.test(text);
}

/** Matches text without line breaks, tabs, control characters and all that is not ASCII. */
export const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Matches the numbers that YAML 1.1 (PyYAML) and YAML 1.2 (core schema) read alike. */
const NUMBER_OF_BOTH =
  /^(?:[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+|[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?|\.[0-9]+(?:[eE][-+][0-9]+)?)$/;

/**
 * The value of a plain scalar.
 *
 * A number is only what both YAML versions read as the same finite number and a double holds exactly enough to write
 * back; all else stays the text it is. PyYAML writes the strings `1e3` and `09111` plain, YAML 1.2 alone would make
 * numbers of them, and an integer of 20 digits would lose some.
 */
export function resolvePlain(text: string): Json {
  switch (text) {
    case '':
    case '~':
    case 'null':
    case 'Null':
    case 'NULL':
      return null;
    case 'true':
    case 'True':
    case 'TRUE':
      return true;
    case 'false':
    case 'False':
    case 'FALSE':
      return false;
  }
  if (!NUMBER_OF_BOTH.test(text)) return text;
  const number = Number(text);
  const isFloat = text.includes('.');
  return Number.isSafeInteger(number) || (isFloat && Number.isFinite(number)) ? number : text;
}
