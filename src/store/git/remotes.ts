/** Where git would fetch from and push to. */
import { git } from './commit-graph.ts';
import type { GitLocation } from './environment.ts';
import { locateRepository } from './repository.ts';

/** Addresses of all remotes of the repository at exactly `root`, as its configuration has them. */
export async function remoteUrls(root: string): Promise<readonly string[]> {
  const located = await locateRepository(root);
  if (!located.ok) return [];
  const args = ['config', '--null', '--get-regexp', String.raw`^remote\..*\.(push)?url$`];
  const { stdout } = await git(located.value, args, { exitCodes: [0, 1] });
  const entries = stdout.toString('utf8').split('\0');
  return entries.flatMap((entry) => (entry.includes('\n') ? [entry.slice(entry.indexOf('\n') + 1)] : []));
}

/** Names of all remotes, as `git push` takes them. */
export async function remoteNames(location: GitLocation): Promise<readonly string[]> {
  const { stdout } = await git(location, ['remote']);
  return stdout.toString('utf8').split('\n').filter(Boolean);
}
