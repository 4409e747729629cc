/** Where Cursor keeps its hooks, and what lanehold writes there. */
import { agentInstall, whole } from '../kit/agent-install.ts';
import { inList } from '../kit/json-hooks.ts';
import { cursorHooks } from './hooks.ts';

const file = { user: '~/.cursor/hooks.json', project: '{root}/.cursor/hooks.json' };

export const cursorInstall = agentInstall({
  agent: 'cursor',
  hooks: cursorHooks,
  kept: 'the hooks of Cursor',
  signs: { folders: ['~/.cursor'], programs: ['cursor-agent', 'cursor'] },
  file,
  inForce: ['/etc/cursor/hooks.json', ...Object.values(file)],
  head: { version: 1 },
  comments: true,
  put: (event, { type: _, ...entry }) =>
    inList(
      event,
      event === 'preToolUse' ? { ...entry, matcher: whole(...cursorHooks.tools.edit) } : entry,
    ),
  // `failClosed` lets a crash, a time-out and an empty answer block the action.
  more: (event) => (event === 'before-tool' ? { failClosed: true } : {}),
  afterProject: 'open the project in Cursor, and trust it: else its hooks do not run',
  tried: (folder) => [
    {
      conversation_id: 'doctor',
      generation_id: 'doctor-1',
      cursor_version: 'doctor',
      workspace_roots: [folder],
    },
    {
      'before-tool': { command: 'git status', cwd: folder, sandbox: false },
      'session-start': { session_id: 'doctor' },
    },
    { CURSOR_PROJECT_DIR: folder },
  ],
  client: { program: 'cursor-agent' },
});
