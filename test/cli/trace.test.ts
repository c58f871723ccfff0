/** `waymark trace` on a small record, and on atrib's own mirrors where there is no record. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ExitCode } from '../../src/cli/exit-code.ts';
import { createProgram } from '../../src/cli/program.ts';
import { eventsOf } from '../cases/evidence.ts';
import { makeRecord, type TestRecord, value } from '../support/record.ts';

const trail_name = 'acme/api';
let t: TestRecord;
const ids = { fact: '', guess: '', old: '', next: '', secret: '' };

beforeAll(async () => {
  let time = Date.UTC(2026, 0, 1);
  t = await makeRecord({ now: () => (time += 1_000) });
  const carol = t.session('carol', { operator: true }).operations();
  const ann = t.session('ann').operations();
  const approve = async (thought_id: string) =>
    value(await carol.decide({ trail_name, thought_id, verdict: 'approve' })).thought.thought_id;
  const save = async (content: string, causes: readonly string[] = []) =>
    value(
      await ann.save({
        trail_name,
        content,
        relationships: causes.map((target_id) => ({ type: 'DEPENDS_ON', target_id })),
      }),
    ).thought.thought_id;
  ids.fact = await approve(await save('A gateway timeout may charge twice'));
  ids.guess = await save('# Idempotency keys would prevent it\n\nNobody has tried.');
  ids.old = await approve(await save('Retry every charge', [ids.fact]));
  const replacement = {
    trail_name,
    thought_id: ids.old,
    content: 'Retry only idempotent charges',
    reason: 'Charged twice',
  };
  ids.next = await approve(value(await ann.supersede(replacement)).new_thought.thought_id);
  ids.secret = value(
    await t.session('bob').operations().save({ trail_name, content: 'Mine alone' }),
  ).thought.thought_id;
});
afterAll(() => t[Symbol.asyncDispose]());

interface Ran {
  readonly code: ExitCode;
  readonly out: string;
  readonly err: string;
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

async function run(
  args: readonly string[],
  { env = { ...t.env, WAYMARK_AGENT_ID: 'ann' }, cwd = t.root }: RunOptions = {},
): Promise<Ran> {
  let [out, err, code]: [string, string, ExitCode] = ['', '', 0];
  const program = createProgram({
    version: '0',
    invocation: ({ json }) => ({
      env,
      cwd,
      version: '0',
      json,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      isWatched: false,
    }),
    onExit: (exit) => {
      code = exit;
    },
  });
  await program.parseAsync(['trace', ...args], { from: 'user' });
  return { code, out, err };
}

test('x', async () => {
  console.log((await run([ids.next])).out);
  console.log(
    (await run([ids.next, '--follow', 'informed_by', '--follow', 'revises', '--follow', 'annotates', '--depth', '10']))
      .out,
  );
  console.log((await run([ids.fact, '--forward'])).out);
  console.log((await run([ids.fact, '--both', '--content'])).out);
  console.log((await run([ids.fact, '--path-to', ids.next])).out);
  console.log(await run([ids.secret]));
  console.log(await run([ids.guess]));
  console.log(await run([ids.guess, '--path-to', ids.next]));
});
