/**
 * Runs inside of OpenCode, from one file in its plugins folder, and starts the hook program at each event. The build
 * makes that file, which imports nothing but Node's own modules, and `install` puts the line that defines `START`
 * before it.
 *
 * The client silently drops a plugin with an export that is no function. It waits for a hook without a limit, and runs
 * every tool whose hook does not throw, so the time limit and the answer to a failure are here.
 */
import { execFile, spawnSync } from 'node:child_process';
import { parsedObject } from '../../base/text/json.ts';
import type { EventName } from '../types.ts';
import { type PluginAnswer, type PluginPayload, READING_TOOLS, TOOLS } from './payload.ts';

declare const START: {
  /** The command that starts the hook program, without the words that name the event. */
  readonly program: string;
  readonly args: readonly string[];
  /** A line of sh that fails if the payload on its input may release something. */
  readonly runsNoRelease: string;
};

const LIMITS_MS: Readonly<Partial<Record<EventName, number>>> = {
  'before-tool': 60_000,
  stop: 30_000,
};
const OTHER_LIMIT_MS = 15_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Tools that may have changed files, or the list of tasks. */
const AFTER: readonly string[] = [...TOOLS.edit, ...TOOLS.patch, ...TOOLS.tasks];

interface Asked extends PluginAnswer {
  readonly failure?: string;
}

/** Never rejects. */
function ask(event: EventName, payload: PluginPayload): Promise<Asked> {
  const limitMs = LIMITS_MS[event] ?? OTHER_LIMIT_MS;
  return new Promise<Asked>((resolve) => {
    const args = [...START.args, event, '--agent', 'opencode'];
    const options = { cwd: payload.directory, maxBuffer: MOST_BYTES };
    const child = execFile(START.program, args, options, (error, stdout, stderr) => {
      clearTimeout(limit);
      resolve(answerOf(error ? error.code : 0, stdout, stderr));
    });
    // The limit does not wait for the end of the output, which a program that the hook has started may hold open.
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      resolve({ failure: `it did not answer within ${limitMs / 1000} s` });
    }, limitMs);
    // If a program ends before it has read everything, its exit code gives the reason.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify(payload));
  }).catch((error: unknown) => ({ failure: String(error) }));
}

/** The answer of the hook program. Exit code 2 denies, even if only stderr says why. */
function answerOf(code: unknown, stdout: string, stderr: string): Asked {
  const answer = parsedObject(stdout) as PluginAnswer | undefined;
  if (code === 2) return { deny: answer?.deny ?? (stderr.trim() || 'lanehold holds this') };
  if (code !== 0) return { failure: `it ended with ${code}: ${stderr.trim().slice(0, 300)}` };
  if (stdout !== '' && answer === undefined) return { failure: 'it printed what cannot be read' };
  return answer ?? {};
}

/** The refusal of a possible release that could not be judged; `undefined` for anything else. */
function refusal(failure: string, payload: PluginPayload): string | undefined {
  const input = JSON.stringify(payload);
  if (spawnSync('/bin/sh', ['-c', START.runsNoRelease], { input }).status === 0) return undefined;
  return (
    `lanehold holds this command: its hook program could not look at it (${failure})\n` +
    'To proceed: run `lanehold doctor`, mend what it names, then run the command again.'
  );
}

/** The user and the project may both have the plugin file: the first one answers. */
const SEEN = Symbol.for('lanehold.seen');

function isFirst(moment: object): boolean {
  const shared = globalThis as { [SEEN]?: WeakSet<object> };
  shared[SEEN] ??= new WeakSet();
  if (shared[SEEN].has(moment)) return false;
  shared[SEEN].add(moment);
  return true;
}

interface ToolInput {
  readonly tool: string;
  readonly sessionID: string;
  readonly callID: string;
  readonly args?: object;
}

type Part = Readonly<Record<string, unknown>>;

interface Message {
  readonly message: { readonly id: string };
  readonly parts: Part[];
}

/** The user's words: the client adds parts of its own. */
const wordsOf = (parts: readonly Part[]): string =>
  parts
    .flatMap(({ text, synthetic }) => (typeof text === 'string' && !synthetic ? [text] : []))
    .join('\n');

interface ClientEvent {
  readonly type: string;
  readonly properties?: {
    readonly sessionID?: string;
    readonly info?: { readonly id?: string; readonly parentID?: string };
  };
}

