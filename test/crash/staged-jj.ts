/** A jj that stops where a test wants it, to be killed there or to outlive who started it. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { JJ_FOLDER } from '../support/jj.ts';

export interface Stop {
  /** The command that stops. */
  readonly command: 'squash' | 'bookmark';
  /** Before jj does anything, while it is at it, or when it is done and has not said so. */
  readonly when: 'start' | 'middle' | 'end';
}

export interface StagedJj extends Disposable {
  /** PATH on which it is found. */
  readonly path: string;
  /** The next such command stops. */
  stopAt(stop: Stop): void;
  /** Resolves when it has stopped; answers its processes. */
  stopped(): Promise<readonly number[]>;
  goOn(): void;
}

const LOOK_EVERY_MS = 5;
const PATIENCE_MS = 60_000;

export function stageJj(): StagedJj {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-staged-'));
  const file = (name: string) => join(folder, name);
  // What it names in its note is this shell, which is jj itself once it goes on from the start.
  const script = `#!/bin/sh
at="${folder}"; real="${JJ_FOLDER}/jj"
if [ -e "$at/plan" ]; then
  read -r command when < "$at/plan"
  case " $* " in *" $command "*)
    rm "$at/plan"; child=; code=0
    case $when in
      middle) "$real" "$@" & child=$!; sleep 0.01; kill -STOP $child 2> /dev/null ;;
      end) "$real" "$@"; code=$? ;;
    esac
    echo "$$ $child" > "$at/tmp"; mv "$at/tmp" "$at/stopped"
    until [ -e "$at/go-on" ]; do sleep 0.01; done
    [ "$when" = start ] || exit $code ;;
  esac
fi
exec "$real" "$@"
`;
  writeFileSync(file('jj'), script, { mode: 0o755 });
  return {
    path: `${folder}${delimiter}${process.env['PATH'] ?? ''}`,
    stopAt({ command, when }) {
      for (const name of ['stopped', 'go-on']) rmSync(file(name), { force: true });
      writeFileSync(file('plan'), `${command} ${when}\n`);
    },
    async stopped() {
      for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await delay(LOOK_EVERY_MS)) {
        if (existsSync(file('stopped'))) return readFileSync(file('stopped'), 'utf8').trim().split(/\s+/).map(Number);
      }
      throw new Error('jj does not get there');
    },
    goOn: () => writeFileSync(file('go-on'), ''),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
