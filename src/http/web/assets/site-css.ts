/**
 * The style of every page. System fonts, one accent, both schemes, paper. Pairs of ink and paper have a contrast of at
 * least 4.5 (WCAG 2.2, 1.4.3); nothing is told by colour alone.
 */
export const SITE_CSS = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --raised: #fff; --sunk: #f1efe9; --line: #dedad0; --strong-line: #857f72;
  --ink: #1e1d1a; --soft: #5d594f; --accent: #0f6370; --accent-ink: #fff; --accent-wash: #e0eff0;
  --bad: #9c2c1f; --bad-wash: #fbe9e5; --good-wash: #dff0e0; --good: #1f5f2b; --mark: #fbe9a6;
  --ui: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  --text: Charter, "Bitstream Charter", "Sitka Text", Cambria, "Noto Serif", "Liberation Serif", Georgia, serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Code", "Source Code Pro", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #15171a; --raised: #1c1f23; --sunk: #22262b; --line: #343a41; --strong-line: #7d8791;
    --ink: #e7e5df; --soft: #a8adb3; --accent: #79c6d1; --accent-ink: #0c2529; --accent-wash: #1b3439;
    --bad: #f0a294; --bad-wash: #40211c; --good-wash: #1b3721; --good: #a3d8ab; --mark: #574a12;
  }
}
*, *::before, *::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 var(--ui); overflow-wrap: anywhere; }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: .18em; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
h1, h2, h3, h4 { line-height: 1.22; text-wrap: balance; font-weight: 650; letter-spacing: -.011em; }
h1 { font-size: clamp(1.6rem, 1.25rem + 1.6vw, 2.2rem); margin: .3rem 0 1rem; }
h2 { font-size: 1.22rem; margin: 2.6rem 0 .8rem; }
h3 { font-size: 1.04rem; margin: 1.6rem 0 .5rem; }
p, ul, ol, dl, pre, table, blockquote { margin: 0 0 1rem; }
code, kbd, pre, .hash { font-family: var(--mono); font-size: .875em; }
pre { padding: .8rem 1rem; background: var(--sunk); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere; }
hr { border: 0; border-top: 1px solid var(--line); margin: 2rem 0; }
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: -1px; padding: 0; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; border: 0; }
.skip { position: absolute; left: -999rem; top: .5rem; z-index: 2; padding: .5rem 1rem; background: var(--raised); }
.skip:focus { left: .5rem; }

/* Frame */
header.site { border-bottom: 1px solid var(--line); background: var(--raised); }
header.site .bar, main, footer.site p { width: 100%; max-width: 72rem; margin-inline: auto;
  padding-inline: clamp(1rem, 4vw, 2rem); }
header.site .bar { display: flex; flex-wrap: wrap; align-items: center; gap: .35rem 1.4rem; padding-block: .6rem; }
.wordmark { font: 700 1.15rem var(--text); letter-spacing: .01em; color: var(--ink); text-decoration: none; }
header.site nav ul { display: flex; flex-wrap: wrap; gap: .1rem; margin: 0; padding: 0; list-style: none; }
header.site nav a { display: block; padding: .35rem .7rem; border-radius: 5px; color: var(--soft); text-decoration: none; }
header.site nav a:hover { color: var(--ink); background: var(--sunk); }
header.site nav a[aria-current] { color: var(--ink); font-weight: 600; box-shadow: inset 0 -2px var(--accent);
  border-radius: 5px 5px 0 0; }
.count { display: inline-block; min-width: 1.5em; padding: 0 .4em; border-radius: 1em; background: var(--accent);
  color: var(--accent-ink); font-size: .8em; font-weight: 650; text-align: center; }
.find { flex: 1 1 11rem; max-width: 20rem; margin-left: auto; }
.find input { width: 100%; }
.account { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .7rem; margin: 0; font-size: .92rem; }
.who b { font-weight: 600; }
.role { color: var(--soft); }
main { flex: 1; padding-block: 1.6rem 4rem; }
footer.site { border-top: 1px solid var(--line); color: var(--soft); font-size: .9rem; }
footer.site p { margin-block: 1rem; }

/* Controls */
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type=checkbox], [type=radio], [type=hidden]), select, textarea { max-width: 100%; min-height: 2.6rem; padding: .42rem .65rem;
  background: var(--raised); border: 1px solid var(--strong-line); border-radius: 6px; }
