/** Where Grok Build keeps its hooks, and what lanehold writes there. */
import { agentInstall, whole } from '../kit/agent-install.ts';
import { scriptCommandLine } from '../kit/hook-shim.ts';
import { FOLDER, grokHooks } from './hooks.ts';

const file = { user: '{user}/hooks/lanehold.json', project: '{root}/.grok/hooks/lanehold.json' };

export const grokInstall = agentInstall({
  agent: 'grok',
  hooks: grokHooks,
  kept: 'the hooks of Grok Build',
  user: FOLDER,
  signs: { folders: ['{user}'], programs: ['grok'] },
  file,
  inForce: [
    ...Object.values(file),
    '/etc/grok/requirements.toml',
    '/etc/grok/managed_config.toml',
    '{user}/managed_config.toml',
  ],
  // The client lets a tool run if the command of a hook has a `$` that it cannot fill in, so the lines have none.
  line: scriptCommandLine,
  // A matcher with other characters than these would be a regular expression that may match a part.
  matchers: ({ shell, edit }) => ({
    'before-tool': whole(...shell, ...edit, '.+__.+'),
    'after-tool': edit.join('|'),
    'after-tool-failure': [...shell, ...edit].join('|'),
  }),
  offSwitches: (_file, text) =>
    /^\s*allow_managed_hooks_only\s*=\s*true/m.test(text) ? ['allow_managed_hooks_only'] : [],
  afterProject: 'start `grok` in this folder, and type `/hooks-trust`: else its hooks do not run',
  tried: (cwd) => [
    { hookEventName: 'pre_tool_use', sessionId: 'doctor', cwd, workspaceRoot: cwd },
    { 'before-tool': { toolName: 'run_terminal_command', toolInput: { command: 'git status' } } },
    { GROK_HOOK_EVENT: 'PreToolUse' },
  ],
  client: {
    program: 'grok',
    minimum: {
      version: '1.0.40',
      weakness: 'shows its model nothing of what hooks say after a tool',
      update: 'grok update',
    },
  },
});
