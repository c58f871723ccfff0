/**
 * Search as you type: asks for the results of the same page and puts them in place. A request that a later one has made
 * stale is given up. Without the script the form does the same by itself.
 */
export const SEARCH_JS = `const form = document.querySelector('form[data-live]');
const results = document.getElementById('results');
const said = document.getElementById('said');
const DELAY_MS = 150;
let timer = 0;
let asking = new AbortController();
let shown = location.search;

async function refresh() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const filled = [...new FormData(form)].filter(([, value]) => value !== '');
  const query = new URLSearchParams(filled).toString();
  if ('?' + query === shown) return;
  const url = form.getAttribute('action') + '?' + query;
  results.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(url, { headers: { 'X-Fragment': 'results' }, signal });
    if (!response.ok) throw new Error(String(response.status));
    const text = await response.text();
    if (signal.aborted) return;
    results.innerHTML = text;
    said.textContent = results.querySelector('[data-count]')?.textContent ?? '';
    shown = '?' + query;
    history.replaceState(null, '', url);
    results.removeAttribute('aria-busy');
  } catch {
    if (signal.aborted) return;
    results.removeAttribute('aria-busy');
    said.textContent = 'The search failed: press Enter to try again';
  }
}

if (form && results && said) {
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(refresh, DELAY_MS);
  });
}
`;
