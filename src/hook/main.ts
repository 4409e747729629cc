/**
 * The hook program: `lanehold-hook.cjs <event> --agent <name>`, payload on stdin; and what a git
 * hook of lanehold starts, `lanehold-hook.cjs git-pre-push <earlier hook> <remote> <address>`.
 *
 * It never crashes the agent and prints nothing but answers. A failure at a boundary denies; any
 * other failure is logged, and the agent goes on. Only what every event needs is imported here,
 * because every import costs time at every tool call.
 */
import { readSync, writeSync } from 'node:fs';
import { PayloadError } from '../agents/payload.ts';
import { findHookAgent, type HookAgent } from '../agents/registry.ts';
import { type AgentAdapter, EVENT_NAMES, type EventName, type Reply } from '../agents/types.ts';
import { codeOf } from '../errors.ts';
import { phase, phases } from '../process/trace.ts';
import type { Store } from '../store/open.ts';
import { GIT_PRE_PUSH } from '../text/git-hook.ts';
import { commandPart } from '../text/raw-payload.ts';

const OLDEST_NODE = [22, 12] as const;

interface Invocation {
  readonly event: EventName;
  readonly agent: HookAgent;
}

async function main(): Promise<number> {
  if (process.argv[2] === GIT_PRE_PUSH) return answerGit(process.argv.slice(3));
  if (process.env.LANEHOLD_DISABLE === '1') return 0;
  const invocation = readArguments(process.argv.slice(2));
  if (invocation === undefined) {
    writeAll(2, 'usage: lanehold-hook <event> --agent <name>\n');
    // Exit code 1 does not block a tool: a wrong entry in a settings file must not stop all work.
    return 1;
  }
  const { event, agent } = invocation;
  const adapter = await agent.hooks.adapter();
  let input = '';
  let reply: Reply;
  try {
    input = readAll().toString('utf8');
    reply = await answer(invocation, adapter, input);
  } catch (error) {
    reply = await afterFailure(invocation, input, error);
  }
  const output = adapter.render(event, reply);
  writeAll(1, output.stdout);
  writeAll(2, output.stderr);
  return output.exitCode;
}

async function answer(
  { event, agent }: Invocation,
  adapter: AgentAdapter,
  input: string,
): Promise<Reply> {
  requireNode();
  const heard = adapter.parse(event, parseJson(input, agent.name), workingDirectory());
  if (heard === undefined) return { decision: 'none' };
  const loaded = phase('load');
  const { handle } = await import('../lifecycle/handle.ts');
  loaded();
  return handle(heard, {
    agent: agent.name,
    env: process.env,
    now: () => new Date(),
    store: openedOnce(),
  });
}

/** Any failure refuses the push: it is always a release. */
async function answerGit(args: readonly string[]): Promise<number> {
  try {
    requireNode();
    const { beforePush } = await import('../lifecycle/before-push.ts');
    const output = await beforePush({
      args,
      input: readAll(),
      cwd: process.cwd(),
      env: process.env,
      now: () => new Date(),
      store: openedOnce(),
      onTerminal: () => process.stderr.isTTY === true,
    });
    writeAll(2, output.stderr);
    return output.exitCode;
  } catch (error) {
    const fact = error instanceof Error ? error.message : String(error);
    writeAll(2, `lanehold holds this push: it could not look at it (${fact.slice(0, 300)})\n`);
    writeAll(2, 'To proceed: run `lanehold doctor`, mend what it names, then push again.\n');
    return 1;
  }
}

function openedOnce(): () => Promise<Store> {
  let store: Promise<Store> | undefined;
  return () => {
    store ??= openStore();
    return store;
  };
}

/** JSON.parse quotes what it cannot read in its errors, and commands can contain secrets. */
function parseJson(input: string, agent: string): unknown {
  try {
    return JSON.parse(input);
  } catch (error) {
    if (error instanceof Error) throw new PayloadError(agent, 'it is no JSON');
    throw error;
  }
}

/** The working directory may have been deleted; payloads name their own folder. */
function workingDirectory(): string {
  try {
    return process.cwd();
  } catch (error) {
    if (error instanceof Error) return '/';
    throw error;
  }
}

async function openStore(): Promise<Store> {
  const done = phase('store');
  const [{ openStore: open }, { homeOf }] = await Promise.all([
    import('../store/open.ts'),
    import('../store/home.ts'),
  ]);
  const store = await open(homeOf(process.env));
  done();
  return store;
}

/** Before a tool, a command with a release word is denied: it may be a boundary. */
async function afterFailure(
  { event, agent }: Invocation,
  input: string,
  error: unknown,
): Promise<Reply> {
  const { logFailure } = await import('../lifecycle/failure-log.ts');
  logFailure(error, { agent: agent.name, event }, process.env, new Date());
  const { hasReleaseWord } = await import('../text/release-words.ts');
  if (event !== 'before-tool' || !hasReleaseWord(commandPart(input, agent.hooks.rawPayload)))
    return { decision: 'none' };
  const fact = error instanceof Error ? error.message : String(error);
  return {
    decision: 'deny',
    reason: `lanehold holds this command: it could not look at it (${fact.slice(0, 300)})\nTo proceed: run \`lanehold doctor\`, mend what it names, then run the command again.`,
  };
}

function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw new Error(
    `it runs on Node ${process.versions.node} and needs ${OLDEST_NODE.join('.')} or newer`,
  );
}

function readArguments(argv: readonly string[]): Invocation | undefined {
  const [event, flag, name] = argv;
  const known = EVENT_NAMES.find((name) => name === event);
  const agent = flag === '--agent' ? findHookAgent(name ?? '') : undefined;
  return known === undefined || agent === undefined ? undefined : { event: known, agent };
}

/** Larger than any payload of an agent. A longer one is cut, so it is invalid JSON and fails. */
const MAX_INPUT_BYTES = 256 * 1024 * 1024;

function readAll(): Buffer {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafe(total === 0 ? 65_536 : 1_048_576);
    const bytes = readSome(chunk);
    if (bytes === 0 || total > MAX_INPUT_BYTES) break;
    total += bytes;
    chunks.push(chunk.subarray(0, bytes));
  }
  return Buffer.concat(chunks);
}

function readSome(into: Buffer): number {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EOF') return 0;
      // A non-blocking pipe without data.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function writeAll(fd: 1 | 2, text: string): void {
  let rest = Buffer.from(text, 'utf8');
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      const code = codeOf(error);
      // The reader is gone. The exit code still tells the answer.
      if (code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

async function writeTrace(file: string): Promise<void> {
  const { writeFileSync } = await import('node:fs');
  writeFileSync(file, `${JSON.stringify({ phases: phases(START) })}\n`);
}

// `performance` loads a module that nothing else here needs.
const START = process.env.LANEHOLD_TRACE ? performance.now() : 0;

async function run(): Promise<void> {
  let exitCode = 1;
  try {
    exitCode = await main();
  } finally {
    if (process.env.LANEHOLD_TRACE) await writeTrace(process.env.LANEHOLD_TRACE);
    // Ends at once, although the store is still open. If even the answer to a failure fails, the
    // exit code is 1, which agents take for a failed hook.
    process.exit(exitCode);
  }
}

void run();
