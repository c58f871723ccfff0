/** Room for the record, and what kind of disk it lies on. */
import type { Facts } from './facts.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const MIB = 1024 * 1024;
/** Less than a repack and a few saves may need. */
const TOO_LITTLE = 64 * MIB;
const LITTLE = 1024 * MIB;

/** Magic numbers of statfs(2) whose locks or promises are weaker than those of a local disk. */
const WEAK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x01021997, '9P'],
]);
const IN_MEMORY: ReadonlyMap<number, string> = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
]);

export function checkDisk({ record }: Facts): readonly Finding[] {
  const disk = record?.disk ?? null;
  if (disk === null) return [];
  return [checkSpace(disk.freeBytes), checkKind(disk.type)];
}

function checkSpace(free: number): Finding {
  const room = `${Math.floor(free / MIB).toLocaleString('en')} MiB free`;
  if (free < TOO_LITTLE) return fail('disk', `${room}: writes will be refused soon`, 'Make room: df -h .');
  return free < LITTLE ? warn('disk', `Only ${room}`, 'Make room: df -h .') : ok('disk', room);
}

function checkKind(type: number): Finding {
  // Node gives the number signed on some platforms.
  const kind = type >>> 0;
  const weak = WEAK.get(kind);
  if (weak !== undefined) {
    const cause = `${weak} is a network file system: one writer at a time is only as sure as its locks`;
    return warn('file system', cause, 'Keep the record on a local disk, and clone or sync it');
  }
  const memory = IN_MEMORY.get(kind);
  if (memory === undefined) return ok('file system', 'local');
  return warn('file system', `${memory} is memory: nothing here survives a restart`, 'Move the record to a disk');
}
