/**
 * How many anchors a writer has configured, and what it owes its readers when they are few (atrib's specification
 * 2.11.5). Waymark anchors nothing: asked by atrib's vectors 2.11 alone.
 */

export interface AnchorConfig {
  /** @default the two of the specification */
  readonly anchors?: readonly unknown[];
  /** One anchor is meant, not forgotten. */
  readonly allow_single_anchor?: boolean;
}

export interface AnchorPosture {
  readonly effective_anchor_count: number;
  readonly used_default_set: boolean;
  readonly warn: boolean;
  /** What a writer below plurality puts into its sidecars as `anchor_config`. */
  readonly sidecar_anchor_config: { readonly configured: number; readonly allow_single_anchor: false } | null;
}

const DEFAULT_SET_SIZE = 2;

export function anchorPosture({ anchors, allow_single_anchor = false }: AnchorConfig): AnchorPosture {
  const configured = anchors?.length ?? DEFAULT_SET_SIZE;
  const warn = configured < 2 && !(configured === 1 && allow_single_anchor);
  return {
    effective_anchor_count: configured,
    used_default_set: anchors === undefined,
    warn,
    sidecar_anchor_config: warn ? { configured, allow_single_anchor: false } : null,
  };
}
