/** `waymark desk login` */
import { refuse } from '../../record/outcome.ts';
import { quote } from '../../record/quote.ts';
import { createLoginLink } from '../../trail/desk/login-links.ts';
import { announcedAddress } from '../../trail/desk/server-address.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { fail, type Invocation, printResult, say } from '../invocation.ts';
import { withPerson } from '../with-record.ts';

export interface DeskLoginFlags {
  readonly url?: string;
}

/** The link goes to stdout alone. */
export async function login(invocation: Invocation, { url }: DeskLoginFlags): Promise<ExitCode> {
  if (url !== undefined && !isHttpAddress(url)) {
    const refusal = refuse('invalid', `--url ${quote(url)} is not an http or https address`, {
      field: 'url',
      next: 'Name the server as people reach it, as https://waymark.example',
    });
    return fail(invocation, refusal, { exit: EXIT.usage });
  }
  return withPerson(invocation, async ({ record, session }) => {
    const base = url ?? announcedAddress(record);
    if (base === null) {
      const refusal = refuse('invalid', 'No server of this record runs here, so there is nothing to sign in to', {
        next: 'Start "waymark serve" first, or name its address with --url',
      });
      return fail(invocation, refusal, { exit: EXIT.environment });
    }
    const context = await session.context();
    const code = await createLoginLink(record, context);
    if (!code.ok) return fail(invocation, code);
    const link = new URL('/login', base);
    link.searchParams.set('code', code.value);
    printResult(invocation, { status: 'ok', url: link.href }, () => [link.href]);
    if (!invocation.json) {
      say(invocation, `signs one browser in as ${context.principal.agent_id}, once, within 10 minutes`);
    }
    return EXIT.ok;
  });
}

function isHttpAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