export async function Lanehold({ directory }: { readonly directory: string }) {
  if (process.env.LANEHOLD_DISABLE === '1') return {};
  /** Sessions that began while this plugin runs; `child`: those of a sub-agent. */
  const began = new Map<string, 'top' | 'child'>();
  /** Sessions that got the text about what is held. */
  const told = new Set<string>();
  /** The text for a session before a tool, until the tool has run. */
  const beforeTool = new Map<string, string>();
  /** The text for sessions after a compaction. */
  const compacted = new Map<string, Promise<string | undefined>>();
  /** Work that the client does not wait for. */
  const open = new Set<Promise<unknown>>();
  let servers: readonly string[] = [];

  const payload = (hook: string, session: string, more: Partial<PluginPayload> = {}) => ({
    hook,
    directory,
    session,
    ...more,
  });
  const contextOf = async (event: EventName, sent: PluginPayload): Promise<string | undefined> =>
    (await ask(event, sent)).context;
  const keep = <T>(work: Promise<T>): Promise<T> => {
    open.add(work);
    void work.finally(() => open.delete(work));
    return work;
  };
  const serverOf = (tool: string) => {
    const found = servers.filter((it) => tool.startsWith(`${it}_`));
    const [longest] = found.sort((one, other) => other.length - one.length);
    return longest === undefined ? {} : { server: longest };
  };

  const onEvent = ({ type, properties = {} }: ClientEvent) => {
    const session = properties.sessionID ?? properties.info?.id;
    if (session === undefined) return;
    if (type === 'session.created') {
      began.set(session, properties.info?.parentID === undefined ? 'top' : 'child');
    }
    if (began.get(session) === 'child') return;
    switch (type) {
      case 'session.idle':
        void keep(ask('stop', payload(type, session)));
        break;
      case 'session.compacted': {
        const start = payload(type, session, { start: 'compacted' });
        compacted.set(session, keep(contextOf('session-start', start)));
        break;
      }
      case 'session.deleted':
        told.delete(session);
        void keep(ask('session-end', payload(type, session, { reason: 'deleted' })));
        break;
    }
  };

  return {
    config: async (config: { readonly mcp?: object }) => {
      servers = Object.keys(config.mcp ?? {}).map((it) => it.replaceAll(/[^a-zA-Z0-9_-]/g, '_'));
    },

    event: async ({ event }: { readonly event: ClientEvent }) => {
      if (isFirst(event)) onEvent(event);
    },

    'tool.execute.before': async (
      { tool, sessionID, callID }: ToolInput,
      output: { readonly args: object },
    ) => {
      if (READING_TOOLS.includes(tool) || TOOLS.tasks.some((it) => it === tool) || !isFirst(output))
        return;
      const hook = 'tool.execute.before';
      const sent = payload(hook, sessionID, { ...serverOf(tool), tool, args: output.args });
      const { failure, args, context, ...said } = await ask('before-tool', sent);
      const deny = failure === undefined ? said.deny : refusal(failure, sent);
      if (deny !== undefined) throw new Error(deny);
      // The object itself is changed, because the client ignores another one.
      if (args !== undefined) Object.assign(output.args, args);
      if (context !== undefined) beforeTool.set(callID, context);
    },

    'tool.execute.after': async (
      { tool, sessionID, callID, args }: ToolInput,
      output: { output?: unknown },
    ) => {
      if (!isFirst(output)) return;
      const hook = 'tool.execute.after';
      const after = AFTER.includes(tool)
        ? await contextOf('after-tool', payload(hook, sessionID, { tool, args }))
        : undefined;
      const said = [beforeTool.get(callID), after].filter((it) => it !== undefined);
      beforeTool.delete(callID);
      if (said.length > 0 && typeof output.output === 'string') {
        output.output = [output.output, ...said].join('\n\n');
      }
    },

    'chat.message': async ({ sessionID }: { readonly sessionID: string }, output: Message) => {
      if (began.get(sessionID) === 'child' || !isFirst(output)) return;
      const isNew = !told.has(sessionID);
      told.add(sessionID);
      const moment = (more: Partial<PluginPayload>) => payload('chat.message', sessionID, more);
      const start = began.has(sessionID) ? 'new' : 'resumed';
      const opening = isNew ? await contextOf('session-start', moment({ start })) : undefined;
      const prompt = moment({ prompt: wordsOf(output.parts) });
      const said = [opening, await contextOf('prompt-submit', prompt)];
      const text = said.filter((it) => it !== undefined).join('\n\n');
      if (text === '') return;
      const { id: messageID } = output.message;
      output.parts.push({
        id: `${messageID.replace(/^msg/, 'prt').slice(0, 16)}lanehold000000`,
        messageID,
        sessionID,
        type: 'text',
        text,
        synthetic: true,
      });
    },

    'experimental.chat.system.transform': async (
      { sessionID = '' }: { readonly sessionID?: string },
      output: { readonly system: string[] },
    ) => {
      const text = isFirst(output) ? await compacted.get(sessionID) : undefined;
      if (text !== undefined) output.system.push(text);
    },

    'experimental.session.compacting': async (
      { sessionID }: { readonly sessionID: string },
      output: object,
    ) => {
      if (began.get(sessionID) === 'child' || !isFirst(output)) return;
      await ask('before-compact', payload('experimental.session.compacting', sessionID));
    },

    /** Passes the session to commands, so that evidence is recorded with it. */
    'shell.env': async (
      { sessionID }: { readonly sessionID?: string },
      { env }: { readonly env: Record<string, string> },
    ) => {
      if (sessionID !== undefined) env.OPENCODE_SESSION_ID ??= sessionID;
    },

    dispose: async () => {
      await Promise.all(open);
      const ended = (session: string) =>
        ask('session-end', payload('dispose', session, { reason: 'exit' }));
      await Promise.all([...told].map(ended));
    },
  };
}
