/** Zod schemas as the plainest JSON Schema that every client reads (cases.md B64, B65). */
import type { JSONValue } from '@modelcontextprotocol/server';
import * as z from 'zod';

/** An alias, not an interface: the SDK's schema type has an index signature. */
export type ObjectSchema = {
  readonly type: 'object';
  readonly properties: Record<string, JSONValue>;
  readonly required?: string[];
};

/** An input schema as `tools/list` shows it; fields marked `terse` by their type alone. */
export function inputJsonSchema(schema: z.ZodObject): ObjectSchema {
  return render(schema, { io: 'input', terse: true });
}

/** An input schema with all its values and bounds, for documents. */
export function documentedInputSchema(schema: z.ZodObject): ObjectSchema {
  return render(schema, { io: 'input', terse: false });
}

export function outputJsonSchema(schema: z.ZodType): ObjectSchema {
  return render(schema, { io: 'output', terse: true });
}

const rootSchema = z.looseObject({
  type: z.literal('object'),
  properties: z.record(z.string(), z.json()),
  required: z.array(z.string()).optional(),
});

function render(schema: z.ZodType, options: { readonly io: 'input' | 'output'; readonly terse: boolean }) {
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
  return { type, properties, ...(required && required.length > 0 ? { required } : {}) };
}
