/** Asks for the passphrase of a key, on the terminal and without echo. */
import type { StoredKey } from '../ledger/index.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** `null` without a terminal, or when the person gives up. */
export async function terminalPassphrase(key: StoredKey): Promise<string | null> {
  const terminal = openTerminal();
  if (terminal === null) return null;
  try {
    return await askPassphrase(terminal, key);
  } finally {
    terminal.close();
  }
}

export function askPassphrase(terminal: Terminal, key: StoredKey): Promise<string | null> {
  return terminal.askHidden(`Passphrase of the ${nameOf(key)}: `);
}

/** Asked twice; `null` when the person gives up or the two differ. */
export async function askNewPassphrase(terminal: Terminal): Promise<string | null> {
  const first = await terminal.askHidden('New passphrase: ');
  if (first === null || first === '') return null;
  const second = await terminal.askHidden('The same again: ');
  return first === second ? first : null;
}

/** Empty for none, asked twice else; `null` when the person gives up or the two differ. */
export async function askPassphraseOrNone(terminal: Terminal): Promise<string | null> {
  const first = await terminal.askHidden('Passphrase of the recovery key (empty for none): ');
  if (first === null || first === '') return first;
  return first === (await terminal.askHidden('The same again: ')) ? first : null;
}

function nameOf(key: StoredKey): string {
  return key.agent_id === undefined ? `${key.kind} key` : `${key.kind} key of ${key.agent_id}`;
}
