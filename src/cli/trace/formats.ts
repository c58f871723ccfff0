/** How a trace can be printed. Apart, so that the command line knows them without loading any. */
export const FORMATS = ['tree', 'json', 'mermaid', 'dot', 'prov'] as const;
export type Format = (typeof FORMATS)[number];
