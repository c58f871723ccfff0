/** What every transaction of an adoption is, to the rules of a write: without an input that could be sent again. */
export const CALL = { verb: 'adopt', input: {}, idempotencyKey: undefined } as const;
