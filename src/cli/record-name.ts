/** Lower-case digits alone are a hash, as a trace shows the first of them: thought ids are shown in capitals. */
export function recordName(typed: string): string {
  return /^[0-9a-f]{8,64}$/.test(typed) ? `sha256:${typed}` : typed;
}
