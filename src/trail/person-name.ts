/** The name a new enrolment carries when nobody gave one. */
import { displayNameOf } from '../record/display-name.ts';
import { findSecret } from '../secrets/find-secret.ts';
import type { Repository } from '../store/repository.ts';

/** As the person told git; without a member where there is none that can be shown. */
export async function personName(repository: Pick<Repository, 'userName'>): Promise<{ readonly name?: string }> {
  const name = displayNameOf((await repository.userName()) ?? '');
  return name === null || findSecret({ name }) !== null ? {} : { name };
}
