/** Statements whose text depends on the query, prepared once each: there are as many as sets of filters in use. */
export function prepared<S>(cache: Map<string, S>, options: { sql: string; prepare: (sql: string) => S }): S {
  const known = cache.get(options.sql);
  if (known !== undefined) return known;
  const statement = options.prepare(options.sql);
  cache.set(options.sql, statement);
  return statement;
}
