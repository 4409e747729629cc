/** The real Claude Code: where it comes from, and one run of it against the model server. */
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import { cleaningUp } from '../../scripts/demo/interrupt.ts';
import { type Env, run } from '../../scripts/demo/run.ts';
import { type PreparedTurn, startModelServer } from './model-server.ts';

/** The version whose behaviour the adapter was written against. */
const CLIENT = '@anthropic-ai/claude-code@2.1.330';

const INSTALL_LIMIT_MS = 10 * 60_000;
const RUN_LIMIT_MS = 120_000;
const TOOLS = 'Bash,Read,Edit,Write,Monitor,ToolSearch';

/** There is no client to run on this machine; the message says why. */
export class NoClientError extends Error {}

/**
 * Returns the path of the client's program: `LANEHOLD_E2E_CLAUDE` if set, else an installation in
 * the user's cache folder, made now if it is not there.
 *
 * @throws {NoClientError} if it cannot be installed or does not start.
 */
export async function findClient(progress: (line: string) => void): Promise<string> {
  const client = process.env.LANEHOLD_E2E_CLAUDE ?? (await installedClient(progress));
  const env = { PATH: process.env.PATH ?? '', HOME: homedir() };
  try {
    const { code, stdout, stderr } = await run(client, ['--version'], { cwd: '/', env });
    if (code !== 0) throw new NoClientError(`${client} does not run here: ${stderr.trim()}`);
    progress(`client: ${stdout.trim()}, ${client}`);
  } catch (error) {
    if (error instanceof NoClientError) throw error;
    throw new NoClientError(`${client} does not start: ${(error as Error).message}`);
  }
  return client;
}

/** The folder of a project with nothing but vitest installed, made now if it is not there. */
export function vitestFolder(): Promise<string> {
  return installed('vitest@3.2.4', 'vitest', () => undefined);
}

async function installedClient(progress: (line: string) => void): Promise<string> {
  const folder = await installed(CLIENT, 'claude', progress);
  return join(folder, 'node_modules/.bin/claude');
}

/** Installs a package into a folder of the user's cache. */
async function installed(
  spec: string,
  program: string,
  progress: (line: string) => void,
): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'lanehold-e2e', spec.replaceAll('/', '-'));
  if (existsSync(join(folder, 'node_modules/.bin', program))) return folder;
  progress(`installing ${spec} into ${folder} (minutes)`);
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const over = new AbortController();
  const { code, stderr, timedOut } = await cleaningUp(
    () => over.abort(),
    () =>
      run('npm', ['install', '--prefix', folder, ...quiet, spec], {
        cwd: folder,
        // npm needs whatever the user has set to reach a registry.
        env: process.env as Env,
        limitMs: INSTALL_LIMIT_MS,
        signal: over.signal,
        onLine: (line) => progress(`  ${line}`),
      }),
  );
  if (timedOut) throw new NoClientError(`npm did not install ${spec} within 10 minutes`);
  const why = stderr.trim().split('\n')[0] ?? '';
  if (code !== 0) throw new NoClientError(`npm could not install ${spec}: ${why}`);
  return folder;
}

export interface TurnsRun {
  /** What the model was shown before each of its turns; see `ModelServer.shown`. */
  readonly shown: readonly string[];
  /** The commit at the remote's `main` before each turn; the last entry is after the run. */
  readonly remote: readonly (string | undefined)[];
  readonly code: number;
  readonly session: string;
  readonly stderr: string;
}

/** Plays turns in one headless run of the client in the demo project's project. */
export async function runTurns(
  client: string,
  demo: DemoProject,
  turns: readonly PreparedTurn[],
  more: { readonly resume?: string; readonly path?: string } = {},
): Promise<TurnsRun> {
  const remote: (string | undefined)[] = [];
  const server = await startModelServer(turns, async (turn) => {
    remote[turn] ??= await demo.remoteHead();
  });
  try {
    const args = ['-p', '--output-format', 'json', '--allowedTools', TOOLS];
    if (more.resume !== undefined) args.push('--resume', more.resume);
    const { code, stdout, stderr, timedOut } = await demo.run(client, args, {
      env: { ...clientEnv(demo, server.url), ...(more.path ? { PATH: more.path } : {}) },
      input: 'Do the task.',
      limitMs: RUN_LIMIT_MS,
    });
    if (timedOut) throw new Error(`the client did not end within ${RUN_LIMIT_MS / 1000} s`);
    const session = /"session_id":\s*"([^"]+)"/.exec(stdout)?.[1] ?? '';
    remote.push(await demo.remoteHead());
    return { shown: server.shown, remote, code, session, stderr };
  } finally {
    await server.close();
  }
}

/** The whole environment of the client: the demo project's, a fake key, and no word to anyone else. */
function clientEnv(demo: DemoProject, url: string): Env {
  return {
    ...demo.env,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: join(demo.root, 'tmp'),
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
  };
}
