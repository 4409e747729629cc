/** Where Claude Code keeps its settings, and what lanehold puts there. */
import { dirname, join, resolve } from 'node:path';
import * as z from 'zod/mini';
import type { Environment } from '../../base/environment.ts';
import { parsedJson, parsedObject } from '../../base/text/json.ts';
import type { AgentInstall, Place, Sample } from '../install.ts';
import { type EventTable, entriesFor, type LineOf, linesOf, samplesFor } from '../kit/entries.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { inGroup, jsonHooks, type WantedHook } from '../kit/json-hooks.ts';
import { homeFolder, mainCheckout, projectRoot } from '../kit/places.ts';
import { skillFiles } from '../kit/skills.ts';
import { statusLineFile } from '../kit/status-line.ts';
import { claudeCodeAdapter } from './adapter.ts';
import { EDIT_TOOLS, EVENTS, SHELL_TOOLS, TASK_TOOLS } from './capabilities.ts';
import { clientPlugin } from './client-plugin.ts';

const NAME = 'claude-code';
/** Other agents run these hooks as well, and one of them reads a `$` in a line itself. */
const lines = linesOf(NAME, claudeCodeAdapter, scriptCommandLine);

export const claudeCodeInstall: AgentInstall = {
  signs: ({ env, cwd }) => ({ folders: [userFolder(env, cwd)], programs: ['claude'] }),
  files(scope, { env, cwd }, start) {
    const file =
      scope === 'user' ? join(userFolder(env, cwd), 'settings.json') : localSettings(cwd);
    const wanted = hooksOf(lines(start, file));
    return [
      { file, what: 'hooks', editor: jsonHooks({ agent: NAME, wanted }) },
      ...skillFiles(join(dirname(file), 'skills')),
      // A line in a project would take the place of the one that the user has for all of them.
      ...(scope === 'user' ? [statusLineFile(file, start)] : []),
    ];
  },
  settingsFilesInForce,
  problems: (text) => settingsProblems(parsedJson(text)),
  offSwitches,
  samples,
  plugin: clientPlugin({ userFolder, settingsFilesInForce, hooksOf }),
  client: {
    program: 'claude',
    minimum: {
      // The first version that knows `onFailure`.
      version: '2.1.295',
      weakness: 'lets a command run if its hook fails',
      update: 'claude update',
    },
  },
};

/** A switch in one of them turns off the hooks of all. */
function settingsFilesInForce({ env, cwd }: Place): string[] {
  const root = projectRoot({ cwd });
  const files = [
    '/etc/claude-code/managed-settings.json',
    join(userFolder(env, cwd), 'settings.json'),
    localSettings(cwd),
    join(root, '.claude', 'settings.local.json'),
    join(root, '.claude', 'settings.json'),
    join(cwd, '.claude', 'settings.json'),
  ];
  return [...new Set(files)];
}

function userFolder(env: Environment, cwd: string): string {
  if (env.CLAUDE_CONFIG_DIR) return resolve(cwd, env.CLAUDE_CONFIG_DIR);
  return join(homeFolder({ env }, 'the settings of Claude Code', 'CLAUDE_CONFIG_DIR'), '.claude');
}

/**
 * The local settings of the main checkout. The client reads them in subfolders and in every linked
 * worktree. `.claude/settings.json` counts only in the folder in which a session starts, and only
 * on branches that have it; and it is shared, so that paths of this machine do not belong there.
 */
function localSettings(cwd: string): string {
  return join(mainCheckout({ cwd }), '.claude', 'settings.local.json');
}

const TABLE: EventTable = {
  events: EVENTS,
  // Time limits are seconds. Without one here the client ends SessionEnd hooks after 1.5 s.
  timeouts: {
    'before-tool': 60,
    stop: 30,
    'session-start': 15,
    'after-tool': 15,
    'after-tool-failure': 15,
    'before-compact': 15,
    other: 10,
  },
  matchers: {
    // A matcher with other characters than these is a regular expression that may match a part.
    'before-tool': `^(${[...SHELL_TOOLS, ...EDIT_TOOLS, 'mcp__.*'].join('|')})$`,
    'after-tool': [...EDIT_TOOLS, ...TASK_TOOLS].join('|'),
    'after-tool-failure': [...SHELL_TOOLS, ...EDIT_TOOLS].join('|'),
  },
};

function hooksOf(lineOf: LineOf): readonly WantedHook[] {
  return entriesFor(TABLE, lineOf, inGroup, (event) =>
    event === 'before-tool' ? { onFailure: 'block' } : {},
  );
}

/** `allowManagedHooksOnly` counts in the managed settings only. */
function offSwitches(file: string, text: string): string[] {
  const settings = parsedObject(text) ?? {};
  return ['disableAllHooks', 'allowManagedHooksOnly'].filter(
    (key) => settings[key] === true && (key === 'disableAllHooks' || file.startsWith('/etc/')),
  );
}

function samples(cwd: string): readonly Sample[] {
  return samplesFor(
    EVENTS,
    { session_id: 'doctor', cwd },
    {
      'before-tool': { tool_name: 'Bash', tool_input: { command: 'git status' } },
      'session-start': { source: 'startup' },
    },
    { CLAUDE_PROJECT_DIR: cwd },
  );
}

/** The client silently ignores a file of another shape, or runs no hook of it. */
const entryShape = z.looseObject(
  {
    type: z.enum(['command', 'http', 'mcp_tool', 'prompt', 'agent'], isNot('no type of hook')),
    timeout: z.optional(z.number(isNot('no number of seconds'))),
    // With any other value client 2.1.330 ignores the file.
    onFailure: z.optional(z.enum(['block', 'continue'], isNot('neither "block" nor "continue"'))),
  },
  'is no object',
);
const groupShape = z.looseObject(
  { matcher: z.optional(z.string('is no text')), hooks: z.array(entryShape, 'is no list') },
  'is no object',
);
const hooksShape = z.record(z.string(), z.array(groupShape, 'is no list'), '`hooks` is no object');
const settingsShape = z.looseObject(
  { hooks: z.optional(hooksShape) },
  'the settings are no object',
);

function isNot(what: string) {
  const shown = (it: unknown) => (it === undefined ? 'nothing' : JSON.stringify(it).slice(0, 40));
  return { error: ({ input }: { readonly input?: unknown }) => `${shown(input)} is ${what}` };
}

/**
 * Each with its place in the file: `hooks.Stop[0].hooks[1]: …`.
 *
 * @param value what JSON.parse made of the file.
 */
function settingsProblems(value: unknown): string[] {
  const { error } = settingsShape.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) =>
    path.length < 2 ? message : `${placeOf(path)}: ${message}`,
  );
}

function placeOf([first, ...rest]: readonly PropertyKey[]): string {
  const steps = rest.map((it) => (typeof it === 'number' ? `[${it}]` : `.${String(it)}`));
  return [String(first), ...steps].join('');
}
