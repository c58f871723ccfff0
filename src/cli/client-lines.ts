/** How each client is connected to the server, as one pastes it. */

export interface ClientLinesOptions {
  /** The client sends a token, which it takes from the variable {@link TOKEN_VARIABLE} of its own environment. */
  readonly needsCredential: boolean;
}

/** Read by clients; Waymark never looks at it. */
export const TOKEN_VARIABLE = 'WM_TOKEN';

/** Rows of a client's name and its line. @param endpoint As `http://127.0.0.1:8765/mcp`. */
export function clientLines(endpoint: string, { needsCredential }: ClientLinesOptions): readonly (readonly string[])[] {
  const claude = needsCredential ? ` --header "Authorization: Bearer $${TOKEN_VARIABLE}"` : '';
  const codex = needsCredential ? ` --bearer-token-env-var ${TOKEN_VARIABLE}` : '';
  const headers = { Authorization: `Bearer \${env:${TOKEN_VARIABLE}}` };
  const cursor = { mcpServers: { waymark: { url: endpoint, ...(needsCredential ? { headers } : {}) } } };
  return [
    ['Claude Code', `claude mcp add --transport http waymark ${endpoint}${claude}`],
    ['Codex', `codex mcp add waymark --url ${endpoint}${codex}`],
    ['Cursor', `in .cursor/mcp.json: ${JSON.stringify(cursor)}`],
  ];
}
