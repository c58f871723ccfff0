/** Values of options: what is read, and what is refused with the wanted form. */
import { InvalidArgumentError, Option } from 'commander';

export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value];
}

export function repeatable(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).argParser((value: string, before: readonly string[] | undefined) => {
    if (!choices.includes(value)) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return collect(value, before);
  });
}

export function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('Expected 0 to 65535.');
  return port;
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a whole number.');
  return Number(text);
}

export function fraction(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('Expected 0 to 1.');
  return value;
}
