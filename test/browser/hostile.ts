/** Text by strangers does nothing in a browser: the stage notes each dialog, fault and request to elsewhere. */
import { expect, test } from 'vitest';
import { type Stage, signIn } from './stage.ts';

const AWAY = 'https://evil.example';
const HOSTILE = `# Harmless <script>alert('title')</script>

<script>alert(1)</script><script src="${AWAY}/x.js"></script><img src=x onerror="alert(2)"><svg onload="alert(3)"><a xlink:href="javascript:alert(4)"><text>x</text></a></svg>

<meta http-equiv="refresh" content="0;url=${AWAY}/refresh"><base href="${AWAY}/"><link rel="stylesheet" href="${AWAY}/x.css"><style>@import '${AWAY}/y.css';</style>

<iframe srcdoc="<script>alert(5)</script>"></iframe><object data="${AWAY}/o"></object><video src="${AWAY}/v" autoplay></video><form action="${AWAY}"><button>Sign in</button></form>

![pixel](${AWAY}/pixel.png) ![data](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9ImFsZXJ0KDYpIi8+) [![inner](${AWAY}/inner.png)](javascript:alert(7))

[run](javascript:alert(8)) [run](JaVaScRiPt:alert(9)) [run](data:text/html,<script>alert(10)</script>) [run](vbscript:msgbox) <javascript:alert(11)>

</textarea></pre></main><script>alert(12)</script>

[ref]: ${AWAY}/ref "title"
[a link that is allowed][ref]

left \u202Eright\u202C zero\u200Bwidth

`;

export function hostile(stage: () => Stage): void {
  test.each([true, false])('hostile Markdown is inert on every page that shows it, scripts on: %s', async (on) => {
    const { story, newPage } = stage();
    const nested = `${'> '.repeat(500)}deep\n\n${'- '.repeat(500)}deeper\n\n${'['.repeat(2_000)}x${'](y)'.repeat(2_000)}`;
    const id = await story.propose(`${HOSTILE}${nested}\n\nThe last words, ${on}.`, {
      metadata: { project: '<svg onload=alert(13)>', tags: ['"><script>alert(14)</script>'] },
    });
    const page = await newPage({ javaScriptEnabled: on });
    await signIn(page, await story.link());
    for (const path of [
      `/desk/${id}`,
      `/t/${id}`,
      '/desk',
      '/desk/batch',
      `/search?view=history&q=Harmless`,
      `/t/${id}/trace`,
    ]) {
      await page.goto(path);
      expect(new URL(page.url()).pathname, path).toBe(path.split('?')[0]);
      const made = await page
        .locator(
          'main script, main img, main iframe, main object, main style, main base, main video, [onload], [onerror]',
        )
        .count();
      expect(made, path).toBe(0);
      // None of theirs closed what stands around it.
      expect(await page.locator('footer.site').count(), path).toBe(1);
      const links = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''));
      expect(
        links.filter((href) => /^\s*(javascript|data|vbscript):/i.test(href)),
        path,
      ).toEqual([]);
    }
    // The control: the text is there, all of it.
    await page.goto(`/desk/${id}`);
    const text = await page.locator('main').textContent();
    for (const shown of ["<script>alert('title')</script>", '<U+202E>', `The last words, ${on}.`]) {
      expect(text).toContain(shown);
    }
    expect(await page.getByRole('link', { name: 'a link that is allowed' }).getAttribute('href')).toBe(`${AWAY}/ref`);
    await page.context().close();
  });

  test('what would betray an attack is noted: a request to elsewhere and a dialog, made by hand', async () => {
    const { newPage, complaints } = stage();
    const page = await newPage();
    await page.goto('/login');
    await page.evaluate(`alert('by hand'); new Image().src = '${AWAY}/pixel.png';`);
    await page.waitForTimeout(0);
    expect(complaints()).toEqual(
      expect.arrayContaining(['dialog: by hand', expect.stringMatching(/Content Security Policy/)]),
    );
    await page.context().close();
  });
}
