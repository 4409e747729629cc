/** The operations of a forge that pull requests need. Its program is started with the person's own login. */
import * as z from 'zod/mini';
import { ExplainedError } from '../../base/errors.ts';
import { run } from '../../base/process/run.ts';
import { parsedJson } from '../../base/text/json.ts';
import { redact } from '../../base/text/redact/redact.ts';
import type { Check, ForgeAddress, SeenPull } from '../../store/pull-requests.ts';

export interface NewPull extends Readonly<Record<'branch' | 'base' | 'title' | 'body', string>> {
  readonly draft: boolean;
}

export interface Forge {
  readonly address: ForgeAddress;
  find(branch: string): Promise<number | undefined>;
  create(wish: NewPull): Promise<void>;
  look(number: number): Promise<SeenPull>;
  markReady(number: number): Promise<void>;
  retarget(number: number, base: string): Promise<void>;
  logOf(check: Check): Promise<string>;
  mayWrite(login: string): Promise<boolean>;
}

export class ForgeError extends ExplainedError {
  override readonly code = 'FORGE';
}

export interface ForgeCaller {
  readonly address: ForgeAddress;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The program must not ask on a terminal, look for updates, or colour its output. */
const QUIET = {
  GH_PROMPT_DISABLED: '1',
  GH_NO_UPDATE_NOTIFIER: '1',
  NO_COLOR: '1',
  CLICOLOR: '0',
  GLAB_CHECK_UPDATE: 'false',
  NO_PROMPT: '1',
} as const;
const TIMEOUT_MS = 60_000;

/** The output of the forge's program. @throws {ForgeError} with the next step. */
export async function askForge(
  { address: { program, host }, cwd, env }: ForgeCaller,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const options = { cwd, env: { ...env, ...QUIET }, input, timeoutMs: TIMEOUT_MS };
  const outcome = await run(program, args, options);
  const login = `${program} auth login --hostname ${host}`;
  if (outcome.kind === 'failed') {
    const isMissing = outcome.why === 'not found';
    throw new ForgeError(`${program} ${isMissing ? 'is not on PATH' : outcome.why}`, {
      hint: isMissing ? `install it, then: ${login}` : 'run it again',
    });
  }
  const { exitCode, stderr, stdout } = outcome;
  if (exitCode === 0) return stdout.toString('utf8');
  const why = redact(stderr.trim().split('\n').slice(0, 3).join(' ').slice(0, 400));
  if (exitCode === 4 || /HTTP 401|Unauthorized|auth login/i.test(stderr)) {
    throw new ForgeError(`${program} is not logged in to ${host}`, { hint: login });
  }
  const limit = 'wait until the limit has ended, then run it again';
  const other = `run it again; \`${program} auth status\` tells whether ${host} can be reached`;
  throw new ForgeError(`\`${program} ${args[0]}\` failed: ${why}`, {
    hint: /rate limit/i.test(stderr) ? limit : other,
  });
}

/** REST by the program's own `api`: `gh` and `glab` take the same words. @param project the path of the repository. */
export function restOf(caller: ForgeCaller, project: string) {
  const ask = (path: string, more: readonly string[] = [], input?: string): Promise<string> => {
    const where = ['api', '--hostname', caller.address.host, `${project}/${path}`];
    return askForge(caller, [...where, ...more], input);
  };
  /** An answer is checked after it was changed to the form of all forges. */
  const get = async (path: string) => readAnswer(z.any(), await ask(path));
  return {
    ask,
    get,
    list: async (path: string) => readAnswer(z.array(z.any()), await get(path)),
    /** Texts are sent on stdin, as JSON. */
    async send(method: string, path: string, body: object): Promise<void> {
      const how = ['--method', method, '--header', 'Content-Type: application/json', '--input'];
      await ask(path, [...how, '-'], JSON.stringify(body));
    },
  };
}

/**
 * @param answer as text, or as a parsed value.
 * @throws {ForgeError} if it has another form.
 */
export function readAnswer<Schema extends z.ZodMiniType>(schema: Schema, answer: unknown) {
  const value = typeof answer === 'string' ? parsedJson(answer) : answer;
  const parsed = z.safeParse(schema, value);
  if (parsed.success && value !== undefined) return parsed.data;
  const what = parsed.error?.issues[0]?.path.join('.') ?? 'no JSON';
  throw new ForgeError(`the forge answered in a form that is not known (${what})`, {
    hint: 'take a newer `gh` (2.23 at least) or `glab`',
  });
}
