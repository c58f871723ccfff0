import { expect, test } from 'vitest';
import {
  governedPath,
  isThoughtLike,
  newScopeFiles,
  parseThoughtPath,
  scopeSettingsPath,
  thoughtPath,
} from '../../src/record/paths.ts';
import { NAMESPACES } from '../../src/record/thought.ts';

const ID = '01KD2Q8W5N7YJ3V9T4B6RCXEMA';

test('thoughtPath and parseThoughtPath are inverse in every namespace', () => {
  for (const namespace of NAMESPACES) {
    const path = thoughtPath('acme/eng', namespace, ID);
    expect(path).toBe(`trails/acme/eng/thoughts/${namespace}/${ID}.md`);
    expect(parseThoughtPath(path)).toEqual({ scope: 'acme/eng', namespace, id: ID });
    expect(isThoughtLike(path)).toBe(true);
  }
});

test('parseThoughtPath refuses near misses, which isThoughtLike still names', () => {
  for (const path of [
    `trails/acme/thoughts/${ID}.md`,
    `trails/acme/thoughts/other/${ID}.md`,
    `trails/acme/thoughts/preferences/other/${ID}.md`,
    'trails/acme/thoughts/drafts/notes.md',
    `trails/acme/thoughts/drafts/${ID}.MD`,
    `trails/acme/thoughts/drafts/${ID.toLowerCase()}.md`,
    `trails/thoughts/drafts/${ID}.md`,
    `trails/con/thoughts/drafts/${ID}.md`,
    `trails/acme/Thoughts/drafts/${ID}.md`,
    `trails/acme/thoughts/thoughts/drafts/${ID}.md`,
    `trails//acme/thoughts/drafts/${ID}.md`,
  ]) {
    expect(parseThoughtPath(path), path).toBeNull();
    expect(isThoughtLike(path), path).toBe(true);
  }
});

test('isThoughtLike leaves other files alone', () => {
  expect(isThoughtLike('trails/acme/thoughts/drafts/x.md')).toBe(true);
  for (const path of [
    `other/acme/thoughts/drafts/${ID}.md`,
    `trails/acme/drafts/${ID}.md`,
    'trails/acme/trust-gate-prompt.md',
    'trails/acme/thoughts.md',
    'trails/acme/thoughts/drafts/.gitkeep',
    'README.md',
  ]) {
    expect(isThoughtLike(path), path).toBe(false);
    expect(parseThoughtPath(path), path).toBeNull();
  }
});

test('newScopeFiles makes the folders FAVA makes and the settings file', () => {
  const files = newScopeFiles('acme', 'name: "acmé"\n');
  expect([...files.keys()].sort()).toEqual([
    'trails/acme/.fava-trails.yaml',
    'trails/acme/thoughts/decisions/.gitkeep',
    'trails/acme/thoughts/drafts/.gitkeep',
    'trails/acme/thoughts/intents/.gitkeep',
    'trails/acme/thoughts/observations/.gitkeep',
    'trails/acme/thoughts/preferences/client/.gitkeep',
    'trails/acme/thoughts/preferences/firm/.gitkeep',
  ]);
  expect(new TextDecoder().decode(files.get(scopeSettingsPath('acme')))).toBe('name: "acmé"\n');
  expect(files.get('trails/acme/thoughts/drafts/.gitkeep')).toHaveLength(0);
});

test('governedPath knows settings, prompts, tombstones, keys and hooks, and no thought or near miss', () => {
  for (const path of [
    'config.yaml',
    'keys.yaml',
    'hooks/check.py',
    'hooks/lib/deep.py',
    'trails/.fava-trails.yaml',
    'trails/acme/eng/.fava-trails.yaml',
    'trails/trust-gate-prompt.md',
    'trails/acme/trust-gate-prompt.md',
    'trails/acme/tombstones/0123.yaml',
  ]) {
    expect(governedPath(path), path).toBe(true);
  }
  for (const path of [
    'acme/config.yaml',
    'config.yaml.bak',
    'hooks',
    'myhooks/check.py',
    `trails/acme/thoughts/drafts/${ID}.md`,
    'trails/acme/thoughts/drafts/trust-gate-prompt.md',
    'trails/acme/thoughts/.fava-trails.yaml',
    'trails/acme/tombstones/deep/0123.yaml',
    'trails/acme/tombstones/0123.md',
    'trails/acme/x.fava-trails.yaml',
    'README.md',
  ]) {
    expect(governedPath(path), path).toBe(false);
  }
});
