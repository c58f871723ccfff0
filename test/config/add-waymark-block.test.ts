import { describe, expect, test } from 'vitest';
import { addWaymarkBlock, parseRepositoryConfig, type WaymarkConfig } from '../../src/config/index.ts';

const WAYMARK: WaymarkConfig = { layout: 1, id: '0123456789abcdef', owner: 'A'.repeat(43), branch: 'main' };

function added(text: string): string {
  const outcome = addWaymarkBlock(Buffer.from(text), WAYMARK);
  if (!outcome.ok) throw new Error(outcome.message);
  return Buffer.from(outcome.value).toString();
}

describe('addWaymarkBlock', () => {
  test.each([
    ['comments', '# ours\npush_strategy: manual # by hand\n'],
    ['no newline at the end', 'push_strategy: manual'],
    ['CRLF', '# ours\r\npush_strategy: manual\r\nhooks: []\r\n'],
    ['a byte order mark', '\ufeffpush_strategy: manual\n'],
    ['a block scalar at the end', 'push_strategy: manual\nremote_url: |+\n  a\n\n'],
    ['a document start', '---\npush_strategy: manual\n'],
    ['keys of a later version', 'push_strategy: manual\nsomething_new: [1, 2]\n'],
    ['nothing', ''],
  ])('keeps the text of a file with %s, and every value', (_what, text) => {
    const config = added(text);
    expect(config.startsWith(text)).toBe(true);
    const [before, after] = [text, config].map((one) => parseRepositoryConfig(Buffer.from(one)));
    expect(after).toEqual({ ok: true, value: { ...(before?.ok ? before.value : {}), waymark: WAYMARK } });
    if (text.includes('\r\n')) expect(config.replaceAll('\r\n', '')).not.toContain('\n');
  });

  test.each([
    ['a flow map', '{push_strategy: manual, trails_dir: trails}\n'],
    ['a document end', 'push_strategy: manual\ntrails_dir: trails\n...\n'],
    ['an indented map', '  push_strategy: manual\n  trails_dir: trails\n'],
  ])('writes a file that takes no more keys, %s, anew with every value', (_what, text) => {
    const parsed = parseRepositoryConfig(Buffer.from(added(text)));
    expect(parsed).toMatchObject({ ok: true, value: { push_strategy: 'manual', waymark: WAYMARK } });
  });

  test('refuses a file that is malformed or has an owner', () => {
    expect(addWaymarkBlock(Buffer.from('push_strategy: [\n'), WAYMARK)).toMatchObject({
      ok: false,
      code: 'repository',
    });
    expect(addWaymarkBlock(Buffer.from(added('')), WAYMARK)).toMatchObject({ ok: false, code: 'repository' });
  });
});
