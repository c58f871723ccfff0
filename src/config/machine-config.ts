/**
 * The per-machine overlay: `waymark/config.yaml`, and FAVA's `fava-trails/config.yaml`, below `$XDG_CONFIG_HOME`
 * (fava.md 1.6). It holds what a repository must not decide: where a reviewing model is reached, and with which key, and
 * which log and archive are asked for records that are not here, and how `waymark serve` meets the network.
 */
import { z } from 'zod';
import type { Outcome } from '../record/outcome.ts';
import { TRUST_GATE_KEYS } from './repository-config.ts';
import { serveSchema } from './serve-settings.ts';
import { serviceAddress } from './service-address.ts';
import { parseSettings } from './yaml-settings.ts';

/** Any other key is an error: a setting that looks as if it counted here would be worse than none. */
const favaSchema = z.strictObject(TRUST_GATE_KEYS);
/**
 * Both are asked over the network, so they come from this file alone: not from a repository, whose writer could have
 * every reader's questions sent to them, and not from atrib's own variables, which a person set for another program.
 */
const schema = z.strictObject({
  ...TRUST_GATE_KEYS,
  /** Base address of an atrib log, e.g. `https://log.example/v1`. */
  atrib_log_url: serviceAddress.optional(),
  /** Base address of an atrib archive. */
  atrib_archive_url: serviceAddress.optional(),
  serve: serveSchema.optional(),
});

export const MACHINE_KEYS: readonly string[] = Object.keys(schema.shape);

export type MachineConfig = z.infer<typeof schema>;

/** @param file The file's path, for messages. Code `repository` when it is malformed, with the key in `field`. */
export function parseMachineConfig(bytes: Uint8Array, file: string): Outcome<MachineConfig> {
  return parseSettings(bytes, { name: file, schema, next: `Correct or remove ${file}` });
}

/** As {@link parseMachineConfig}, of FAVA's file, which has none of our keys. */
export function parseFavaMachineConfig(bytes: Uint8Array, file: string): Outcome<MachineConfig> {
  return parseSettings(bytes, { name: file, schema: favaSchema, next: `Correct or remove ${file}` });
}
