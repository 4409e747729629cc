/** Where Claude Code keeps its settings, and what lanehold puts there. */
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import type { Environment } from '../../environment.ts';
import { ExplainedError } from '../../errors.ts';
import { projectPlace } from '../../git/project.ts';
import { type Runtime, shimArguments } from '../../install/hook-shim.ts';
import type { WantedHook } from '../../install/plan.ts';
import { EVENT_NAMES, type EventName } from '../types.ts';
import {
  CLAUDE_CODE_EDIT_TOOLS,
  CLAUDE_CODE_EVENTS,
  CLAUDE_CODE_SHELL_TOOLS,
  claudeCode,
} from './adapter.ts';
import { CLAUDE_CODE_TASK_TOOLS } from './tasks.ts';

/** For everything the user does, or for one repository with all its worktrees. */
export type Scope = 'user' | 'project';

/** The first client that knows `onFailure`; older ones let a call run when a hook fails. */
export const FAILS_CLOSED_SINCE = '2.1.295';

export function settingsFile(scope: Scope, env: Environment, cwd: string): string {
  return scope === 'user' ? join(userFolder(env, cwd), 'settings.json') : localSettings(cwd);
}

/** Every file whose hooks count for a session in `cwd`; a switch in one turns off those of all. */
export function settingsFilesInForce(env: Environment, cwd: string): string[] {
  const { root } = projectPlace(cwd);
  const files = [
    '/etc/claude-code/managed-settings.json',
    settingsFile('user', env, cwd),
    localSettings(cwd),
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
  ];
  return [...new Set(files)];
}

function userFolder(env: Environment, cwd: string): string {
  if (env.CLAUDE_CONFIG_DIR) return resolve(cwd, env.CLAUDE_CONFIG_DIR);
  const home = env.HOME || homedir();
  if (isAbsolute(home)) return join(home, '.claude');
  throw new ExplainedError('there is no home folder for the settings of Claude Code', {
    hint: 'set HOME or CLAUDE_CONFIG_DIR, or install with `--project`',
  });
}

/**
 * The local settings of the main checkout. The client finds them from subfolders and from every
 * linked worktree, while `.claude/settings.json` counts only in the folder a session starts in and
 * only on branches that have it; and a path of this machine has no place in a shared file.
 */
function localSettings(cwd: string): string {
  const { identity, kind, root } = projectPlace(cwd);
  const isCheckout = kind === 'git' && basename(identity) === '.git';
  return join(isCheckout ? dirname(identity) : root, '.claude', 'settings.local.json');
}

/** Seconds, as the client counts. With a limit of its own, SessionEnd gets more than 1.5 s. */
const TIMEOUTS: Readonly<Record<EventName, number>> = {
  'session-start': 15,
  'prompt-submit': 10,
  'before-tool': 60,
  'after-tool': 15,
  'after-tool-failure': 15,
  stop: 30,
  'before-compact': 15,
  'session-end': 10,
  'task-created': 10,
  'task-completed': 10,
};

const MATCHERS: Readonly<Partial<Record<EventName, string>>> = {
  'before-tool': [...CLAUDE_CODE_SHELL_TOOLS, ...CLAUDE_CODE_EDIT_TOOLS].join('|'),
  'after-tool': [...CLAUDE_CODE_EDIT_TOOLS, ...CLAUDE_CODE_TASK_TOOLS].join('|'),
  'after-tool-failure': CLAUDE_CODE_EDIT_TOOLS.join('|'),
};

export function wantedHooks(runtime: Runtime, settings: string): WantedHook[] {
  return EVENT_NAMES.map((event) => {
    const guarded = event === 'before-tool';
    const refusal = guarded ? refusalWithoutRuntime(settings) : '';
    return {
      event: CLAUDE_CODE_EVENTS[event],
      matcher: MATCHERS[event],
      entry: {
        type: 'command',
        command: '/bin/sh',
        args: shimArguments(runtime, refusal, [event, '--agent', claudeCode.name]),
        timeout: TIMEOUTS[event],
        ...(guarded ? { onFailure: 'block' } : {}),
      },
    };
  });
}

/** What the agent is told when it would release something while lanehold cannot look at it. */
function refusalWithoutRuntime(settings: string): string {
  const reason =
    'held: lanehold is installed here but its program or its Node is gone, so nothing can be checked; ' +
    'repair it with `npm install -g lanehold && lanehold install`, ' +
    `or remove its hooks from ${settings}`;
  return claudeCode.render('before-tool', { decision: 'deny', reason }).stdout;
}
