/**
 * Stands in for Claude Code: starts hooks as that agent does, with payloads of its shape, obeys the answers, and does
 * for real what it is allowed to do.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DemoProject, hookCommand } from './demo-project.ts';

type Attempt =
  | { readonly held: true; readonly reason: string }
  | { readonly held: false; readonly code: number; readonly output: string };

export interface Agent {
  /** All that hooks have told the model. */
  readonly told: readonly string[];
  /** Starts the conversation. Returns what the agent is told, `''` for nothing. */
  begin(): Promise<string>;
  /** Runs a shell command unless the hook refuses it. */
  shell(command: string, onLine?: (line: string) => void): Promise<Attempt>;
  /** Replaces text in a file of the project. Returns what the agent is told about it. */
  edit(path: string, from: string, to: string): Promise<string>;
  /** Ends a turn. Returns what the agent is told, `''` for nothing. */
  stop(): Promise<string>;
}

/** What is known of the project, and how programs run in it. */
type Ground = Pick<DemoProject, 'home' | 'project' | 'env' | 'run'>;

type Command = readonly [program: string, ...args: string[]];

/** The commands that the agent starts for an event. */
type HooksFor = (event: string, payload: { readonly tool_name?: string }) => readonly Command[];

/** The hooks in the settings of the user. */
export function settingsHooks(home: string): HooksFor {
  const file = join(home, '.claude/settings.json');
  return (event, { tool_name }) => {
    const { hooks = {} } = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
    const groups: SettingsGroup[] = hooks[EVENTS[event] ?? ''] ?? [];
    return groups
      .filter(({ matcher = '' }) => new RegExp(`^(?:${matcher || '.*'})$`).test(tool_name ?? ''))
      .flatMap((group) => group.hooks.map(({ command }): Command => ['/bin/sh', '-c', command]));
  };
}

interface SettingsGroup {
  readonly matcher?: string;
  readonly hooks: readonly { readonly command: string }[];
}

const EVENTS: Readonly<Record<string, string>> = {
  'session-start': 'SessionStart',
  'before-tool': 'PreToolUse',
  'after-tool': 'PostToolUse',
  'after-tool-failure': 'PostToolUseFailure',
  stop: 'Stop',
};

export function claudeCode(
  demo: Ground,
  hooksFor: HooksFor = (event) => [hookCommand(event)],
): Agent {
  const session = randomUUID();
  const moment = {
    session_id: session,
    transcript_path: join(demo.home, `.claude/projects/-project/${session}.jsonl`),
    cwd: demo.project,
  };
  const turn = { ...moment, prompt_id: randomUUID(), permission_mode: 'default' };
  let calls = 0;
  const told: string[] = [];

  const hook = async (event: string, payload: object): Promise<Answer> => {
    const env = { ...demo.env, CLAUDE_PROJECT_DIR: demo.project, CLAUDECODE: '1' };
    const input = `${JSON.stringify(payload)}\n`;
    const answers: Answer[] = [];
    for (const [program, ...args] of hooksFor(event, payload)) {
      const { code, stdout, stderr } = await demo.run(program, args, { env, input });
      answers.push(answer(event, code, stdout, stderr));
    }
    const refusal = answers.find((it) => it.refusal !== undefined)?.refusal;
    const context = answers.map((it) => it.context).join('');
    told.push(...[refusal ?? '', context].filter((it) => it !== ''));
    return { refusal, context };
  };

  return {
    told,

    begin: async () => {
      const payload = { ...moment, hook_event_name: 'SessionStart', source: 'startup' };
      return (await hook('session-start', payload)).context;
    },

    shell: async (command, onLine) => {
      const call = {
        ...turn,
        tool_name: 'Bash',
        tool_input: { command, description: 'run a command' },
        tool_use_id: `toolu_${++calls}`,
      };
      const before = await hook('before-tool', { ...call, hook_event_name: 'PreToolUse' });
      if (before.refusal !== undefined) return { held: true, reason: before.refusal };
      const done = await demo.run('/bin/sh', ['-c', command], onLine ? { onLine } : {});
      const output = done.stdout + done.stderr;
      if (done.code === 0) {
        const response = { stdout: done.stdout, stderr: done.stderr, interrupted: false };
        const payload = { ...call, hook_event_name: 'PostToolUse', tool_response: response };
        await hook('after-tool', payload);
      } else {
        const error = `Exit code ${done.code}\n${output}`;
        const payload = { ...call, hook_event_name: 'PostToolUseFailure', error };
        await hook('after-tool-failure', payload);
      }
      return { held: false, code: done.code, output };
    },

    edit: async (path, from, to) => {
      const file = join(demo.project, path);
      const original = readFileSync(file, 'utf8');
      if (!original.includes(from)) throw new Error(`${path} does not contain ${from}`);
      const call = {
        ...turn,
        tool_name: 'Edit',
        tool_input: { file_path: file, old_string: from, new_string: to, replace_all: false },
        tool_use_id: `toolu_${++calls}`,
      };
      const before = await hook('before-tool', { ...call, hook_event_name: 'PreToolUse' });
      if (before.refusal !== undefined) throw new Error(`the edit was refused: ${before.refusal}`);
      writeFileSync(file, original.replace(from, to));
      const response = { filePath: file, oldString: from, newString: to, originalFile: original };
      const payload = { ...call, hook_event_name: 'PostToolUse', tool_response: response };
      return (await hook('after-tool', payload)).context;
    },

    stop: async () => {
      const payload = { ...turn, hook_event_name: 'Stop', stop_hook_active: false };
      return (await hook('stop', payload)).context;
    },
  };
}

interface Answer {
  /** Why the call must not happen, or `undefined` if it may. */
  readonly refusal: string | undefined;
  readonly context: string;
}

/** Reads an answer as Claude Code does; see its documentation of hook output. */
function answer(event: string, code: number, stdout: string, stderr: string): Answer {
  if (code !== 0 && code !== 2)
    throw new Error(`the hook for ${event} ended with ${code}: ${stderr}`);
  const said = stdout.trim() === '' ? {} : JSON.parse(stdout);
  const specific = said.hookSpecificOutput ?? {};
  // Without a person at the terminal, `ask` is a refusal.
  const refused = ['deny', 'ask'].includes(specific.permissionDecision) || code === 2;
  return {
    refusal: refused ? (specific.permissionDecisionReason ?? stderr) : undefined,
    context: specific.additionalContext ?? said.reason ?? '',
  };
}
