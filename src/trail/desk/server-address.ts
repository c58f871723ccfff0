/** Where the server of this repository listens, left by it for the command line while it runs. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { replaceFile } from '../../ledger/durable-file.ts';
import type { OpenRecord } from '../open.ts';
import { deskFolder } from './desk-folder.ts';

type AddressRecord = Pick<OpenRecord, 'environment' | 'repository'>;

const schema = z.strictObject({ origin: z.url({ protocol: /^https?$/ }), pid: z.int().positive() });

/** @param origin As `http://127.0.0.1:8765`. */
export function announceAddress(record: AddressRecord, origin: string): void {
  replaceFile(fileOf(record), `${JSON.stringify({ origin, pid: process.pid })}\n`);
}

/** Leaves alone what a server that started later says. */
export function withdrawAddress(record: AddressRecord): void {
  if (read(record)?.pid === process.pid) rmSync(fileOf(record), { force: true });
}

/** `null` when no server runs. */
export function announcedAddress(record: AddressRecord): string | null {
  const found = read(record);
  return found !== null && isRunning(found.pid) ? found.origin : null;
}

function fileOf(record: AddressRecord): string {
  return join(deskFolder(record), 'server.json');
}

function read(record: AddressRecord): z.output<typeof schema> | null {
  try {
    return schema.parse(JSON.parse(readFileSync(fileOf(record), 'utf8')));
  } catch {
    return null;
  }
}

/** A server that was killed leaves its file behind. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
