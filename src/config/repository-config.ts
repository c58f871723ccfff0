/**
 * `config.yaml` at the root of a data repository: FAVA's keys (fava.md 1.6) and, under `waymark`, ours.
 *
 * What of it is in force is for others to say (`trail/settings.ts`); no address or credential is ever taken from it.
 */
import { z } from 'zod';
import { type Outcome, ok, refuse } from '../record/outcome.ts';
import { TRAILS_DIR } from '../record/paths.ts';
import { type ScopeSettings, scopeSettingsSchema } from './scope-settings.ts';
import { parseSettings, renderSettings } from './yaml-settings.ts';

const FILE = 'config.yaml';

/** A branch name that git accepts and that cannot be taken for an option or leave `refs/heads`. */
const BRANCH = /^(?!.*(?:\.\.|\/\/|\/\.|\.\/|\.lock(?:\/|$)|[./]$))[A-Za-z0-9][A-Za-z0-9._/-]{0,199}$/;

const waymarkSchema = z.looseObject({
  /** Version of the on-disk format. */
  layout: z.literal(1, { error: 'expected 1, the only layout this version of Waymark reads' }),
  /** Names a folder under the state directory, so it is held to one plain segment. */
  id: z.string().regex(/^[A-Za-z0-9_-]{8,64}$/, 'expected 8 to 64 letters, digits, "_" or "-"'),
  /** The owner's public key, base64url. */
  owner: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'expected a public key: 43 characters of base64url'),
  /** The branch that is the record; `main` when absent. */
  branch: z.string().regex(BRANCH, 'expected a git branch name').optional(),
});

const seconds = z.int().nonnegative().optional();
const text = z.string().nullable().optional();

/** FAVA's keys of the trust gate; the only ones a machine's overlay may hold. */
export const TRUST_GATE_KEYS = {
  trust_gate: z.string().optional(),
  trust_gate_provider: z.string().optional(),
  trust_gate_model: z.string().optional(),
  trust_gate_api_base: z
    .url({ protocol: /^https?$/, error: 'expected an http or https address' })
    .nullable()
    .optional(),
  trust_gate_api_key_env: text,
  openrouter_api_key_env: z.string().optional(),
  trust_gate_api_key_file: text,
  trust_gate_extra_body: z.record(z.string(), z.unknown()).optional(),
  trust_gate_timeout_secs: seconds,
  trust_gate_decisions_config: z
    .looseObject({
      trust_gate_noul_question: z.string().optional(),
      trust_gate_noul_threshold: z.number().min(0).max(1).optional(),
    })
    .nullable()
    .optional(),
};

/** Where requests and credentials go; never taken from a repository. */
export const MACHINE_ONLY_KEYS = [
  'trust_gate_api_base',
  'trust_gate_api_key_env',
  'openrouter_api_key_env',
  'trust_gate_api_key_file',
  'trust_gate_extra_body',
] as const satisfies readonly (keyof typeof TRUST_GATE_KEYS)[];

const schema = z.looseObject({
  trails_dir: z
    .string()
    .regex(
      /^(?:\.\/)?trails\/?$/,
      `expected "${TRAILS_DIR}", the only folder Waymark supports: move yours there ("git mv")`,
    )
    .default(TRAILS_DIR)
    .transform((): typeof TRAILS_DIR => TRAILS_DIR),
  remote_url: text,
  push_strategy: z.string().optional(),
  ...TRUST_GATE_KEYS,
  tool_timeout_secs: seconds,
  trails: z.record(z.string(), z.unknown()).optional(),
  hooks: z.array(z.record(z.string(), z.unknown())).optional(),
  waymark: waymarkSchema.optional(),
});

export type WaymarkConfig = z.infer<typeof waymarkSchema>;

/** Every key this version knows, ours as `waymark.<key>`. */
export const REPOSITORY_KEYS: readonly string[] = [
  ...Object.keys(schema.shape),
  ...Object.keys(waymarkSchema.shape).map((key) => `waymark.${key}`),
];

/** Unknown members are kept, so that rendering loses nothing. Without `waymark` it is a FAVA repository. */
export type RepositoryConfig = z.infer<typeof schema> & {
  /** Keys this version does not know, e.g. `colour`, `waymark.colour`; to be named to the person, never obeyed. */
  readonly unknownKeys: readonly string[];
};

/** Code `repository` when the file is malformed, with the key in `field`. */
export function parseRepositoryConfig(bytes: Uint8Array): Outcome<RepositoryConfig> {
  const parsed = parseSettings(bytes, { name: FILE, schema });
  if (!parsed.ok) return parsed;
  const unknownKeys = [
    ...unknownOf(parsed.value, schema.shape),
    ...unknownOf(parsed.value.waymark ?? {}, waymarkSchema.shape).map((key) => `waymark.${key}`),
  ];
  return ok({ ...parsed.value, unknownKeys });
}

/**
 * The entries of `trails`: defaults of scopes, by scope (fava.md 1.6, where FAVA parses and never reads them). Code
 * `repository` when one is malformed, with the key in `field`.
 */
export function scopeDefaults(config: RepositoryConfig): Outcome<ReadonlyMap<string, ScopeSettings>> {
  const defaults = new Map<string, ScopeSettings>();
  for (const [scope, entry] of Object.entries(config.trails ?? {})) {
    const parsed = scopeSettingsSchema.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = ['trails', scope, ...(issue?.path ?? [])].join('.');
      return refuse('repository', `${FILE} has a bad "${field}": ${issue?.message}`, {
        field,
        next: `Correct ${FILE}`,
      });
    }
    defaults.set(scope, parsed.data);
  }
  return ok(defaults);
}

/** Text that parses to an equal configuration, read equally by PyYAML. Comments of an earlier file are not in it. */
export function renderRepositoryConfig(config: RepositoryConfig): string {
  const { unknownKeys, ...settings } = config;
  return renderSettings(settings);
}

function unknownOf(value: object, shape: object): readonly string[] {
  return Object.keys(value).filter((key) => !Object.hasOwn(shape, key));
}
