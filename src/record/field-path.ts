/**
 * Names the place of a value inside an input, e.g. `metadata.tags[3]`.
 *
 * Such a path reaches messages, logs and denial events, and keys are caller text: one that does not look like a plain
 * name is shown as `<key>`.
 */
export function fieldPath(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  const name = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(key) ? key : '<key>';
  return parent === '' ? name : `${parent}.${name}`;
}
