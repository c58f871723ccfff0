/** Quotes caller text for a message: JSON escapes keep it on one line, the cut keeps it short. */
export function quote(text: string): string {
  const limit = 80;
  return JSON.stringify(text.length > limit ? `${text.slice(0, limit)}...` : text);
}
