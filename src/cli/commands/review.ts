/**
 * `waymark review`: a person decides what waits, one by one or, with `--all`, by rule.
 *
 * Questions and answers go through the terminal alone. Each decision carries the claim that was shown; a proposal that
 * changed meanwhile is refused.
 */
import { type Refusal, refuse } from '../../record/outcome.ts';
import type { Principal } from '../../record/principal.ts';
import type { Grounds, SourceType } from '../../record/thought.ts';
import { type DueForReview, dueForReview } from '../../trail/due.ts';
import type { OpenRecord } from '../../trail/open.ts';
import { proposal } from '../../trail/proposal.ts';
import { type QueueInput, queue } from '../../trail/queue.ts';
import { Session } from '../../trail/session.ts';
import { DAY_MS } from '../../trail/waiting.ts';
import { dueLines } from '../due-lines.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult } from '../invocation.ts';
import { askPassphrase } from '../passphrase.ts';
import { personOf } from '../person.ts';
import { queueLines } from '../render-proposal.ts';
import { decideByRule } from '../review/by-rule.ts';
import { type Desk, show } from '../review/desk.ts';
import { decideOneByOne } from '../review/one-by-one.ts';
import { type VerdictName, verdictOf } from '../review/questions.ts';
import { openTerminal } from '../terminal.ts';
import { withSettledRecord } from '../with-record.ts';

export interface ReviewOptions {
  /** A scope or a glob. */
  readonly scope?: string;
  readonly author?: string;
  readonly type?: SourceType;
  /** Days. */
  readonly olderThan?: number;
  readonly advice?: 'approve' | 'reject';
  readonly nearTombstone?: true;
  /** Decide all of them alike. */
  readonly all?: true;
  readonly verdict?: VerdictName;
  readonly reason?: string;
  readonly grounds?: Grounds;
}

/** Without a terminal the queue is printed and nothing is decided, hence exit code 1. */
export async function review(invocation: Invocation, options: ReviewOptions): Promise<ExitCode> {
  const wrong = checkRule(options);
  if (wrong !== null) return fail(invocation, wrong, { exit: EXIT.usage });
  return withSettledRecord(invocation, async (record) => {
    const terminal = openTerminal();
    const session = new Session(record, {
      via: 'cli',
      agentId: personOf(record),
      wantsOperator: true,
      env: invocation.env,
      ...(terminal === null ? {} : { askPassphrase: (key) => askPassphrase(terminal, key) }),
    });
    try {
      const { principal, notice } = await session.identity();
      if (principal.role !== 'operator') return fail(invocation, notAllowed(notice));
      const caller = await session.context();
      const filters = filtersOf(options, record.now());
      if (terminal === null || invocation.json) {
        const waiting = await queue(caller, filters);
        if (!waiting.ok) return fail(invocation, waiting);
        const { entries, total } = waiting.value;
        const due = await dueNow(record, principal);
        const result = { status: 'ok', count: total, proposals: entries, due };
        printResult(invocation, result, () => [...queueLines(entries, record.now()), ...dueLines(due)]);
        return terminal === null ? EXIT.refused : EXIT.ok;
      }
      const desk: Desk = {
        terminal,
        page: (at) => queue(caller, { ...filters, ...at }),
        load: ({ source_trail, thought_id }) => proposal(caller, { scope: source_trail, thought_id }),
        decide: session.operations().decide,
        person: principal.agent_id,
        now: record.now,
      };
      const { verdict, reason, grounds } = options;
      if (verdict !== undefined) {
        const isDone = await decideByRule(desk, { verdict: verdictOf(verdict), reason, grounds });
        return isDone ? EXIT.ok : EXIT.refused;
      }
      await decideOneByOne(desk);
      show(desk, dueLines(await dueNow(record, principal)));
      return EXIT.ok;
    } finally {
      terminal?.close();
      await session.close();
    }
  });
}

async function dueNow({ repository, now }: OpenRecord, principal: Principal): Promise<DueForReview> {
  const { value } = await repository.read((index) => dueForReview(index, { now: now(), principal }));
  return value;
}

function filtersOf(options: ReviewOptions, now: number): QueueInput {
  const { scope, author, type, olderThan, advice, nearTombstone } = options;
  return {
    scope,
    author,
    source_type: type,
    advice,
    near_tombstone: nearTombstone,
    before: olderThan === undefined ? undefined : now - olderThan * DAY_MS,
  };
}

/** `--all` and `--verdict` go together, and nothing else says what happens to all of them. */
function checkRule({ all, verdict, reason, grounds }: ReviewOptions): Refusal | null {
  if (all === undefined && (verdict ?? reason ?? grounds) !== undefined) {
    return usage(
      '"--verdict", "--reason" and "--grounds" decide by rule',
      'Add "--all", or leave them out to be asked',
    );
  }
  if (all === undefined) return null;
  if (verdict === undefined)
    return usage('"--all" needs "--verdict"', 'Add "--verdict approve", "reject" or "changes"');
  if (verdict !== 'approve' && (reason ?? '').trim() === '') {
    return usage(`"--verdict ${verdict}" needs "--reason"`, 'Say why: each author reads it');
  }
  if (grounds === undefined || verdict === 'reject') return null;
  return usage('"--grounds" belongs to "--verdict reject"', 'Leave "--grounds" out');
}

function usage(message: string, next: string): Refusal {
  return refuse('invalid', message, { next });
}

function notAllowed(notice = 'Not an operator') {
  return refuse('authority', notice, { next: '"waymark key list" shows whose keys may decide' });
}
