/** How far a proposal is decided, and what the viewer's own approval would do: what is shown before anybody acts. */
import { mayDecideIn } from '../record/grants.ts';
import type { Index } from '../store/index/index.ts';
import type { StoredThought } from '../store/index/types.ts';
import { isAuthorOf } from './causes.ts';
import { checkRetiring } from './check-grants.ts';
import type { TrailContext } from './context.ts';
import { placesOf } from './places.ts';
import { ballotReader } from './quorum/ballot.ts';
import { settingsReader } from './settings.ts';

/**
 * - `not_granted`: the viewer may not decide in this scope, or in that of what it would replace.
 * - `settings_unreadable`: nobody knows who must approve.
 * - `needs_signature`: the scope takes decisions by the person's own key alone.
 * - `author`: the scope requires separation, and the viewer wrote it.
 * - `voted`: the viewer approved this text already.
 */
export type Hindrance = 'not_granted' | 'settings_unreadable' | 'needs_signature' | 'author' | 'voted';

export interface StandingToDecide {
  /** People who must approve. */
  readonly needed: number;
  /** Who have. */
  readonly given: number;
  /** Why the viewer's approval would not count; `null` when it would. */
  readonly hindrance: Hindrance | null;
  /** Whose signature a decision needs: the person's own key (`signed`), or also that of a service that knows the person. */
  readonly decisions: 'signed' | 'attested';
  /** The scope requires that a person confirms what comes through an agent's tool. */
  readonly confirm: boolean;
  /** `1 of 2; yours does not count: you are the author`. */
  readonly says: string;
}

const WHY: Readonly<Record<Hindrance, string>> = {
  not_granted: 'you may not decide here',
  settings_unreadable: 'the settings of the scope cannot be read',
  needs_signature: 'the scope takes decisions signed with your own key alone',
  author: 'you are the author',
  voted: 'you approved it already',
};

type Viewer = Pick<TrailContext, 'principal' | 'gate' | 'attests'>;

/** Held to the scope of the proposal and of what it would replace, as the decision itself is. */
export function standingToDecide(index: Index, row: StoredThought, viewer: Viewer): StandingToDecide {
  const settings = settingsReader(index);
  const scopes = placesOf(index, row).map(({ scope }) => scope);
  const rules = scopes.map((scope) => settings.of(scope));
  const ballot = ballotReader(index, viewer.gate).of(row);
  const { needed, votes } = ballot ?? { needed: 1, votes: [] };
  const given = votes.length;
  const decisions = rules.some((rule) => rule.decisions === 'signed') ? 'signed' : 'attested';
  const { principal, attests } = viewer;
  const isSeparated = rules.some(({ separation }) => separation === 'required');
  const hindrances: readonly (Hindrance | false)[] = [
    (!mayDecideIn(principal, row.scope) || checkRetiring(index, row, principal) !== null) && 'not_granted',
    scopes.some((scope) => settings.unreadable(scope) !== null) && 'settings_unreadable',
    decisions === 'signed' && attests !== undefined && 'needs_signature',
    isSeparated && isAuthorOf(index, row.thought, principal.agent_id) && 'author',
    votes.some(({ agent_id }) => agent_id === principal.agent_id) && 'voted',
  ];
  const hindrance = hindrances.find((found) => found !== false) ?? null;
  const count = `${given} of ${needed}`;
  return {
    needed,
    given,
    hindrance,
    decisions,
    confirm: rules.some(({ confirm }) => confirm === 'required'),
    says: hindrance === null ? count : `${count}; yours does not count: ${WHY[hindrance]}`,
  };
}
