import { describe, expect, test } from 'vitest';
import { openIndex } from '../../../src/store/index/index.ts';
import { row, tempIndexFile, write } from './support.ts';

describe('overview', () => {
  test('settings come back by path, and null removes one', () => {
    const index = openIndex({ file: tempIndexFile() });
    const bytes = Uint8Array.of(0, 255, 10);
    write(index, () => {
      for (const path of ['config.yaml', 'keys.yaml']) index.putSetting(path, bytes);
    });
    expect(Uint8Array.from(index.setting('config.yaml') ?? [])).toEqual(bytes);
    write(index, () => index.putSetting('config.yaml', null));
    expect([index.setting('config.yaml'), index.setting('keys.yaml')]).toEqual([null, expect.anything()]);
  });

  test('problems come back by path and go', () => {
    const index = openIndex({ file: tempIndexFile() });
    const a = { path: 'a.md', line: 3, code: 'yaml', message: 'Bad indent' };
    const b = { ...a, path: 'b.md' };
    write(index, () => [b, a].forEach(index.putProblem));
    expect(index.problems()).toEqual([a, b]);
    write(index, () => index.removeProblem('a.md'));
    expect(index.problems()).toEqual([b]);
  });

  test('scopes are those with a row of any class or a settings file, with their governed count', () => {
    const index = openIndex({ file: tempIndexFile() });
    write(index, () => {
      index.putThought(row(1, 'one', { scope: 'team' }));
      index.putThought(row(2, 'two', { scope: 'team', thought: { validation_status: 'draft' } }));
      index.putThought(row(3, 'three', { scope: 'team/drafts', thought: { validation_status: 'draft' } }));
      index.putThought(row(4, 'four', { scope: 'emptied' }));
      index.removeThought(row(4, '', { scope: 'emptied' }).path);
      index.putSetting('trails/set/up/.fava-trails.yaml', Uint8Array.of(1));
      index.putSetting('trails/team/.fava-trails.yaml', Uint8Array.of(1));
      index.putSetting('trails/other/trust-gate-prompt.md', Uint8Array.of(1));
    });
    expect(index.scopes()).toEqual([
      { scope: 'set/up', governed: 0 },
      { scope: 'team', governed: 1 },
      { scope: 'team/drafts', governed: 0 },
    ]);
    expect(index.counts()).toEqual({
      thoughts: 3,
      governed: 1,
      authored: 2,
      retired: 0,
      unverified: 0,
      events: 0,
      problems: 0,
      quarantined: 0,
    });
  });
});
