/**
 * What the hook program answers to one call: `<event> --agent <name>` with the agent's payload as
 * input, or `git-pre-push <earlier hook> <remote> <address>` with what git writes to its hook.
 *
 * A failure at a boundary denies; any other failure is logged, and the agent goes on. Only what every
 * event needs is imported here, because every import costs time at every tool call.
 */
import { join } from 'node:path';
import { PayloadError } from '../../agents/kit/payload.ts';
import { agentsWith, findHookAgent, type HookAgent } from '../../agents/registry.ts';
import {
  type AgentAdapter,
  EVENT_NAMES,
  type EventName,
  type HookEvent,
  type HookOutput,
  type Reply,
  STATUS_LINE,
} from '../../agents/types.ts';
import { attempt } from '../../base/errors.ts';
import { GIT_PRE_PUSH } from '../../base/text/git-hook.ts';
import { isJsonObject, parsedJson } from '../../base/text/json.ts';
import { PLUGIN_FLAG } from '../../base/text/plugin-flag.ts';
import { hasReleaseWord } from '../../base/text/release-words.ts';
import { OwnProcessNeeded } from '../../gate/errors.ts';
import type { Effects } from '../lifecycle/handler.ts';
import type { HookCall } from '../lifecycle/hook-call.ts';
import { withEffects } from './effects.ts';
import { OPEN_INPUT_MS, UnfinishedInput } from './read-in-time.ts';

const OLDEST_NODE = [22, 12] as const;

interface Invocation {
  readonly event: EventName;
  readonly agent: HookAgent;
  /** The hook was started by a plugin of the agent, not by its settings. */
  readonly byPlugin: boolean;
}

export async function answerCall(call: HookCall): Promise<HookOutput> {
  if (call.args[0] === GIT_PRE_PUSH) {
    const input = await call.input();
    return withEffects(call, (effects) => answerGit(input, call, effects));
  }
  return call.args[0] === STATUS_LINE ? answerStatusLine(call) : answerAgent(call);
}

async function answerAgent(call: HookCall): Promise<HookOutput> {
  const invocation = readArguments(call.args);
  if (invocation === undefined) {
    const stderr = 'usage: lanehold-hook <event> --agent <name>\n';
    // Exit code 1 does not block a tool: a wrong entry in a settings file must not stop all work.
    return { stdout: '', stderr, exitCode: 1 };
  }
  const { event, byPlugin } = invocation;
  let input: Buffer = Buffer.alloc(0);
  let payload: unknown;
  let failure: unknown;
  if (call.env.LANEHOLD_DISABLE !== '1') {
    const limitMs = invocation.agent.hooks.leavesInputOpen ? OPEN_INPUT_MS : undefined;
    try {
      input = await call.input(limitMs);
      const text = input.toString('utf8').replace(BYTE_ORDER_MARKS, '');
      // Some versions that leave it open send no input, at any event.
      if (text.trim() === '' && limitMs === undefined) throw new UnfinishedInput();
      payload = parsedJson(text);
    } catch (error) {
      failure = input.length > 0 || limitMs !== undefined ? error : new UnfinishedInput();
    }
  }
  const agent = speakerOf(invocation.agent, payload, call.env);
  const { adapter } = agent.hooks;
  // Some agents take an empty output for a refusal.
  if (call.env.LANEHOLD_DISABLE === '1')
    return adapter.render(event, { decision: 'none' }, payload);
  const speaking = { event, agent, byPlugin };
  return withEffects(call, async (effects) => {
    const own = { ...call, ...effects };
    const answering = failure === undefined ? answer(speaking, adapter, payload, own) : undefined;
    const reply = await (answering ?? Promise.reject(failure)).catch((error: unknown) =>
      afterFailure(speaking, { input, isJson: payload !== undefined }, error, own),
    );
    return adapter.render(event, reply, payload);
  });
}

type EffectiveCall = Omit<HookCall, 'store'> & Effects;

/** Windows' shells put one or two before the text that they pass on. */
const BYTE_ORDER_MARKS = /^\uFEFF+/;

/** @param named the agent whose settings have started the hook. */
export function speakerOf(named: HookAgent, payload: unknown, env: NodeJS.ProcessEnv): HookAgent {
  const sent = isJsonObject(payload) ? payload : {};
  if (named.hooks.sends?.(sent, env)) return named;
  return agentsWith('hooks').find(({ hooks }) => hooks.sends?.(sent, env)) ?? named;
}

async function answer(
  { event: name, agent, byPlugin }: Invocation,
  adapter: AgentAdapter,
  payload: unknown,
  call: EffectiveCall,
): Promise<Reply> {
  requireNode();
  // The parser's own error would quote the text, and commands can contain secrets.
  if (payload === undefined) throw new PayloadError(agent.name, 'it is no JSON');
  const event = adapter.parse(name, payload, workingDirectory(call), call.env);
  if (event === undefined) return { decision: 'none' };
  if (byPlugin) {
    const { areJudgedBySettings } = await import('../watch/beside-settings.ts');
    if (areJudgedBySettings(event, agent.name, call.env)) return { decision: 'none' };
  }
  const { handle } = await import('../lifecycle/handle.ts');
  return handle(withSize(event, agent, payload), { ...call, agent: agent.name, byPlugin });
}

