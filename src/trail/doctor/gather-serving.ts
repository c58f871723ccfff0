/** What is known of serving without a server: the file of tokens, the settings of the machine, the program that tells people. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DEFAULT_SERVE_SETTINGS, type Environment } from '../../config/index.ts';
import { ok } from '../../record/outcome.ts';
import { serveSettings } from '../machine-settings.ts';
import { readTokens, tokenFileOf } from '../tokens/token-file.ts';
import type { ServingFacts } from './facts.ts';

export interface ServingOptions {
  readonly environment: Environment;
  readonly repositoryId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Unix milliseconds. */
  readonly now: number;
}

export function servingFacts({ environment, repositoryId, env, now }: ServingOptions): ServingFacts {
  const found = readTokens(tokenFileOf(environment, repositoryId));
  const read = serveSettings(environment);
  const settings = read.ok ? read.value : DEFAULT_SERVE_SETTINGS;
  const { notify } = settings;
  const program = notify !== undefined && 'command' in notify ? (notify.command[0] ?? '') : null;
  return {
    tokens: found.ok
      ? ok({
          made: found.value.length,
          inForce: found.value.filter(({ revoked, expires }) => revoked === undefined && Date.parse(expires) > now)
            .length,
        })
      : found,
    settings,
    missingProgram: program === null || isProgram(program, env['PATH'] ?? '') ? null : program,
  };
}

/** As `spawn` looks for it. */
function isProgram(name: string, path: string): boolean {
  const places = name.includes('/') ? [name] : path.split(delimiter).map((folder) => join(folder, name));
  return places.some((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
