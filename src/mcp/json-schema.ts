/** Zod schemas as the plainest JSON Schema that every client reads (cases.md B64, B65). */
import type { JSONValue } from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { McpSurface } from '../config/index.ts';

/** An alias, not an interface: the SDK's schema type has an index signature. */
export type ObjectSchema = {
  readonly type: 'object';
  readonly properties: Record<string, JSONValue>;
  readonly required?: string[];
};

/**
 * An input schema as `tools/list` shows it; fields marked `terse` by their type alone, those marked `unlisted` only on
 * the full surface.
 */
export function inputJsonSchema(schema: z.ZodObject, surface: McpSurface): ObjectSchema {
  return render(schema, { io: 'input', terse: true, unlisted: surface === 'full' });
}

/** An input schema with all its values and bounds, for documents. */
export function documentedInputSchema(schema: z.ZodObject): ObjectSchema {
  return render(schema, { io: 'input', terse: false, unlisted: true });
}

export function outputJsonSchema(schema: z.ZodType): ObjectSchema {
  return render(schema, { io: 'output', terse: true, unlisted: true });
}

const rootSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.looseObject({ unlisted: z.literal(true).optional() }).catchall(z.json())),
  required: z.array(z.string()).optional(),
});

interface RenderOptions {
  readonly io: 'input' | 'output';
  readonly terse: boolean;
  readonly unlisted: boolean;
}

function render(schema: z.ZodType, options: RenderOptions): ObjectSchema {
  const rendered = z.toJSONSchema(schema, {
    io: options.io,
    // `jsonObject` and `untyped` fields hold a check that JSON Schema cannot say; their metadata says what matters.
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // Unknown arguments are refused by name, so saying it again costs tokens in every session.
      delete jsonSchema.additionalProperties;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema['terse'] !== true) return;
      delete jsonSchema['terse'];
      if (!options.terse) return;
      for (const key of ['enum', 'minimum', 'maximum', 'properties'] as const) delete jsonSchema[key];
    },
  });
  const { type, properties, required } = rootSchema.parse(rendered);
  const shown = Object.entries(properties).flatMap(([name, { unlisted, ...property }]) =>
    unlisted === true && !options.unlisted ? [] : [[name, property] as const],
  );
  return { type, properties: Object.fromEntries(shown), ...(required && required.length > 0 ? { required } : {}) };
}
