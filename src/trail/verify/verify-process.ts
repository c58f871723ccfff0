/**
 * A process that verifies the record, so that whoever waits for it keeps answering. It says what it does, then what it found,
 * a JSON object a line. Ends when its parent does.
 */
import * as z from 'zod';
import { argumentOf, endWith } from '../../store/child-script.ts';
import { openGitStore } from '../../store/git/index.ts';
import { verify } from '../verify.ts';
import type { RunLine } from './verify-run.ts';

const argumentSchema = z.object({
  root: z.string(),
  branch: z.string(),
  trust: z.object({ repositoryId: z.string(), owner: z.string() }),
  seenFolder: z.string(),
});

/** Findings that are handed over: a page for people shows no more, and "waymark verify" names all. */
const SHOWN = 200;

async function main(): Promise<void> {
  const { root, branch, trust, seenFolder } = argumentSchema.parse(argumentOf(process));
  const store = await openGitStore({ root, branch });
  if (!store.ok) throw new Error(store.message);
  const say = (line: RunLine) => void process.stdout.write(`${JSON.stringify(line)}\n`);
  const subject = { repository: { root, store: store.value, trust }, seenFolder, now: Date.now };
  const report = await verify(subject, { report: (progress) => say({ progress }) });
  const findings = report.findings.slice(0, SHOWN);
  await store.value.close();
  await new Promise((done) =>
    process.stdout.write(
      `${JSON.stringify({ report: { ...report, findings }, total: report.findings.length })}\n`,
      done,
    ),
  );
}

endWith(process, main());
