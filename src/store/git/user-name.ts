/** What a person told git their name is. */
import { join } from 'node:path';
import { git } from './commit-graph.ts';
import { locateRepository } from './repository.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * `user.name` of the repository at exactly `root`, else of the account; `null` where there is none or git cannot tell.
 * Everything else runs git without the account's settings, so its files are named here.
 */
export async function gitUserName(root: string, { HOME, XDG_CONFIG_HOME }: Variables): Promise<string | null> {
  const located = await locateRepository(root);
  if (!located.ok) return null;
  const config = XDG_CONFIG_HOME ?? (HOME === undefined ? undefined : join(HOME, '.config'));
  const places = [
    ['--local'],
    ...(HOME === undefined ? [] : [['--file', join(HOME, '.gitconfig')]]),
    ...(config === undefined ? [] : [['--file', join(config, 'git', 'config')]]),
  ];
  for (const place of places) {
    try {
      const args = ['config', ...place, '--includes', '--null', '--get', 'user.name'];
      const { stdout } = await git(located.value, args, { exitCodes: [0, 1] });
      const name = stdout.toString('utf8').replace(/\0$/, '');
      if (name !== '') return name;
    } catch {
      // A settings file that git cannot read names nobody.
    }
  }
  return null;
}
