import type { AgentDefinition } from '../definition.ts';
import { copilotCliHooks, FOLDER } from './hooks.ts';

export const copilotCli: AgentDefinition = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  instructions: [
    'AGENTS.md',
    '.github/copilot-instructions.md',
    '~/.copilot/copilot-instructions.md',
  ],
  marks: {
    present: ['COPILOT_CLI'],
    others: [
      'COPILOT_AGENT_SESSION_ID',
      'COPILOT_CLI_BINARY_VERSION',
      'COPILOT_HOOK_DIR',
      'COPILOT_PROJECT_DIR',
    ],
  },
  hooks: copilotCliHooks,
  guards: {
    folderVariable: FOLDER,
    files: [
      '.copilot/hooks/*.json',
      '.copilot/settings.json',
      '.github/copilot/settings.json',
      '.github/copilot/settings.local.json',
    ],
    managed: ['/etc/github-copilot'],
    programs: ['copilot'],
    without: ['-p', '--prompt', '--allow-all-tools', '--allow-tool', '--allow-all', '--yolo'],
    packages: ['@github/copilot-sdk'],
    settings: ['disableAllHooks'],
  },
  install: async () => (await import('./install.ts')).copilotCliInstall,
  transcripts: async () => (await import('./transcripts.ts')).copilotCliTranscripts,
  worker: {
    program: 'copilot',
    credentials: {
      keys: ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'GH_TOKEN', 'GITHUB_TOKEN'],
      places: ['COPILOT_HOME', 'COPILOT_PROVIDER_BASE_URL'],
    },
    attach: (session) => [`--resume=${session}`],
    load: async () => (await import('./worker.ts')).copilotWorker,
  },
};
