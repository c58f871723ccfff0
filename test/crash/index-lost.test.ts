/** The index is disposable: whatever happens to its file while the service runs, nothing is lost and answers stay true. */
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { value } from '../support/record.ts';
import { examine } from './examine.ts';
import { type Home, makeHome } from './home.ts';

const trail_name = 'acme/eng';

const DATABASE = /^index\.sqlite$/;
const WITH_SIDE_FILES = /^index\.sqlite/;

function remove(home: Home, pattern: RegExp): void {
  for (const file of indexFiles(home, pattern)) rmSync(file);
}

/**
 * Writes garbage over the whole file where it lies, as a failing disk does. From another process: closing any descriptor
 * of it would drop the locks SQLite holds in this one.
 */
function overwrite(home: Home, pattern: RegExp): void {
  for (const file of indexFiles(home, pattern)) {
    const bytes = Math.max(statSync(file).size, 4096);
    execFileSync('dd', [`of=${file}`, 'conv=notrunc', 'status=none'], { input: Buffer.alloc(bytes, 'garbage ') });
  }
}

function indexFiles(home: Home, pattern: RegExp): readonly string[] {
  const folder = join(home.root, '.waymark');
  return readdirSync(folder)
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name));
}

interface Damage {
  readonly name: string;
  readonly harm: (home: Home) => void;
}

const DAMAGES: readonly Damage[] = [
  { name: 'deleted without its side files', harm: (home) => remove(home, DATABASE) },
  { name: 'deleted', harm: (home) => remove(home, WITH_SIDE_FILES) },
  { name: 'overwritten with garbage', harm: (home) => overwrite(home, DATABASE) },
];
const SIDE_FILES_TOO: Damage = {
  name: 'overwritten with garbage, side files too,',
  harm: (home) => overwrite(home, WITH_SIDE_FILES),
};

describe('an index', () => {
  test.for([...DAMAGES, SIDE_FILES_TOO])(
    '$name while nobody has it open is built anew',
    { timeout: 60_000 },
    async ({ harm }, { expect }) => {
      await using home = await makeHome();
      await using first = await home.open();
      const id = value(await first.as('alice').save({ trail_name, content: 'Kept' })).thought.thought_id;
      await first.close();
      harm(home);
      await using opened = await home.open();
      const got = value(await opened.as('alice').get({ trail_name, thought_id: id, mode: 'authoring' }));
      expect(got.thought.content).toBe('Kept');
      value(await opened.as('alice').save({ trail_name, content: 'After' }));
      const { thoughts, faults } = await examine(opened);
      expect({ thoughts: thoughts.size, faults, warnings: opened.warnings }).toEqual({
        thoughts: 2,
        faults: [],
        warnings: [],
      });
    },
  );

  test.for(DAMAGES)(
    '$name under parallel saves and recalls loses nothing',
    { timeout: 60_000 },
    async ({ harm }, { expect }) => {
      await using home = await makeHome();
      await using opened = await home.open();
      await using other = await home.open();
      const control = value(await opened.as('alice').save({ trail_name, content: 'Kept control' })).thought.thought_id;
      value(
        await opened.as('carol', { operator: true }).decide({ trail_name, thought_id: control, verdict: 'approve' }),
      );
      let isSaving = true;
      const recalls: (readonly string[])[] = [];
      async function recallOn(): Promise<void> {
        const reader = opened.as('reader');
        while (isSaving) {
          const { thoughts, index } = value(await reader.recall({ trail_name, query: 'kept' }));
          // What it read when it says that it is not in step may be older.
          if (index === undefined) recalls.push(thoughts.map((thought) => thought.thought_id));
          await turn();
        }
      }
      const recalling = recallOn();
      const savers = [opened.as('alice'), other.as('bob')];
      const saved: string[] = [];
      for (let round = 0; round < 6; round += 1) {
        const contents = Array.from({ length: 10 }, (_, at) => `Kept ${round} ${at}`);
        const saves = contents.map((content, at) => savers[at % 2]?.save({ trail_name, content }));
        // In the middle of a group that is being published, and between two.
        for (let wait = 0; wait < round * 10; wait += 1) await turn();
        harm(home);
        for (const outcome of await Promise.all(saves)) {
          if (outcome !== undefined) saved.push(value(outcome).thought.thought_id);
        }
      }
      isSaving = false;
      await recalling;
      const { thoughts, faults } = await examine(opened);
      expect(faults).toEqual([]);
      const kept = [...thoughts.values()].map((thought) => thought.thought_id);
      expect(kept.toSorted()).toEqual([control, ...saved].toSorted());
      expect(recalls.length).toBeGreaterThan(0);
      for (const ids of recalls) expect(ids).toEqual([control]);
    },
  );
});
