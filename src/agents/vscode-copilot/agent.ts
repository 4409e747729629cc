import type { AgentDefinition } from '../definition.ts';
import { CAPABILITIES, EVENTS } from './capabilities.ts';

const NAMES: readonly unknown[] = Object.values(EVENTS);

export const vscodeCopilot: AgentDefinition = {
  name: 'vscode-copilot',
  title: 'VS Code',
  instructions: ['AGENTS.md', '.github/copilot-instructions.md'],
  // Commands run in a terminal like that of the user.
  marks: { present: [] },
  hooks: {
    capabilities: CAPABILITIES,
    // Another client with the same files sets its variable; a third one starts sessions in other ways.
    sends: ({ timestamp, source, hook_event_name, hookEventName, workspaceRoot }, env) =>
      typeof timestamp === 'string' &&
      NAMES.includes(hook_event_name ?? hookEventName) &&
      workspaceRoot === undefined &&
      (source === undefined || source === 'new') &&
      !env.COPILOT_CLI,
    adapter: async () => (await import('./adapter.ts')).vscodeCopilotAdapter,
  },
  install: async () => (await import('./install.ts')).vscodeCopilotInstall,
  guards: {
    files: [
      '.copilot/hooks/*.json',
      '.github/hooks/*.json',
      '.vscode/settings.json',
      ...['.config', 'Library/Application Support'].flatMap((folder) =>
        ['Code', 'Code - Insiders'].map((it) => `${folder}/${it}/User/settings.json`),
      ),
    ],
    settings: ['chat.useHooks', 'chat.hookFilesLocations'],
  },
};
