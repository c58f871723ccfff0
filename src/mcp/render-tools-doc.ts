/** `docs/tools.md` from the tool table, so that the document cannot disagree with the tools. */
import * as z from 'zod';
import { documentedInputSchema, type ObjectSchema, outputJsonSchema } from './json-schema.ts';
import { thoughtOutput } from './output.ts';
import type { Tool } from './tool.ts';
import { TOOLS } from './tool-table.ts';

const HEAD = `# Tools

Generated from the tool table by \`src/mcp/tools-doc.ts\`; do not edit.

Arrays, numbers, booleans and objects may also come as their JSON text. Arguments that a tool does not take are refused by name; \`operator\`, \`principal\` and names starting with \`_\` are refused and recorded, since no argument establishes who calls.

Every result is in \`structuredContent\` and, as JSON on one line, in the text; text that carries stored thoughts stands between \`<stored-data id="...">\` and \`</stored-data id="...">\` with an id that is new each time. A refusal has \`isError\` and \`{status: "error", code, message, next}\`, with \`field\` and \`rule\` where they apply.
`;

const propertySchema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  const: z.unknown().optional(),
  description: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  get items() {
    return propertySchema.optional();
  },
  properties: z.record(z.string(), z.unknown()).optional(),
});

/** The whole document, ending in a newline. */
export function renderToolsDoc(): string {
  return [HEAD, ...TOOLS.map(renderTool), renderThought()].join('\n');
}

function renderTool(tool: Tool): string {
  return `## ${tool.name}

${tool.description}

${hints(tool)}

| argument | type | |
| --- | --- | --- |
${rows(documentedInputSchema(tool.input), 'required')}

| result | type | |
| --- | --- | --- |
${rows(outputJsonSchema(tool.output), 'always')}
`;
}

function renderThought(): string {
  return `## A thought

As results show it; fields that are not set are absent.

| field | type | |
| --- | --- | --- |
${rows(outputJsonSchema(thoughtOutput), 'always')}
`;
}

function hints(tool: Tool): string {
  if (tool.annotations.readOnlyHint) return 'Reads only.';
  return tool.annotations.destructiveHint ? 'Writes; clients may ask a person first.' : 'Writes; only adds.';
}

function rows(schema: ObjectSchema, presence: 'required' | 'always'): string {
  return Object.entries(schema.properties)
    .map(([name, property]) => {
      const parsed = propertySchema.parse(property);
      const notes = [schema.required?.includes(name) ? presence : '', parsed.description ?? ''];
      return `| \`${name}\` | ${typeOf(parsed)} | ${notes.filter((note) => note !== '').join('; ')} |`;
    })
    .join('\n');
}

function typeOf(property: z.output<typeof propertySchema>): string {
  if (property.const !== undefined) return `\`${JSON.stringify(property.const)}\``;
  if (property.enum !== undefined) return property.enum.map((value) => `\`${value}\``).join(', ');
  if (property.type === 'array') return `list of ${property.items === undefined ? 'anything' : typeOf(property.items)}`;
  if (property.type === 'object' && property.properties !== undefined) {
    const names = Object.keys(property.properties);
    if (names.includes('thought_id')) return '[thought](#a-thought)';
    return names.length === 0 ? 'object' : `{${names.map((name) => `\`${name}\``).join(', ')}}`;
  }
  if (property.minimum !== undefined && property.maximum !== undefined) {
    return `${property.type ?? 'number'}, ${property.minimum} to ${property.maximum}`;
  }
  return property.type ?? 'see right';
}
