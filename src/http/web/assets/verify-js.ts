/** Says how far a verification is, and loads the page anew when it is done. Without the script the page does so by itself. */
export const VERIFY_JS = `const progress = document.getElementById('progress');

async function look() {
  try {
    const response = await fetch('/ledger/verify', { headers: { Accept: 'application/json' } });
    const { running, text } = await response.json();
    if (!running) return location.reload();
    if (progress.textContent !== text) progress.textContent = text;
  } catch {
    // The server is away; the page loads itself anew anyway.
  }
  setTimeout(look, 1000);
}

if (progress) look();
`;
