/** Keys as a person works with them: which count, which are on this machine, giving a role to one. */
import { type EffectiveRevocation, isPublicKey, type StoredKey } from '../ledger/index.ts';
import type { Enrolment, RevocationReason, Signer } from '../ledger/types.ts';
import { displayNameOf } from '../record/display-name.ts';
import { type Outcome, ok, type Refusal, refuse } from '../record/outcome.ts';
import { DESK_AGENT_ID, GATE_AGENT_ID, isAgentId, type KeyRole, mayGoBy, type Role } from '../record/principal.ts';
import { refuseSecrets } from '../secrets/refuse-secrets.ts';
import type { KnownKey } from '../store/index/types.ts';
import { currentKey, endOf, nextKey, standingOf } from './current-key.ts';
import { enrol } from './enrol.ts';
import type { OpenRecord } from './open.ts';
import { type AskPassphrase, guarded, unlock } from './unlock-key.ts';

/** A key that signs for the person or for an agent on this machine. Never holds the private part. */
export interface OwnKey {
  readonly public_key: string;
  readonly kind: StoredKey['kind'];
  readonly agent_id?: string;
  readonly protection: 'none' | 'scrypt';
  /** The role it was given, `null` when nobody enrolled it yet. */
  readonly enrolled_as: KeyRole | null;
  /** Why it signs nothing that counts any more. */
  readonly revoked?: RevocationReason;
}

export interface EnrolledKey {
  readonly public_key: string;
  readonly agent_id: string;
  readonly role: KeyRole;
  readonly name?: string;
  readonly protection: 'none' | 'scrypt';
  /** Name of its log, the folder under `ledger/`. */
  readonly log: string;
  /** Why it ended, and how many of its first events stand. */
  readonly revoked?: { readonly reason: RevocationReason; readonly size: number; readonly successor?: string };
  /** The private part is on this machine. */
  readonly here: boolean;
}

export interface KeyList {
  readonly keys: readonly EnrolledKey[];
  /** Key files of this machine that cannot be used. */
  readonly problems: readonly string[];
}

/**
 * The person's keys of this record on this machine: the operator key, made if there is none or the one there was revoked,
 * so that its public part can be sent to the owner, and the owner key where it lies. Making a key gives no right;
 * enrolling it does.
 */
export function showKeys({ keys, repository }: OpenRecord, agentId: string): Outcome<readonly OwnKey[]> {
  const id = repository.trust.repositoryId;
  return guarded(() => {
    const holder = { kind: 'operator' as const, repository: id, agent_id: agentId };
    const reader = repository.index.reader();
    const operator = currentKey(keys, reader, holder) ?? keys.create(holder);
    const next = standingOf(reader, operator) === 'lost' ? nextKey(keys, reader, { identity: holder }) : null;
    const owner = currentKey(keys, reader, { kind: 'owner', repository: id });
    const own = [operator, next, owner].filter((key) => key !== null);
    return ok(
      own.map(({ publicKey, kind, agent_id, protection }) => {
        const revoked = endOf(reader, publicKey)?.reason;
        return {
          public_key: publicKey,
          kind,
          ...(agent_id === undefined ? {} : { agent_id }),
          protection,
          enrolled_as: reader.key(publicKey)?.role ?? null,
          ...(revoked === undefined ? {} : { revoked }),
        };
      }),
    );
  });
}

/** Every key the record's events enrol, in that order, and what is wrong with the key files of this machine. */
export function listKeys({ keys, repository }: OpenRecord): KeyList {
  const { keys: stored, problems } = keys.list();
  const here = new Set(stored.map((key) => key.publicKey));
  const reader = repository.index.reader();
  return {
    keys: reader.keys().map(({ key, agent_id, role, name, protection, log }: KnownKey) => ({
      public_key: key,
      agent_id,
      role,
      ...(name === undefined ? {} : { name }),
      protection,
      log,
      ...endShown(reader.revocationsOf(key)),
      here: here.has(key),
    })),
    problems: problems.map((problem) => problem.message),
  };
}

function endShown(revocations: readonly EffectiveRevocation[]): Pick<EnrolledKey, 'revoked'> {
  const [first] = [...revocations].sort((a, b) => a.size - b.size);
  if (first === undefined) return {};
  const { reason, size, successor } = first;
  return { revoked: { reason, size, ...(successor === undefined ? {} : { successor }) } };
}

