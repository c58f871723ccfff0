/** How far a proposal is decided, and what the viewer's own decision would do: what the desk shows before anybody acts. */

/**
 * - `not_granted`: the viewer may not decide in this scope.
 * - `author`: the scope requires separation, and the viewer wrote it.
 * - `voted`: the viewer approved this text already.
 * - `needs_signature`: the scope takes decisions by the person's own key alone.
 * - `settings_unreadable`: nobody knows who must approve.
 */
export type Hindrance = 'not_granted' | 'author' | 'voted' | 'needs_signature' | 'settings_unreadable';

export interface StandingToDecide {
  /** People who must approve. */
  readonly needed: number;
  /** Who have. */
  readonly given: number;
  /** Why the viewer's approval would not count; `null` when it would. */
  readonly hindrance: Hindrance | null;
  /** Whose signature a decision needs: the person's own key (`signed`), or that of a service that knows the person. */
  readonly decisions: 'signed' | 'attested';
  /** The scope requires that a person confirms what comes through an agent's tool. */
  readonly confirm: boolean;
  /** `1 of 2; yours does not count: you are the author`. */
  readonly says: string;
}
