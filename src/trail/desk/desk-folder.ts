/** What the server and the command line of this account tell each other about one repository. */
import { join } from 'node:path';
import type { OpenRecord } from '../open.ts';

export function deskFolder({ environment, repository }: Pick<OpenRecord, 'environment' | 'repository'>): string {
  return join(environment.stateDir, 'desk', repository.trust.repositoryId);
}
