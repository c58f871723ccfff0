/** Puts the `waymark` block into the `config.yaml` of a FAVA repository, whose own text stays as it is. */
import { isDeepStrictEqual } from 'node:util';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { parseRepositoryConfig, renderRepositoryConfig, type WaymarkConfig } from './repository-config.ts';
import { renderSettings } from './yaml-settings.ts';

/**
 * The new bytes. The block is appended as text, so that comments, order and line ends survive; a file whose form takes
 * no more keys at its end (a flow map, a document end, an indented map) is written anew with every value and without its
 * comments. Code `repository` when the file is malformed or names an owner already.
 */
export function addWaymarkBlock(bytes: Uint8Array, waymark: WaymarkConfig): Outcome<Uint8Array> {
  const config = parseRepositoryConfig(bytes);
  if (!config.ok) return config;
  if (config.value.waymark !== undefined) {
    return refuse('repository', 'config.yaml has a "waymark" block already', { next: 'Run "waymark status" there' });
  }
  const { unknownKeys } = config.value;
  const wanted = { ...config.value, waymark };
  const text = Buffer.from(bytes).toString('utf8');
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const block = renderSettings({ waymark }).replaceAll('\n', end);
  const appended = Buffer.from(text + (text === '' || text.endsWith('\n') ? '' : end) + block);
  for (const candidate of [appended, Buffer.from(renderRepositoryConfig(wanted))]) {
    const read = parseRepositoryConfig(candidate);
    if (read.ok && isDeepStrictEqual({ ...read.value, unknownKeys }, wanted)) return ok(candidate);
  }
  return refuse('repository', 'config.yaml cannot take a "waymark" block without changing a value of FAVA', {
    next: 'Write config.yaml as a plain map of keys, commit it, then run "waymark adopt" again',
  });
}
