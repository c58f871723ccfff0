/** A float as PyYAML writes it: Python's `repr`, with `.0` before an exponent that has no point (`1.0e-05`). */
export function writeFloat(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`Cannot write a number that is not finite: ${value}`);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  // Without an argument toExponential gives the shortest digits that read back, which are Python's digits too.
  const [mantissa = '', power = '0'] = value.toExponential().split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 16) {
    return Number.isInteger(value) ? `${value}.0` : String(value);
  }
  const sign = exponent < 0 ? '-' : '+';
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}e${sign}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/**
 * A number of a free map. JSON does not tell 1 from 1.0: whole numbers are written as integers, except -0 and those
 * beyond 2^53, whose digits would claim a precision that they do not have.
 */
export function writeNumber(value: number): string {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : writeFloat(value);
}
