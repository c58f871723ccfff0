/** Erasures that lie, or that stop counting: what both verifiers say, and what history shows. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ok } from '../../src/record/outcome.ts';
import { revokeKey } from '../../src/trail/revoke-key.ts';
import { verify } from '../../src/trail/verify.ts';
import { value } from '../support/record.ts';
import { erase, makeTamperRecord, type TamperRecord } from '../support/tamper.ts';
import { type Auditor, makeAuditor } from '../tools/support.ts';

async function both(r: TamperRecord, auditor: Auditor) {
  const [ours, theirs] = [await verify(r.t.record), await auditor.verifyOnThread([auditor.clone(r.root)])];
  expect([...ours.verdicts].sort()).toEqual(theirs.verdicts);
  return theirs.verdicts;
}

test('an erasure that lies is found by history alone, and one whose key is revoked from before it stops counting', async () => {
  await using r = await makeTamperRecord();
  using auditor = makeAuditor();
  const history = async () => {
    rmSync(join(r.t.record.seenFolder, 'history'), { force: true });
    return (await verify(r.t.record, { history: true })).verdicts;
  };

  // By hand, as an operator's command does it.
  erase(r, {});
  expect(await both(r, auditor)).toEqual([]);
  expect(await history()).toEqual([]);
  r.restore();

  // The sidecar said something else; only who has the old commit can tell.
  erase(r, { stating: (skeleton) => ({ ...skeleton, via: 'http' }) });
  expect(await both(r, auditor)).toEqual([]);
  expect(await history()).toEqual(['forked']);
  r.restore();

  // An agent's erasure stands for nothing.
  erase(r, { by: 'alice' });
  expect(await both(r, auditor)).toEqual(['edited', 'wrong_role']);
  r.restore();
  await r.t.record.repository.settleIndex();

  const carol = r.t.record.repository.index
    .reader()
    .keys()
    .find(({ agent_id }) => agent_id === 'carol');
  const size = r.t.record.repository.index.reader().writerTail(carol?.log ?? '')?.size ?? 0;
  erase(r, {});
  await r.t.record.repository.settleIndex();
  expect(await both(r, auditor)).toEqual([]);
  const input = { publicKey: carol?.key ?? '', reason: 'compromise', size } as const;
  value(await revokeKey(r.t.record, input, { person: 'owner', confirm: async () => ok(null) }));
  expect(await both(r, auditor)).toEqual(['after_revocation', 'edited']);
});
