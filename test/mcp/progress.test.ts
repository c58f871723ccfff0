/** Progress notifications: for a call with a token, rising, and nothing after the answer. */
import { expect, test } from 'vitest';
import { connectHttp, connectInMemory, createDoor, ERAS } from '../support/mcp-clients.ts';
import { makeRecord, value } from '../support/record.ts';

const SCOPE = { trail_name: 'acme/eng' };

test('a long call tells what it is about to do, in both eras and over both wires, to who asked alone', async () => {
  await using t = await makeRecord();
  const carol = t.session('carol', { operator: true });
  const { thought_id } = value(await carol.operations().save({ ...SCOPE, content: 'Secret sauce' })).thought;
  const known_at = new Date().toISOString();
  value(await carol.operations().decide({ ...SCOPE, thought_id, verdict: 'approve' }));
  const door = createDoor({ operationsFor: (meta) => carol.operations(meta) });
  for (const era of ERAS) {
    for (const connect of [connectInMemory, connectHttp]) {
      const client = await connect(door, era);
      const heard: string[] = [];
      const steps: number[] = [];
      // The client complains of progress that it did not ask for.
      client.onerror = (error) => void heard.push(error.message);
      const calls = [
        { name: 'recall', arguments: { ...SCOPE, mode: 'history', known_at } },
        { name: 'trace', arguments: { record_hash: thought_id } },
      ];
      for (const call of calls) expect((await client.callTool(call)).isError, call.name).toBeFalsy();
      expect(heard).toEqual([]);
      for (const call of calls) {
        steps.length = 0;
        await client.callTool(call, {
          onprogress: ({ progress, message = '' }) => {
            steps.push(progress);
            heard.push(message);
          },
        });
        expect(steps, `${call.name} ${era}`).toEqual(steps.map((_, at) => at + 1));
        expect(steps.length).toBeGreaterThan(0);
      }
      expect(heard).toContain('Walking the records');
      expect(heard.join()).toContain('Building the index of that time');
      expect(heard.join()).not.toContain('sauce');
      await client.close();
    }
  }
});
