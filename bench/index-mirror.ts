/**
 * Reads a mirror in a process of its own: `index-mirror MIRROR CACHE`. Prints the milliseconds of `catchUp`, on the clock and
 * of the processors, the longest it kept the process from anything else, and the most memory the process ever had, in MiB.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { openMirrors } from '#waymark/store/mirrors/index.js';
import { memoryOf, timed } from './measure.ts';

const [folder = '', cacheFolder = ''] = process.argv.slice(2);
const delays = monitorEventLoopDelay({ resolution: 1 });
const mirrors = openMirrors({ folder, cacheFolder });
delays.enable();
const before = process.cpuUsage();
const { ms, value: state } = await timed(() => mirrors.catchUp());
delays.disable();
const { user, system } = process.cpuUsage(before);
const cpuMs = (user + system) / 1000;
mirrors.close();
const peak = memoryOf(process.pid)?.nodePeak ?? 0;
process.stdout.write(`${JSON.stringify({ ms, cpuMs, peak, longest: delays.max / 1e6, records: state.records })}\n`);