function withSize(event: HookEvent, { hooks }: HookAgent, payload: unknown): HookEvent {
  if (event.kind !== 'after-tool' || !isJsonObject(payload)) return event;
  const { outputs = ['tool_response'] } = hooks;
  const key = outputs.find((it) => payload[it] !== undefined);
  if (key === undefined) return event;
  return { ...event, outputBytes: Buffer.byteLength(JSON.stringify(payload[key])) };
}

/** Any failure refuses the push: it is always a release. */
async function answerGit(input: Buffer, call: HookCall, effects: Effects): Promise<HookOutput> {
  try {
    requireNode();
    const { beforePush } = await import('../lifecycle/before-push.ts');
    const own = { args: call.args.slice(1), input, cwd: call.cwd() };
    return await beforePush({ ...call, ...effects, ...own });
  } catch (error) {
    if (error instanceof OwnProcessNeeded) throw error;
    const fact = error instanceof Error ? error.message : String(error);
    const stderr = `lanehold holds this push: it could not look at it (${fact.slice(0, 300)})
To proceed: run \`lanehold doctor\`, mend what it names, then push again.
`;
    return { stdout: '', stderr, exitCode: 1 };
  }
}

/** `statusline --stdin`, or `--wrap <line>` for a line of the user's own that stands above. */
async function answerStatusLine(call: HookCall): Promise<HookOutput> {
  const [, , wrap] = call.args;
  const { outputOf, statusLine } = await import('../lifecycle/status-line.ts');
  const here = { env: call.env, cwd: workingDirectory(call), now: call.now };
  const read = async () => call.input(OPEN_INPUT_MS);
  const input = await read().then(String, () => '');
  const theirs = wrap === undefined ? Promise.resolve('') : outputOf(wrap, here, input);
  return withEffects(call, async ({ store }) => {
    const { text } = await statusLine({ ...here, store }, input, theirs);
    return { stdout: `${text}\n`, stderr: '', exitCode: 0 };
  });
}

/** The working directory may have been deleted; payloads name their own folder. */
const workingDirectory = (call: Pick<HookCall, 'cwd'>): string => attempt(() => call.cwd()) ?? '/';

/**
 * Denies a possible release if the tool has not run yet, by the rule that also decides without lanehold: it looks for
 * words in the payload as it came.
 */
async function afterFailure(
  { event, agent }: Invocation,
  failed: Failed,
  error: unknown,
  { env, now, afterwards }: EffectiveCall,
): Promise<Reply> {
  const { logFailure } = await import('../lifecycle/failure-log.ts');
  afterwards(() => logFailure(error, { agent: agent.name, event }, env, now()));
  if (event !== 'before-tool') return { decision: 'none' };
  if (!(await mayRelease(failed, error, env))) return { decision: 'none' };
  const fact = error instanceof Error ? error.message : String(error);
  return {
    decision: 'deny',
    reason: `lanehold holds this command: it could not look at it (${fact.slice(0, 300)})\nTo proceed: run \`lanehold doctor\`, mend what it names, then run the command again.`,
  };
}

interface Failed {
  readonly input: Buffer;
  readonly isJson: boolean;
}

async function mayRelease(
  { input, isJson }: Failed,
  error: unknown,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (error instanceof UnfinishedInput) return true;
  // JSON of an unknown form may have a command where the rule does not look.
  const isOfUnknownForm =
    error instanceof PayloadError && isJson && hasReleaseWord(toolPart(input));
  return isOfUnknownForm || !(await runsNoRelease(input, env));
}

/** The payload from its tool on: folders and similar fields come before it. */
const toolPart = (input: Buffer): string =>
  /"(?:tool|args|command)[\s\S]*/i.exec(input.toString('utf8'))?.[0] ?? '';

/** False also if the rule cannot be run. */
async function runsNoRelease(input: Buffer, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [{ run }, { packageRoot }] = await Promise.all([
    import('../../base/process/run.ts'),
    import('../../base/files/package.ts'),
  ]);
  const rule = join(packageRoot(), 'hooks/runs-no-release.sh');
  const outcome = await run('/bin/sh', [rule], { cwd: '/', env, input });
  return outcome.kind === 'exited' && outcome.exitCode === 0;
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
  const [event, flag, name, started] = argv;
  const known = EVENT_NAMES.find((name) => name === event);
  const agent = flag === '--agent' ? findHookAgent(name ?? '') : undefined;
  if (known === undefined || agent === undefined) return undefined;
  return { event: known, agent, byPlugin: started === PLUGIN_FLAG };
}
