import type { AgentDefinition } from '../definition.ts';

export const copilotCli: AgentDefinition = {
  name: 'copilot-cli',
  title: 'Copilot CLI',
  marks: {
    present: ['COPILOT_CLI'],
    others: [
      'COPILOT_AGENT_SESSION_ID',
      'COPILOT_CLI_BINARY_VERSION',
      'COPILOT_HOOK_DIR',
      'COPILOT_PROJECT_DIR',
    ],
  },
  starts: {
    programs: ['copilot'],
    without: ['-p', '--prompt', '--allow-all-tools', '--allow-tool', '--allow-all', '--yolo'],
    places: ['COPILOT_HOME', 'HOME'],
    packages: ['@github/copilot-sdk'],
  },
  worker: {
    program: 'copilot',
    credentials: {
      keys: ['COPILOT_GITHUB_TOKEN', 'COPILOT_PROVIDER_API_KEY', 'GH_TOKEN', 'GITHUB_TOKEN'],
      places: ['COPILOT_HOME', 'COPILOT_PROVIDER_BASE_URL'],
    },
    load: async () => (await import('./worker.ts')).copilotWorker,
  },
};
