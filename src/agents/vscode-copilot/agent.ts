import type { AgentDefinition } from '../definition.ts';
import { vscodeCopilotHooks } from './hooks.ts';

export const vscodeCopilot: AgentDefinition = {
  name: 'vscode-copilot',
  title: 'VS Code',
  instructions: ['AGENTS.md', '.github/copilot-instructions.md'],
  // The client sets no mark: commands run in a terminal like that of the user.
  marks: { present: [] },
  hooks: vscodeCopilotHooks,
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