export interface EnrolKeyInput {
  readonly publicKey: string;
  readonly agentId: string;
  readonly role: Role | 'service';
  readonly name?: string;
}

export interface EnrolKeyOptions {
  /** Whose operator key signs, if it may. */
  readonly person: string;
  /** A key that is not to sign, though it may. */
  readonly except?: string;
  /** Asks on the terminal; absent where there is none. */
  readonly askPassphrase?: AskPassphrase;
}

/** Gives a key a role, signed by the person's operator key if it is enrolled, else by the owner key. */
export async function enrolKey(
  record: OpenRecord,
  input: EnrolKeyInput,
  options: EnrolKeyOptions,
): Promise<Outcome<Enrolment>> {
  const secret = await refuseSecrets({ agent: input.agentId, name: input.name });
  if (secret !== null) return secret;
  const malformed = checkInput(input);
  if (malformed !== null) return malformed;
  const authority = await authorityOf(record, options);
  if (!authority.ok) return authority;
  const { signer, as } = authority.value;
  const { publicKey: key, agentId: agent_id, role, name } = input;
  // What its holder does about a passphrase is for its holder to say, with "key protect".
  const protection = record.repository.index.reader().key(key)?.protection ?? 'none';
  const enrolment = { key, agent_id, role, ...(name === undefined ? {} : { name }), protection };
  return enrol({ repository: record.repository, enrolment, signer, as });
}

function checkInput({ publicKey, agentId, role, name }: EnrolKeyInput): Refusal | null {
  if (!isPublicKey(publicKey)) {
    return refuse('invalid', 'The public key is not one: expected 43 characters of base64url', {
      field: 'public_key',
      next: 'Copy it whole from "waymark key show" on the other machine',
    });
  }
  if (name !== undefined && displayNameOf(name) !== name) {
    return refuse(
      'invalid',
      'The name is not one: expected at most 64 characters on one line, all of which can be seen',
      {
        field: 'name',
        next: 'Name the person as others know them, for example "Carol Weber"',
      },
    );
  }
  if (!mayGoBy(agentId, role)) {
    const message = `A key of role ${role} cannot be of agent "${agentId}"`;
    return refuse('invalid', message, {
      field: 'agent',
      next: `"${DESK_AGENT_ID}" goes with role service alone, and "${GATE_AGENT_ID}" with role reviewer: take another name`,
    });
  }
  if (isAgentId(agentId)) return null;
  return refuse('invalid', 'The agent id is malformed: expected letters, digits, ".", "_", "@" and "-", at most 64', {
    field: 'agent',
    next: 'Use the WAYMARK_AGENT_ID that the holder of the key runs with',
  });
}

export interface Authority {
  readonly signer: Signer;
  readonly as: { readonly agent_id: string; readonly role: KeyRole };
}

/** The person's operator key if it is enrolled, else the owner key, opened. */
export async function authorityOf(
  { keys, repository }: OpenRecord,
  { person, askPassphrase, except }: EnrolKeyOptions,
): Promise<Outcome<Authority>> {
  const id = repository.trust.repositoryId;
  const reader = repository.index.reader();
  const candidates = guarded(() => {
    const operator = currentKey(keys, reader, { kind: 'operator', repository: id, agent_id: person });
    return ok([operator, currentKey(keys, reader, { kind: 'owner', repository: id })]);
  });
  if (!candidates.ok) return candidates;
  for (const stored of candidates.value) {
    const known = stored === null ? null : reader.key(stored.publicKey);
    if (stored === null || stored.publicKey === except || endOf(reader, stored.publicKey) !== null) continue;
    if (known === null || (known.role !== 'operator' && known.role !== 'owner')) continue;
    const signer = await unlock(stored, { keys, ...(askPassphrase === undefined ? {} : { askPassphrase }) });
    return signer.ok ? ok({ signer: signer.value, as: { agent_id: known.agent_id, role: known.role } }) : signer;
  }
  return refuse('authority', 'Neither the owner key nor an enrolled operator key of yours is on this machine', {
    next: 'Ask the owner or an operator to run this command; "waymark key list" names them',
  });
}
