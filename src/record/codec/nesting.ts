/**
 * How deeply a YAML text is nested, before anything recursive reads it.
 *
 * The library composes its nodes by recursion, and where the stack ends inside a regular expression V8 ends the whole
 * process instead of throwing: one committed file of 12,000 brackets would stop every reader. Its lexer does not recurse.
 */
import { CST, Lexer } from 'yaml';

/** Levels no honest file comes near, and a small part of what the stack holds. */
const LEVELS = 200;

/** Whether collections are nested, or opened on one line, more than 200 levels deep. */
export function isTooDeep(text: string): boolean {
  let flow = 0;
  let onLine = 0;
  let keys = 0;
  for (const source of new Lexer().lex(text)) {
    switch (CST.tokenType(source)) {
      case 'flow-seq-start':
      case 'flow-map-start':
        flow += 1;
        break;
      case 'flow-seq-end':
      case 'flow-map-end':
        flow = Math.max(0, flow - 1);
        break;
      // Deeper blocks need a line and a column each, so a text of bounded size cannot hold many.
      case 'seq-item-ind':
      case 'map-value-ind':
        onLine += 1;
        break;
      // A key that is a collection is written out anew at each level: 700 levels cost seconds. A file has few such keys.
      case 'explicit-key-ind':
        keys += 1;
        break;
      case 'newline':
        onLine = 0;
        break;
    }
    if (flow > LEVELS || keys > LEVELS || (flow === 0 && onLine > LEVELS)) return true;
  }
  return false;
}
