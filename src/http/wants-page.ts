import type { Context } from 'hono';

/** Whether whoever asks is a person with a browser. */
export function wantsPage(c: Context): boolean {
  return c.req.path !== '/mcp' && (c.req.header('accept') ?? '').includes('text/html');
}
