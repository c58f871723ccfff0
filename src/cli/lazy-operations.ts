/** Operations whose record is opened by the first call. */
import type { Outcome } from '../record/outcome.ts';
import type { Operations } from '../trail/operations.ts';
import type { CallMeta, Session } from '../trail/session.ts';

export interface OpenSession {
  readonly session: Pick<Session, 'operations'>;
  close(): Promise<void>;
}

export interface LazyOperations {
  operationsFor(meta: CallMeta): Operations;
  /** Closes what was opened, if anything was. */
  close(): Promise<void>;
}

/** @param open Called once; again after it refused, since a person may have mended what it names. */
export function lazyOperations(open: () => Promise<Outcome<OpenSession>>): LazyOperations {
  let opening: Promise<Outcome<OpenSession>> | null = null;

  async function opened(): Promise<Outcome<OpenSession>> {
    opening ??= open();
    const attempt = opening;
    try {
      const outcome = await attempt;
      if (!outcome.ok && opening === attempt) opening = null;
      return outcome;
    } catch (error) {
      if (opening === attempt) opening = null;
      throw error;
    }
  }

  return {
    operationsFor(meta) {
      async function run<T>(call: (operations: Operations) => Promise<Outcome<T>>): Promise<Outcome<T>> {
        const outcome = await opened();
        return outcome.ok ? call(outcome.value.session.operations(meta)) : outcome;
      }
      return {
        save: (input) => run((operations) => operations.save(input)),
        update: (input) => run((operations) => operations.update(input)),
        get: (input) => run((operations) => operations.get(input)),
        readThought: (input) => run((operations) => operations.readThought(input)),
        mayDecide: (input) => run((operations) => operations.mayDecide(input)),
        readQueue: (input) => run((operations) => operations.readQueue(input)),
        readProposal: (input) => run((operations) => operations.readProposal(input)),
        propose: (input) => run((operations) => operations.propose(input)),
        ask: (input) => run((operations) => operations.ask(input)),
        supersede: (input) => run((operations) => operations.supersede(input)),
        changeScope: (input) => run((operations) => operations.changeScope(input)),
        recall: (input) => run((operations) => operations.recall(input)),
        recallSession: (input) => run((operations) => operations.recallSession(input)),
        listScopes: (input) => run((operations) => operations.listScopes(input)),
        forget: (input) => run((operations) => operations.forget(input)),
        rollback: (input) => run((operations) => operations.rollback(input)),
        diff: (input) => run((operations) => operations.diff(input)),
        start: (input) => run((operations) => operations.start(input)),
        learnPreference: (input) => run((operations) => operations.learnPreference(input)),
        sync: (input) => run((operations) => operations.sync(input)),
        conflicts: (input) => run((operations) => operations.conflicts(input)),
        trace: (input) => run((operations) => operations.trace(input)),
        summarize: (input) => run((operations) => operations.summarize(input)),
        async deny(denial) {
          const outcome = await opened();
          return outcome.ok ? outcome.value.session.operations(meta).deny(denial) : outcome;
        },
      };
    },
    async close() {
      const outcome = await opening?.catch(() => null);
      if (outcome?.ok) await outcome.value.close();
    },
  };
}
