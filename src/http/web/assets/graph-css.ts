/** The style of causal graphs, of their lists, and of the control of times. Part of the site's style sheet. */
export const GRAPH_CSS = `
/* Traces */
.choices { display: inline-flex; flex-wrap: wrap; gap: .1rem; margin: 0; padding: 0; list-style: none; }
.choices a { display: block; padding: .2rem .7rem; border-radius: 5px; text-decoration: none; }
.choices a:hover { background: var(--sunk); }
.choices a[aria-current] { background: var(--accent); color: var(--accent-ink); font-weight: 600; }
.trace-controls { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.6rem; margin-bottom: 1rem; }
.trace-controls fieldset { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem 1rem; margin: 0; padding: .4rem .9rem; }
ul.note { list-style: none; }
ul.note li { margin: 0; }
.graph-frame { max-height: 36rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.graph-bar { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; margin-bottom: .5rem; }
.graph { display: block; max-width: none; color: var(--ink); font-family: var(--ui); }
.graph .lines { stroke: var(--strong-line); }
.graph .head { fill: var(--strong-line); }
.graph .box { color: var(--ink); text-decoration: none; }
.graph .box rect { fill: var(--paper); stroke: var(--strong-line); }
.graph .box[data-state=verified] rect { stroke: var(--accent); }
.graph .box[data-state=doubtful] rect { fill: var(--bad-wash); stroke: var(--bad); }
.graph .box[data-state=absent] rect { fill: none; stroke: var(--strong-line); }
.graph .box[aria-current] rect { fill: var(--accent-wash); }
.graph .box .detail { fill: var(--soft); }
.graph .box[data-state=doubtful] .detail { fill: var(--bad); }
.graph .box:hover rect { stroke-width: 2.5; }
.graph .box:focus-visible { outline: none; }
.graph .box:focus-visible rect { stroke: var(--accent); stroke-width: 4; }
.trace, .trace ol { margin: 0; padding: 0 0 0 1.4rem; }
.trace li { padding: .3rem 0; }
.trace li > .byline { display: flex; }
.trace li[data-state=doubtful] > .byline .proof { color: var(--bad); font-weight: 600; }
.trace li[data-state=absent] { color: var(--soft); }
.trace li:target { background: var(--mark); }
.wide { overflow-x: auto; }
.wide td, .wide th { overflow-wrap: normal; }
.as-of { margin: 0 0 1rem; color: var(--soft); font-size: .95rem; }
.as-of summary { cursor: pointer; width: max-content; }
.as-of .fields { display: flex; flex-wrap: wrap; align-items: end; gap: .7rem .9rem; margin-top: .5rem; padding: .9rem 1rem;
  background: var(--sunk); border-radius: 8px; }
.as-of .fields > div { display: grid; gap: .2rem; }
a:not([href]) { color: var(--soft); text-decoration: underline dotted; }
.graph .box:not([href]) { text-decoration: none; }
@media print { .graph-frame { max-height: none; overflow: visible; border: 0; } .graph { max-width: 100%; height: auto; } .as-of { display: none; } }
`;