textarea { width: 100%; min-height: 6rem; }
::placeholder { color: var(--soft); opacity: 1; }
input[type=checkbox], input[type=radio] { width: 1.1em; height: 1.1em; accent-color: var(--accent); vertical-align: -.15em; }
button, .button { display: inline-block; padding: .45rem 1rem; border: 1px solid var(--accent); border-radius: 6px;
  background: var(--accent); color: var(--accent-ink); font-weight: 600; text-decoration: none; cursor: pointer; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
button.bad { background: transparent; border-color: var(--bad); color: var(--bad); }
button.small, .button.small { padding: .15rem .6rem; font-size: .9rem; }
.account button { padding: .15rem .6rem; }
label { font-weight: 550; }
label.choice { font-weight: 400; }
.hint { color: var(--soft); font-size: .92rem; font-weight: 400; }
fieldset { margin: 0 0 1rem; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px; }
legend { padding: 0 .4rem; font-weight: 600; }
form.filters { display: flex; flex-wrap: wrap; align-items: end; gap: .7rem .9rem; margin: 0 0 1.2rem; padding: .9rem 1rem;
  background: var(--sunk); border-radius: 8px; }
form.filters > div { display: grid; gap: .2rem; min-width: 0; }
form.filters > .wide { flex: 1 1 16rem; }
form.filters label { font-size: .88rem; }
form.filters .choice { display: flex; align-items: center; gap: .4rem; min-height: 2.4rem; font-size: 1rem; }

/* Pieces */
.crumbs { display: flex; flex-wrap: wrap; gap: .2rem .5rem; margin: 0; padding: 0; list-style: none; color: var(--soft); }
.crumbs li + li::before { content: "/"; margin-right: .5rem; color: var(--soft); }
.byline.lead-in { margin-bottom: 1.4rem; }
.lede { max-width: 44rem; font-size: 1.1rem; color: var(--soft); }
.soft { color: var(--soft); }
.note, .warning { padding: .7rem 1rem; border-left: 3px solid var(--accent); border-radius: 0 6px 6px 0;
  background: var(--accent-wash); }
.warning { border-color: var(--bad); background: var(--bad-wash); }
.note > :last-child, .warning > :last-child { margin-bottom: 0; }
.badge { display: inline-block; padding: .02rem .55rem; border: 1px solid var(--strong-line); border-radius: 1rem;
  color: var(--soft); font-size: .85rem; font-weight: 550; white-space: nowrap; }
.badge[data-status=approved] { border-color: var(--accent); background: var(--accent-wash); color: var(--accent); }
.badge[data-status=proposed] { border-style: dashed; border-color: var(--accent); color: var(--accent); }
.badge[data-status=rejected], .badge[data-status=tombstoned], .badge[data-status=unverified], .badge[data-status=erased] {
  border-color: var(--bad); color: var(--bad); }
.badge[data-status=superseded] { text-decoration: line-through; }
.tags { display: flex; flex-wrap: wrap; gap: .3rem .5rem; margin: 0; padding: 0; list-style: none; }
.tags a, .tags span { padding: 0 .5rem; border-radius: 4px; background: var(--sunk); color: var(--soft); font-size: .9rem; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .3rem 1.3rem; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: 1px; margin: 0 0 2rem;
  background: var(--line); border: 1px solid var(--line); border-radius: 8px; overflow: hidden; }
.numbers > div { padding: .9rem 1.1rem; background: var(--raised); }
.numbers dt { color: var(--soft); font-size: .92rem; }
.numbers dd { margin: 0; }
.numbers .big { font-size: 1.75rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 3rem; }
@media (min-width: 56rem) {
  .columns { grid-template-columns: minmax(0, 1fr) minmax(0, 21rem); }
  .columns.start { grid-template-columns: minmax(0, 19rem) minmax(0, 1fr); }
  .columns.even { margin-top: 2.5rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
}
.columns > * > h2:first-child, .columns > * > section:first-child > h2 { margin-top: .4rem; }
.thoughts, .entries { margin: 0; padding: 0; list-style: none; }
.thoughts > li { padding: 1rem 0; border-top: 1px solid var(--line); }
.thoughts h2, .thoughts h3 { margin: 0 0 .25rem; font-size: 1.06rem; }
.thoughts h2 a, .thoughts h3 a { color: var(--ink); text-decoration-color: var(--line); }
.thoughts h2 a:hover, .thoughts h3 a:hover { color: var(--accent); text-decoration-color: currentcolor; }
.thoughts .preview { margin: 0 0 .4rem; max-width: 46rem; font-family: var(--text); color: var(--ink); }
.byline { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .8rem; margin: 0; color: var(--soft); font-size: .92rem; }
.byline a { color: inherit; }
.entries > li { padding: .5rem 0; border-top: 1px solid var(--line); }
.entries > li:first-child { border-top: 0; padding-top: 0; }
mark { padding: 0 .1em; border-radius: 2px; background: var(--mark); color: inherit; }
#results[aria-busy] { opacity: .6; }
.pager { display: flex; gap: 1rem; justify-content: space-between; margin: 1.5rem 0 0; padding-top: 1rem;
  border-top: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { padding-bottom: .5rem; color: var(--soft); text-align: left; }
th, td { padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-size: .92rem; font-weight: 600; }
td code { white-space: nowrap; }
td.number, th.number { text-align: right; }
.tree, .tree ul { margin: 0; padding: 0; list-style: none; }
.tree ul { margin-left: .45rem; padding-left: 1rem; border-left: 1px solid var(--line); }
.tree .row { display: flex; gap: 1rem; justify-content: space-between; padding: .28rem 0; }
.tree .row > span { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
.cite { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.cite h2 { margin-top: 0; }
.cite pre { margin-bottom: .6rem; }

/* What somebody wrote */
.prose, .plain, .diff { max-width: 42rem; font: 1.09rem/1.65 var(--text); }
.plain, .diff { white-space: pre-wrap; }
.prose > :last-child { margin-bottom: 0; }
.prose h2, .prose h3, .prose h4, .prose h5, .prose h6 { font-family: var(--ui); margin: 1.6rem 0 .5rem; font-size: 1.05rem; }
.prose > :first-child { margin-top: 0; }
.prose ul, .prose ol { padding-left: 1.5rem; }
.prose blockquote { padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.prose table { font-family: var(--ui); font-size: .95rem; }
.to-right { text-align: right; }
.to-center { text-align: center; }
.diff { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
ins, del { padding: 0 .12em; border-radius: 2px; }
ins { background: var(--good-wash); color: var(--good); text-decoration: underline; }
del { background: var(--bad-wash); color: var(--bad); text-decoration: line-through; }
.verified { color: var(--good); font-weight: 600; }
.unproved { color: var(--bad); }
.timeline { width: 100%; height: auto; }
.timeline text { fill: var(--soft); font: 12px var(--ui); }
.timeline .axis { stroke: var(--line); }
.timeline .span { stroke: var(--accent); stroke-width: 8; stroke-linecap: round; }
.timeline .dot { fill: var(--accent); }
.timeline .open { fill: var(--paper); stroke: var(--accent); stroke-width: 2; }
@media (max-width: 44rem) {
  .stack thead { position: absolute; clip-path: inset(50%); }
  .stack, .stack tbody, .stack tr, .stack td { display: block; }
  .stack tr { padding: .6rem 0; border-bottom: 1px solid var(--line); }
  .stack td { padding: .1rem 0; border: 0; }
}
@media (max-width: 30rem) {
  .facts { grid-template-columns: minmax(0, 1fr); gap: 0; }
  .facts dd { margin-bottom: .6rem; }
  .find { order: 1; flex-basis: 100%; max-width: none; }
}
@media (prefers-reduced-motion: no-preference) { a, button { transition: background-color .12s, color .12s; } }
@media (forced-colors: active) { .badge, .count { border: 1px solid; } }

@media print {
  :root { --paper: #fff; --raised: #fff; --sunk: #fff; --ink: #000; --soft: #333; --accent: #000; --line: #999;
    --accent-wash: #fff; --bad: #000; --bad-wash: #fff; --good: #000; --good-wash: #fff; --mark: #fff; }
  header.site nav, .find, .account, .skip, .pager, form, button, .no-print { display: none !important; }
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  .columns { display: block; }
  h1, h2, h3 { break-after: avoid; }
  .thoughts > li, .cite, table tr { break-inside: avoid; }
  .prose a[href^="http"]::after, .cite a::after { content: " (" attr(href) ")"; font-size: .85em; }
}
`;
