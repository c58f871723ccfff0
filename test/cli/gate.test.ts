/** What a person is told of the model, before anything leaves for it and without asking it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { doctor } from '../../src/trail/doctor/index.ts';
import { KEY, makeGateRecord, SCOPE } from '../support/gate.ts';
import { startWaymark, waymark } from './support.ts';

test('status, doctor and a starting server name destination, model and source of the key, and ask nobody', async () => {
  await using gate = await makeGateRecord();
  const { t, fake, alice } = gate;
  await alice.save({ trail_name: 'acme/web', content: 'x' });
  await gate.accept('trails/acme/api/.fava-trails.yaml', 'name: acme/api\ntrust_gate_policy: human\n');
  await alice.save({ ...SCOPE, content: 'x' });
  const at = { cwd: t.root, env: { ...t.env, GATE_KEY: KEY, PATH: process.env['PATH'] ?? '' } };
  const said = `llm-oneshot by m/x at ${fake.url}, key from GATE_KEY`;
  const [status, json] = await Promise.all([waymark(['status'], at), waymark(['status', '--json'], at)]);
  expect(status.stdout).toContain(said);
  expect(status.stdout).toMatch(/Judged otherwise\n +acme\/api +human/);
  expect(JSON.parse(json.stdout).trust_gate).toMatchObject({
    policy: 'llm-oneshot',
    scopes: [{ scope: 'acme/api', policy: 'human' }],
    egress: { destination: fake.url, data_sent: expect.arrayContaining(['text']) },
  });
  const gateOf = async (env: Readonly<Record<string, string>>) => {
    const options = { environment: t.record.environment, cwd: t.root, env, now: Date.now() };
    return (await doctor(options)).findings.find(({ check }) => check === 'trust gate');
  };
  expect(await gateOf(at.env)).toMatchObject({ mark: 'ok', message: expect.stringContaining(said) });
  expect(await gateOf({ PATH: at.env.PATH })).toMatchObject({
    mark: 'warn',
    message: expect.stringContaining('No key of the model is in the variable GATE_KEY'),
  });
  const mcp = startWaymark(['mcp'], at);
  await mcp.seen('trust_gate_egress');
  mcp.child.stdin?.end();
  const { stdout, stderr } = await mcp.ended;
  expect(stdout).toBe('');
  expect(JSON.parse(stderr.split('\n')[0] ?? '').trust_gate_egress).toMatchObject({ destination: fake.url });
  gate.configure(null);
  expect(await gateOf(at.env)).toMatchObject({ mark: 'ok', message: expect.stringContaining('nothing is sent') });
  expect((await waymark(['status'], at)).stdout).toMatch(/gate +human\. Nothing is sent: No model is configured/);
  expect(fake.asked).toEqual([]);
  expect([status.stdout, json.stdout, stderr].join()).not.toContain(KEY);
  expect(readFileSync(join(t.root, 'config.yaml'), 'utf8')).not.toContain('GATE_KEY');
});
