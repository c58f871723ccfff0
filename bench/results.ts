/** Figures on disk: one JSON file a size, one section a measurement, so that a run of one keeps the others. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Environment } from './measure.ts';
import type { Figures } from './session.ts';

const figuresSchema: z.ZodType<Figures> = z.lazy(() =>
  z.record(z.string(), z.union([z.number(), z.string(), z.boolean(), z.null(), figuresSchema])),
);
const environmentSchema = z.object({
  cpus: z.number(),
  cpu: z.string(),
  memoryGiB: z.number(),
  system: z.string(),
  node: z.string(),
  git: z.string(),
});
const resultsSchema = z.object({
  /** Thoughts the record was seeded with. */
  count: z.number(),
  sections: z.record(
    z.string(),
    z.object({ measuredAt: z.string(), environment: environmentSchema, figures: figuresSchema }),
  ),
});

export type Results = z.infer<typeof resultsSchema>;

export function readResults(folder: string, count: number): Results {
  const path = join(folder, `${count}.json`);
  if (!existsSync(path)) return { count, sections: {} };
  return resultsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Replaces one section and keeps the rest. */
export function writeSection(
  folder: string,
  section: {
    readonly count: number;
    readonly name: string;
    readonly environment: Environment;
    readonly figures: Figures;
  },
): void {
  const { count, name, environment, figures } = section;
  const before = readResults(folder, count);
  const entry = { measuredAt: new Date().toISOString(), environment, figures: rounded(figures) };
  const after: Results = { count, sections: { ...before.sections, [name]: entry } };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${count}.json`), `${JSON.stringify(after, null, 2)}\n`);
}

/** Three significant digits: more would be noise. */
function rounded(figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => {
      if (typeof value === 'number' && !Number.isInteger(value)) return [name, Number(value.toPrecision(3))];
      return [name, typeof value === 'object' && value !== null ? rounded(value) : value];
    }),
  );
}

/** The figure at a path of names like `wait`, `p50`; `undefined` when it was not measured. */
export function figureAt(
  results: Results,
  at: { readonly section: string; readonly path: readonly string[] },
): number | undefined {
  let value: Figures[string] | undefined = results.sections[at.section]?.figures;
  for (const name of at.path) {
    value = typeof value === 'object' && value !== null ? value[name] : undefined;
  }
  return typeof value === 'number' ? value : undefined;
}
