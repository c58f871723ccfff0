/** An operation's outcome as a tool result: the same facts in text and in `structuredContent`. */
import { randomBytes } from 'node:crypto';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Refusal } from '../record/outcome.ts';
import { fence, jsonLine } from './fence.ts';

/** Some clients read only the text, others only the structure (cases.md B68). */
export function answerValue(
  value: object,
  options: { readonly carriesStoredText: boolean; readonly markdown?: string; readonly isIndented?: true },
): CallToolResult {
  if (options.isIndented) {
    return { content: [{ type: 'text', text: JSON.stringify(value, null, 2) }], structuredContent: { ...value } };
  }
  const json = jsonLine(value);
  const text = options.markdown ?? (options.carriesStoredText ? fence(json, randomBytes(9).toString('hex')) : json);
  return { content: [{ type: 'text', text }], structuredContent: { ...value } };
}

export function answerRefusal(refusal: Refusal): CallToolResult {
  const structured = refusalContent(refusal);
  return { isError: true, content: [{ type: 'text', text: jsonLine(structured) }], structuredContent: structured };
}

/** FAVA's prefix, which agents already know, before the same JSON. */
export function answerBadArguments(refusal: Refusal): CallToolResult {
  const structured = refusalContent(refusal);
  const text = `Input validation error: ${jsonLine(structured)}`;
  return { isError: true, content: [{ type: 'text', text }], structuredContent: structured };
}

/** @param id the one logged with the fault; the fault itself stays in the log, its message may quote a thought. */
export function answerFault(id: string): CallToolResult {
  const structured = {
    status: 'error',
    code: 'internal',
    message: `The call failed inside Waymark, fault "${id}"`,
    next: 'Check with recall or get_thought whether it took effect, then try again; the log of the server names the fault',
  };
  return { isError: true, content: [{ type: 'text', text: jsonLine(structured) }], structuredContent: structured };
}

function refusalContent(refusal: Refusal): Record<string, unknown> {
  const { code, message, next, field, rule, details } = refusal;
  return {
    ...details,
    status: 'error',
    code,
    message,
    next,
    ...(field === undefined ? {} : { field }),
    ...(rule === undefined ? {} : { rule }),
  };
}
