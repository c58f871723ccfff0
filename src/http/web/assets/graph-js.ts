/**
 * Zoom and pan of a causal graph: buttons, `+`, `-` and `0` on the keyboard, Ctrl and the wheel, dragging. Without the script
 * the frame scrolls.
 */
export const GRAPH_JS = `const frame = document.getElementById('graph');
const graph = frame?.querySelector('svg.graph');
const STEP = 1.25;
const [LEAST, MOST] = [0.2, 3];
let scale = 1;

function zoomTo(wanted, at) {
  const next = Math.min(MOST, Math.max(LEAST, wanted));
  const box = frame.getBoundingClientRect();
  const [x, y] = at ?? [box.width / 2, box.height / 2];
  const [left, top] = [(frame.scrollLeft + x) / scale, (frame.scrollTop + y) / scale];
  const { width, height } = graph.viewBox.baseVal;
  graph.setAttribute('width', String(Math.round(width * next)));
  graph.setAttribute('height', String(Math.round(height * next)));
  scale = next;
  frame.scrollLeft = left * scale - x;
  frame.scrollTop = top * scale - y;
  said.textContent = Math.round(scale * 100) + ' %';
}

const said = document.createElement('span');

function addControls() {
  const bar = document.createElement('div');
  bar.className = 'graph-bar no-print';
  const button = (text, label, act) => {
    const made = document.createElement('button');
    made.type = 'button';
    made.className = 'quiet small';
    made.textContent = text;
    made.setAttribute('aria-label', label);
    made.addEventListener('click', act);
    bar.append(made);
  };
  button('+', 'Zoom in', () => zoomTo(scale * STEP));
  button('\\u2212', 'Zoom out', () => zoomTo(scale / STEP));
  button('1:1', 'Full size, 1:1', () => zoomTo(1));
  button('Fit', 'Fit into the frame', () => {
    const { width, height } = graph.viewBox.baseVal;
    zoomTo(Math.min(1, frame.clientWidth / width, frame.clientHeight / height));
  });
  said.setAttribute('role', 'status');
  said.className = 'soft';
  bar.append(said);
  frame.before(bar);
}

function drag(event) {
  if (event.button !== 0 || event.pointerType === 'touch' || event.target.closest('a') !== null) return;
  const from = [event.clientX + frame.scrollLeft, event.clientY + frame.scrollTop];
  const move = (to) => {
    frame.scrollLeft = from[0] - to.clientX;
    frame.scrollTop = from[1] - to.clientY;
  };
  frame.setPointerCapture(event.pointerId);
  frame.addEventListener('pointermove', move);
  frame.addEventListener('pointerup', () => frame.removeEventListener('pointermove', move), { once: true });
}

if (frame && graph) {
  addControls();
  const keys = { '+': () => zoomTo(scale * STEP), '=': () => zoomTo(scale * STEP), '-': () => zoomTo(scale / STEP), 0: () => zoomTo(1) };
  frame.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (act === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  });
  frame.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const box = frame.getBoundingClientRect();
    zoomTo(scale * (event.deltaY < 0 ? STEP : 1 / STEP), [event.clientX - box.left, event.clientY - box.top]);
  }, { passive: false });
  frame.addEventListener('pointerdown', drag);
  const start = graph.querySelector('#start rect');
  if (start !== null) {
    const [at, box] = [start.getBoundingClientRect(), frame.getBoundingClientRect()];
    frame.scrollLeft += at.left - box.left - (box.width - at.width) / 2;
    frame.scrollTop += at.top - box.top - (box.height - at.height) / 2;
  }
}
`;
