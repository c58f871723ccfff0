/**
 * An operator puts governed files in force as they lie in the working tree: what the person sees is what they sign.
 *
 * One signed event for each path, in one transaction. `keys.yaml` is the exception: it is a view, so accepting it writes
 * it again from the enrolment events, and a key still counts through `waymark key enrol` only.
 */
import { parseRepositoryConfig } from '../config/index.ts';
import { isSameBytes, withoutCarriageReturns } from '../record/bytes.ts';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import type { Draft } from '../store/draft.ts';
import { isKeysView, KEYS_FILE, keysView } from '../store/keys-view.ts';
import { checkAbsence, checkFile, checkPaths } from './accept-checks.ts';
import type { TrailContext } from './context.ts';
import { checkOperator } from './guard.ts';
import { HOOKS_DIR, hookDigest, hookEntryDigests } from './hooks.ts';
import { CONFIG_FILE } from './locate.ts';
import { inForce } from './settings.ts';
import { inputOf, write } from './write.ts';

export interface AcceptInput {
  /** Repository paths, at least one. */
  readonly paths: readonly string[];
}

export interface AcceptedFile {
  readonly path: string;
  /** `false` when it is in force already. */
  readonly changed: boolean;
  /** In force until now, as text; `null` when nothing was. */
  readonly before: string | null;
  /** In force now; `null` when the absence of the file is. */
  readonly after: string | null;
}

export interface AcceptResult {
  readonly status: 'ok';
  readonly files: readonly AcceptedFile[];
  /** Digests of the hooks among them, in force now, for the machine to trust. */
  readonly hooks: readonly string[];
}

export async function accept(context: TrailContext, input: AcceptInput): Promise<Outcome<AcceptResult>> {
  const { principal } = context;
  const paths = [...new Set(input.paths)];
  const refusal = checkOperator('Putting settings in force', principal) ?? checkPaths(paths);
  if (refusal !== null) return refusal;
  const call = { verb: 'accept', input: inputOf(input), idempotencyKey: undefined };
  return write<AcceptResult>(context, call, async (draft) => {
    const changes: Acceptance[] = [];
    for (const path of paths) {
      const change = await acceptanceOf(context, draft, path);
      if (!change.ok) return change;
      changes.push(change.value);
    }
    const changed = changes.filter((change) => change.changed);
    return ok({
      events: changed.map(({ path, committed, after }) => ({
        verb: 'accept' as const,
        informed_by: [],
        local: {},
        files: [{ path, before: committed, after }],
      })),
      message: changed.length === 1 ? `Accept ${changed[0]?.path}` : `Accept ${changed.length} settings`,
      answer: {
        status: 'ok' as const,
        files: changes.map(({ path, changed, before, after }) => ({
          path,
          changed,
          before: textOf(before),
          after: textOf(after),
        })),
        hooks: changes.flatMap(({ path, after }) => (after === null ? [] : hooksIn(path, after))),
      },
    });
  });
}

interface Acceptance {
  readonly path: string;
  readonly changed: boolean;
  readonly committed: Uint8Array | null;
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
}

async function acceptanceOf(context: TrailContext, draft: Draft, path: string): Promise<Outcome<Acceptance>> {
  const { index } = draft;
  const committed = index.setting(path);
  if (path === KEYS_FILE) return keysAcceptance(context, draft);
  const after = await readWorking(context, path, committed);
  if (!after.ok) return after;
  const wrong = after.value === null ? checkAbsence(path) : await checkFile(context, path, after.value);
  if (wrong !== null) return wrong;
  const setting = index.governed(path);
  if (setting === null && committed === null && after.value === null) {
    return refuse('not_found', `"${path}" is neither in the working tree nor in the record`, {
      field: 'paths',
      next: 'Name a file that "waymark status" lists under settings',
    });
  }
  const known = inForce(index, path);
  const before = known === 'lost' ? null : known;
  const changed = setting?.state !== 'signed' || !isSameBytes(before, after.value);
  return ok({ path, changed, committed, before, after: after.value });
}

/** Writes the view again where the committed file is another one. */
async function keysAcceptance({ repository }: TrailContext, { index }: Draft): Promise<Outcome<Acceptance>> {
  const path = KEYS_FILE;
  const shown = { keys: index.keys(), revocations: index.revocations() };
  const committed = index.setting(path);
  const working = await repository.workingFile(path);
  const changed = committed === null || !isKeysView(committed, shown);
  if (!changed && (working === null || working === 'other' || !isKeysView(working, shown))) {
    return refuse('uncommitted_edit', `"${path}" in the working tree is not what the enrolment events say`, {
      next: `Undo the edit ("git checkout HEAD -- ${path}"); a key counts through "waymark key enrol" only`,
    });
  }
  return ok({ path, changed, committed, before: committed, after: changed ? keysView(shown) : committed });
}

async function readWorking(
  { repository }: TrailContext,
  path: string,
  committed: Uint8Array | null,
): Promise<Outcome<Uint8Array | null>> {
  const bytes = await repository.workingFile(path);
  if (bytes !== 'other') {
    // What git turned into CRLF on checkout is the committed file.
    const isCheckedOut = bytes !== null && committed !== null && isSameBytes(withoutCarriageReturns(bytes), committed);
    return ok(isCheckedOut ? committed : bytes);
  }
  return refuse(
    'invalid',
    `"${path}" is a folder, a link or larger than 1 MiB: only a file of usual size can be put in force`,
    {
      field: 'paths',
      next: 'Put a file in its place, or name the files in the folder',
    },
  );
}

function hooksIn(path: string, bytes: Uint8Array): readonly string[] {
  if (path.startsWith(HOOKS_DIR)) return [hookDigest(bytes)];
  const config = path === CONFIG_FILE ? parseRepositoryConfig(bytes) : null;
  return config?.ok === true ? hookEntryDigests(config.value) : [];
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}
