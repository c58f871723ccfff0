/** A record on a machine that is configured for a reviewing model, a fake one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Egress } from '../../src/review/egress.ts';
import { Session } from '../../src/trail/session.ts';
import { type Caller, connect } from '../cases/caller.ts';
import { type FakeGate, startGate } from '../fakes/gate-server.ts';
import { acceptFile } from './accept.ts';
import { makeRecord, type TestRecord } from './record.ts';

export const SCOPE = { trail_name: 'acme/api' };
export const KEY = 'key-that-nobody-may-see';

export interface GateRecord {
  readonly t: TestRecord;
  readonly fake: FakeGate;
  readonly alice: Caller;
  readonly carol: Caller;
  /** What the machine was told before something left. */
  readonly announced: Egress[];
  connect(agentId: string, options?: { readonly operator?: boolean; readonly via?: string }): Promise<Caller>;
  /** Writes the machine's settings anew; `null` removes what makes it a machine with a model. */
  configure(lines: string | null): void;
  /** Puts a file of the repository in force. */
  accept(path: string, text: string): Promise<unknown>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param policy Of the scope. @default what FAVA means by none chosen */
export async function makeGateRecord(policy?: string): Promise<GateRecord> {
  const t = await makeRecord();
  const fake = await startGate();
  const announced: Egress[] = [];
  const sessions: Session[] = [];
  const gate: Omit<GateRecord, 'alice' | 'carol'> = {
    t,
    fake,
    announced,
    async connect(agentId, { operator = false, via = 'library' } = {}) {
      const announce = (egress: Egress) => void announced.push(egress);
      const env = { GATE_KEY: KEY };
      const session = new Session(t.record, { via, agentId, wantsOperator: operator, env, announce });
      sessions.push(session);
      return connect(session);
    },
    configure(lines) {
      const folder = join(t.env['XDG_CONFIG_HOME'] ?? '', 'waymark');
      mkdirSync(folder, { recursive: true });
      const model = `trust_gate_model: "m/x"\ntrust_gate_api_base: "${fake.url}"\ntrust_gate_api_key_env: "GATE_KEY"\n`;
      writeFileSync(join(folder, 'config.yaml'), lines === null ? '{}\n' : model + lines);
    },
    async accept(path, text) {
      const { session } = await carol;
      return acceptFile({ root: t.root, operations: session.operations() }, path, text);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(sessions.map((session) => session.close()));
      await fake[Symbol.asyncDispose]();
      await t[Symbol.asyncDispose]();
    },
  };
  gate.configure('');
  const carol = gate.connect('carol', { operator: true });
  const opened = { ...gate, carol: await carol, alice: await gate.connect('alice') };
  if (policy !== undefined) {
    await gate.accept('trails/acme/api/.fava-trails.yaml', `name: acme/api\ntrust_gate_policy: ${policy}\n`);
  }
  return opened;
}
