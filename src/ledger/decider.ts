/** The person or agent whose act an event is: the attested person's, where a service signed for one. */
import type { Attested } from './types.ts';

export function deciderOf(said: { readonly agent_id: string; readonly attested?: Attested | undefined }): string {
  return said.attested?.agent_id ?? said.agent_id;
}
