/** One step of the demo's story: who does what to which thought. Thoughts have names here; their ids are made anew. */
import type { Namespace, RelationshipType, SourceType } from '../../record/thought.ts';

export type Step = SaveStep | ReplaceStep | ProposeStep | DecideStep | ForgetStep;

export interface SaveStep {
  readonly do: 'save';
  readonly by: string;
  readonly name: string;
  readonly scope: string;
  readonly type: SourceType;
  readonly text: string;
  /** @default 0.5 */
  readonly confidence?: number;
  readonly namespace?: Namespace;
  readonly tags?: readonly string[];
  /** The thought that led to it. */
  readonly parent?: string;
  readonly related?: readonly (readonly [RelationshipType, string])[];
}

/** Drafts a replacement, in another scope where one is named. */
export interface ReplaceStep {
  readonly do: 'replace';
  readonly by: string;
  readonly name: string;
  readonly of: string;
  readonly to?: string;
  readonly text: string;
  readonly reason: string;
}

/** By its author. */
export interface ProposeStep {
  readonly do: 'propose';
  readonly name: string;
}

/** By the operator. */
export interface DecideStep {
  readonly do: 'approve' | 'reject' | 'request_changes';
  readonly name: string;
  readonly reason?: string;
}

/** By the operator. */
export interface ForgetStep {
  readonly do: 'forget';
  readonly name: string;
  readonly reason: string;
}
