/** The real Claude Code: where it comes from, and one run of it against the model server. */
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Env } from '../../scripts/demo/run.ts';
import { type ClientPackage, installedPackage } from '../e2e/client.ts';
import { type PreparedTurn, playTurns } from '../e2e/model.ts';
import { startMessagesServer } from './messages-server.ts';

export const CLIENT: ClientPackage = {
  spec: '@anthropic-ai/claude-code@2.1.330',
  program: 'claude',
  variable: 'LANEHOLD_E2E_CLAUDE',
};

const RUN_LIMIT_MS = 120_000;
export const TOOLS = 'Bash,Read,Edit,Write,Monitor,ToolSearch';

/** The folder of a project with nothing but vitest installed, made now if it is not there. */
export function vitestFolder(): Promise<string> {
  return installedPackage('vitest@3.2.4', 'vitest', () => undefined);
}

export interface TurnsRun {
  /** What the model was shown before each of its turns; see `PlayedTurns.shown`. */
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
  more: { readonly resume?: string; readonly path?: string; readonly servers?: object } = {},
): Promise<TurnsRun> {
  const remote: (string | undefined)[] = [];
  const { answer, shown } = playTurns(turns, async (turn) => {
    remote[turn] ??= await demo.remoteHead();
  });
  const server = await startMessagesServer(answer);
  try {
    const names = Object.keys(more.servers ?? {}).map((it) => `mcp__${it}`);
    const tools = [TOOLS, ...names].join(',');
    const args = ['-p', '--output-format', 'json', '--allowedTools', tools];
    if (more.servers) args.push('--mcp-config', JSON.stringify({ mcpServers: more.servers }));
    if (more.resume !== undefined) args.push('--resume', more.resume);
    const { code, stdout, stderr, timedOut } = await demo.run(client, args, {
      env: { ...clientEnv(demo, server.url), ...(more.path ? { PATH: more.path } : {}) },
      input: 'Do the task.',
      limitMs: RUN_LIMIT_MS,
    });
    if (timedOut) throw new Error(`the client did not end within ${RUN_LIMIT_MS / 1000} s`);
    const session = /"session_id":\s*"([^"]+)"/.exec(stdout)?.[1] ?? '';
    remote.push(await demo.remoteHead());
    return { shown, remote, code, session, stderr };
  } finally {
    await server.close();
  }
}

/** A command of the client that asks no model; returns what it printed. */
export async function runClient(
  client: string,
  demo: DemoProject,
  args: readonly string[],
): Promise<string> {
  const env = clientEnv(demo, 'http://127.0.0.1:9');
  const { code, stdout, stderr } = await demo.run(client, args, { env, limitMs: RUN_LIMIT_MS });
  if (code !== 0)
    throw new Error(`claude ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** The whole environment of the client: the demo project's, a fake key, and no word to anyone else. */
export function clientEnv(demo: DemoProject, url: string): Env {
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
