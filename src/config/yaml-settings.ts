/** Reads a settings file: bytes -> YAML -> zod, each failure named by file, line or key. */
import { LineCounter, parseDocument, stringify } from 'yaml';
import type { z } from 'zod';
import { isTooDeep } from '../record/codec/nesting.ts';
import { fieldPath } from '../record/field-path.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';

/** FAVA's readiness probe has the same cap (fava.md 3.11). */
const MAX_BYTES = 256 * 1024;

export interface SettingsFile<T> {
  /** The file's name in messages. */
  readonly name: string;
  readonly schema: z.ZodType<T>;
  /** What to do about a malformed file. @default to correct and commit it */
  readonly next?: string;
}

/** An empty file is an empty map, as FAVA reads it. */
export function parseSettings<T>(bytes: Uint8Array, file: SettingsFile<T>): Outcome<T> {
  const { schema } = file;
  if (bytes.length > MAX_BYTES) return fail(file, `has ${bytes.length} bytes, the limit is ${MAX_BYTES}`);
  const data = parseYaml(bytes, file);
  if (!data.ok) return data;
  const result = schema.safeParse(data.value ?? {});
  if (result.success) return ok(result.data);
  const issue = result.error.issues[0];
  const field = (issue?.path ?? []).reduce<string>((path, key) => fieldPath(path, asKey(key)), '');
  return fail(
    file,
    field === '' ? `is malformed: ${issue?.message}` : `has a bad "${field}": ${issue?.message}`,
    field,
  );
}

/**
 * Strings are double-quoted and unfolded, so that readers of YAML 1.1 (PyYAML) and 1.2 agree on every value, also on an
 * id that looks like a number.
 */
export function renderSettings(settings: Readonly<Record<string, unknown>>): string {
  const text = stringify(settings, {
    version: '1.1',
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  // The library leaves these raw; PyYAML refuses them or takes them for line ends.
  return text.replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** YAML 1.1, because FAVA reads and writes these files with PyYAML. */
function parseYaml(bytes: Uint8Array, file: NamedFile): Outcome<unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fail(file, 'is not UTF-8');
  }
  if (isTooDeep(text)) return fail(file, 'is nested too deeply: flatten its lists and maps');
  const lines = new LineCounter();
  const document = parseDocument(text, { version: '1.1', lineCounter: lines, prettyErrors: false });
  const error = document.errors[0];
  if (error) return fail(file, `is not YAML at line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  try {
    return ok(document.toJS());
  } catch (error) {
    // The library throws on aliases that resolve to nothing or expand without bound.
    return fail(file, `cannot be read: ${error instanceof Error ? error.message : 'unknown YAML error'}`);
  }
}

type NamedFile = Pick<SettingsFile<unknown>, 'name' | 'next'>;

function fail({ name, next }: NamedFile, problem: string, field?: string): Refusal {
  return refuse('repository', `${name} ${problem}`, {
    next: next ?? `Correct ${name} and commit it`,
    ...(field ? { field } : {}),
  });
}

function asKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}
