/** What stopped an action, as text for a message; `null` when it went through. */
export async function problemOf(action: () => Promise<void>): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
