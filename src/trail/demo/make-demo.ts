/** Tells the story through the operations: each step signed by the key of whoever takes it. */
import type { Environment } from '../../config/index.ts';
import { type Outcome, ok } from '../../record/outcome.ts';
import { init } from '../init.ts';
import { readRecord } from '../locate.ts';
import { type OpenRecord, openRecord } from '../open.ts';
import { Session } from '../session.ts';
import type { ThoughtSummary } from '../types.ts';
import type { Step } from './step.ts';
import { OPERATOR, ROUNDS, SHOWN } from './story.ts';

export interface DemoOptions {
  /** Where the keys and the state of the demo go: never those of the person. */
  readonly environment: Environment;
  readonly producer: string;
  readonly warn: (message: string, cause: unknown) => void;
  /** Unix milliseconds; the story ends a little before. */
  readonly now: number;
}

export interface Demo {
  readonly root: string;
  readonly thoughts: number;
  /** A thought worth looking at. */
  readonly shown: { readonly thought_id: string; readonly scope: string; readonly query: string };
}

/** How long the story takes, and how long ago its last step was. Milliseconds. */
const STORY_MS = 28 * 86_400_000;
const REST_MS = 3 * 3_600_000;

/** Makes the record at `path`, which must not exist. */
export async function makeDemo(path: string, options: DemoOptions): Promise<Outcome<Demo>> {
  const start = options.now - REST_MS - STORY_MS;
  let time = start;
  const common = { ...options, env: {}, now: () => time };
  const made = await init(path, common);
  if (!made.ok) return made;
  const located = readRecord(made.value.root);
  if (located === null || !located.ok) throw new Error('The record that was just made is not there');
  const opened = await openRecord(located.value, common);
  if (!opened.ok) return opened;
  const teller = new Teller(opened.value);
  try {
    for (const [at, steps] of ROUNDS.entries()) {
      time = start + Math.round(((at + 1) / ROUNDS.length) * STORY_MS);
      for (const told of await Promise.all(steps.map((step) => teller.tell(step)))) if (!told.ok) return told;
    }
  } finally {
    await teller.close();
    await opened.value.repository.close();
  }
  const { thought_id } = teller.thought(SHOWN.thought);
  const shown = { thought_id, scope: SHOWN.scope, query: SHOWN.query };
  return ok({ root: made.value.root, thoughts: teller.count, shown });
}

interface Told {
  readonly thought_id: string;
  readonly scope: string;
  readonly by: string;
}

class Teller {
  readonly #record: OpenRecord;
  readonly #sessions = new Map<string, Session>();
  readonly #thoughts = new Map<string, Told>();

  constructor(record: OpenRecord) {
    this.#record = record;
  }

  get count(): number {
    return this.#thoughts.size;
  }

  thought(name: string): Told {
    const told = this.#thoughts.get(name);
    if (told === undefined) throw new Error(`The story has not told of "${name}" yet`);
    return told;
  }

  async tell(step: Step): Promise<Outcome<unknown>> {
    switch (step.do) {
      case 'save': {
        const {
          by,
          name,
          scope,
          type: source_type,
          text: content,
          confidence,
          namespace,
          tags = [],
          related = [],
        } = step;
        const saved = await this.#as(by).save({
          trail_name: scope,
          content,
          source_type,
          confidence,
          namespace,
          parent_id: step.parent && this.thought(step.parent).thought_id,
          relationships: related.map(([kind, to]) => ({ type: kind, target_id: this.thought(to).thought_id })),
          metadata: { project: 'payments', tags },
        });
        return saved.ok ? this.#remember(name, { scope, by }, saved.value.thought) : saved;
      }
      case 'replace': {
        const { by, name, text: content, reason } = step;
        const { thought_id, scope } = this.thought(step.of);
        const input = { trail_name: scope, thought_id, content, reason };
        const to = step.to ?? scope;
        const operations = this.#as(by);
        const saved =
          to === scope
            ? await operations.supersede(input)
            : await operations.changeScope({ ...input, target_trail_name: to });
        return saved.ok ? this.#remember(name, { scope: to, by }, saved.value.new_thought) : saved;
      }
      case 'propose': {
        const { thought_id, scope: trail_name, by } = this.thought(step.name);
        return this.#as(by).propose({ trail_name, thought_id });
      }
      case 'approve':
      case 'reject':
      case 'request_changes': {
        const { thought_id, scope: trail_name } = this.thought(step.name);
        return this.#as(OPERATOR).decide({ trail_name, thought_id, verdict: step.do, reason: step.reason });
      }
      case 'forget': {
        const { thought_id, scope: trail_name } = this.thought(step.name);
        return this.#as(OPERATOR).forget({ trail_name, thought_id, reason: step.reason });
      }
    }
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await session.close();
  }

  #as(agentId: string) {
    const session =
      this.#sessions.get(agentId) ??
      new Session(this.#record, { via: 'cli', agentId, wantsOperator: agentId === OPERATOR, env: {} });
    this.#sessions.set(agentId, session);
    return session.operations();
  }

  #remember(name: string, where: Omit<Told, 'thought_id'>, { thought_id }: ThoughtSummary): Outcome<null> {
    this.#thoughts.set(name, { thought_id, ...where });
    return ok(null);
  }
}
