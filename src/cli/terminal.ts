/**
 * The terminal of the person, whatever stdin and stdout are: /dev/tty. Answers and passphrases come from nowhere else,
 * so that a pipe cannot decide.
 */
import { openSync } from 'node:fs';
import { ReadStream, WriteStream } from 'node:tty';

export interface Terminal {
  write(text: string): void;
  /** The next line without its end, `null` when the person ends the input. */
  ask(prompt: string): Promise<string | null>;
  /** As {@link ask}, without echo; `null` also for Ctrl-C. */
  askHidden(prompt: string): Promise<string | null>;
  close(): void;
}

const TTY = '/dev/tty';
const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';

/** `null` where the process has no terminal. */
export function openTerminal(): Terminal | null {
  let fd: number;
  try {
    fd = openSync(TTY, 'r+');
  } catch {
    return null;
  }
  const input = new ReadStream(fd);
  const output = new WriteStream(openSync(TTY, 'w'));
  let typed = '';
  let isEnded = false;
  let wake: () => void = () => undefined;
  input.setEncoding('utf8');
  input.on('data', (text: string) => {
    typed += text;
    wake();
  });
  // A terminal that hangs up ends with an error on Linux.
  for (const event of ['end', 'close', 'error'] as const) {
    input.on(event, () => {
      isEnded = true;
      wake();
    });
  }
  output.on('error', () => undefined);
  input.pause();

  /** Takes from what was typed until `take` is satisfied. */
  async function read(take: () => string | null | undefined): Promise<string | null> {
    input.resume();
    try {
      for (;;) {
        const taken = take();
        if (taken !== undefined) return taken;
        if (isEnded) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      input.pause();
    }
  }

  function takeLine(): string | undefined {
    const end = typed.search(/[\r\n]/);
    if (end === -1) return undefined;
    const line = typed.slice(0, end);
    typed = typed.slice(end + 1);
    return line;
  }

  function takeHidden(): string | null | undefined {
    const stop = typed.search(new RegExp(`[${INTERRUPT}${END_OF_INPUT}]`));
    const end = typed.search(/[\r\n]/);
    if (stop === -1 || (end !== -1 && end < stop)) {
      const line = takeLine();
      return line === undefined ? undefined : withoutRubbedOut(line);
    }
    typed = typed.slice(stop + 1);
    return null;
  }

  return {
    write: (text) => void output.write(text),
    ask(prompt) {
      output.write(prompt);
      return read(takeLine);
    },
    async askHidden(prompt) {
      // Raw first: what is typed right after the prompt must not be echoed.
      input.setRawMode(true);
      output.write(prompt);
      try {
        return await read(takeHidden);
      } finally {
        input.setRawMode(false);
        output.write('\n');
      }
    },
    close() {
      input.destroy();
      output.destroy();
    },
  };
}

/** In raw mode the backspace key arrives as a character. */
function withoutRubbedOut(text: string): string {
  const kept: string[] = [];
  for (const character of text) {
    if (character === '\u007f' || character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
