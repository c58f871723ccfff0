/**
 * The per-machine overlay: `waymark/config.yaml`, and FAVA's `fava-trails/config.yaml`, below `$XDG_CONFIG_HOME`
 * (fava.md 1.6). It holds what a repository must not decide: where a reviewing model is reached, and with which key.
 */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { TRUST_GATE_KEYS } from './repository-config.ts';
import { parseSettings } from './yaml-settings.ts';

/** Any other key is an error: a setting that looks as if it counted here would be worse than none. */
const schema = z.strictObject(TRUST_GATE_KEYS);

export type MachineConfig = z.infer<typeof schema>;

/** @param file The file's path, for messages. Code `repository` when it is malformed, with the key in `field`. */
export function parseMachineConfig(bytes: Uint8Array, file: string): Outcome<MachineConfig> {
  return parseSettings(bytes, { name: file, schema, next: `Correct or remove ${file}` });
}
