/** Whether this is the long run (`npm run test:long`, `npm run show`), in which matrices and properties are whole. */
export const IS_LONG: boolean = process.env['WAYMARK_TEST_LONG'] !== undefined;
