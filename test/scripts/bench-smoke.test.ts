import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { HAS_NO_JJ } from '../support/jj.ts';
import { IS_LONG } from '../support/long.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
// `npm test` builds both; a bare vitest run may have neither.
const built = ['dist/cli/main.js', '.tools/bench/main.js'].every((path) => existsSync(join(ROOT, path)));

describe('bench --smoke', () => {
  it.skipIf(!built)(
    'runs every measurement against the built product and prints the report',
    () => {
      const only = IS_LONG ? [] : ['--only', 'start,recall,save,reindex'];
      const args = ['.tools/bench/main.js', '--smoke', ...only];
      const ended = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
      expect(ended.stderr).toContain('200: reindex measured');
      const long = ['16 processes', 'Repository a save', 'in step'];
      for (const figure of ['Save, p50', 'Recall, rare', 'Start to', ...(IS_LONG ? long : [])]) {
        expect(ended.stdout).toContain(figure);
      }
      expect(ended.stdout.includes('On Jujutsu: save')).toBe(IS_LONG && !HAS_NO_JJ);
      expect(ended.status).toBe(0);
    },
    180_000,
  );
});
