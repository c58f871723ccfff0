/** Where an approved thought is filed (fava.md 1.3). */
import type { Namespace, SourceType } from './thought.ts';

const TARGETS: Readonly<Record<SourceType, Namespace>> = {
  decision: 'decisions',
  observation: 'observations',
  inference: 'observations',
  tool_output: 'observations',
  user_input: 'preferences',
};

/**
 * The folder a thought moves to when it is approved. The source type decides, except that a thought filed under
 * `preferences/client` or `preferences/firm` stays: FAVA moves it up and so loses whose preference it is.
 */
export function promotionTarget(sourceType: SourceType, namespace: Namespace): Namespace {
  if (namespace === 'preferences/client' || namespace === 'preferences/firm') return namespace;
  return TARGETS[sourceType];
}
