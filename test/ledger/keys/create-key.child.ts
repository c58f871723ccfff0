/** Creates one key as soon as a line arrives on stdin and prints its public part. */
import { createInterface } from 'node:readline';
import { openKeyStore } from '../../../src/ledger/index.ts';

const [dir = '', repository = ''] = process.argv.slice(2);
const input = createInterface({ input: process.stdin });
input.once('line', () => {
  const key = openKeyStore({ dir }).create({ kind: 'agent', repository, agent_id: 'ann', clone: 'c1' });
  process.stdout.write(`${key.publicKey}\n`);
  input.close();
});
process.stdout.write('ready\n');
