/**
 * Reads a mirror in a process of its own: `mirror-reader MIRROR CACHE`. Says `ready`, begins on the first line of standard
 * input, and then prints the state as one JSON line.
 */
import { createInterface } from 'node:readline';
import { openMirrors } from '#waymark/store/mirrors/index.js';

const [folder = '', cacheFolder = ''] = process.argv.slice(2);
const begin = new Promise<void>((resolve) => createInterface({ input: process.stdin }).once('line', () => resolve()));
process.stdin.once('end', () => process.exit(1));
process.stdout.write('ready\n');
await begin;
const mirrors = openMirrors({ folder, cacheFolder });
process.stdout.write(`${JSON.stringify(await mirrors.catchUp())}\n`);
mirrors.close();
process.exit(0);
