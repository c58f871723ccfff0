/** Tools as clients are shown them. */
import type { Tool as WireTool } from '@modelcontextprotocol/server';
import type { McpSurface } from '../config/index.ts';
import { inputJsonSchema, outputJsonSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

type ListedTool = Omit<Tool, 'prepare'>;

/** Those that `tools/list` names; the others answer all the same. */
export function listed<Each extends ListedTool>(tools: readonly Each[], surface: McpSurface): readonly Each[] {
  return tools.filter((tool) => surface === 'full' || tool.isListed !== 'full');
}

/** A tool as `tools/list` shows it. */
export function wireTool(tool: ListedTool, surface: McpSurface): WireTool {
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputJsonSchema(tool.input, surface),
    ...(surface === 'full' ? { outputSchema: outputJsonSchema(tool.output) } : {}),
    annotations: tool.annotations,
  };
}

/** As hosts of MCP Apps are shown it. */
export function withApp(tool: ListedTool, surface: McpSurface): WireTool {
  const shown = wireTool(tool, surface);
  return tool.app === undefined ? shown : { ...shown, _meta: { ui: { resourceUri: tool.app } } };
}
