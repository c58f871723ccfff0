/** What the server of a record offers besides its tools. */
import type { Operations } from '../trail/operations.ts';
import { UI_EXTENSION } from './app/review-card.ts';
import { getPrompt, listPrompts } from './prompts/prompts.ts';
import { listResources, RESOURCE_TEMPLATES, readResource } from './resources/resources.ts';
import { REVIEW_CARD_URI } from './resources/uri.ts';
import type { Offer } from './server-factory.ts';

/** What is the same for every caller until the server is another version. */
const FIXED = { ttlMs: 5 * 60_000, cacheScope: 'public' as const };

export const RECORD_OFFER: Offer<Operations> = {
  capabilities: { resources: {}, prompts: {}, extensions: { [UI_EXTENSION]: {} } },
  // Absent: at once stale and the caller's own, as everything is that depends on who asks.
  cacheHints: { 'resources/templates/list': FIXED, 'prompts/list': { ttlMs: 60_000, cacheScope: 'private' } },
  serve(server, run) {
    server.setRequestHandler('resources/list', ({ params }, ctx) =>
      run(ctx, (operations) => listResources(operations, params?.cursor)),
    );
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...RESOURCE_TEMPLATES] }));
    server.setRequestHandler('resources/read', ({ params: { uri } }, ctx) =>
      run(ctx, async (operations) => ({
        ...(await readResource(operations, uri)),
        // Members of 2026, which earlier clients do not know.
        ...(uri === REVIEW_CARD_URI && ctx.mcpReq.envelope !== undefined ? FIXED : {}),
      })),
    );
    server.setRequestHandler('prompts/list', (_, ctx) => run(ctx, listPrompts));
    server.setRequestHandler('prompts/get', ({ params }, ctx) =>
      run(ctx, (operations) => getPrompt(operations, params)),
    );
  },
};
