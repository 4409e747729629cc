import type { AgentDefinition } from '../definition.ts';
import { opencodeHooks } from './hooks.ts';

export const opencode: AgentDefinition = {
  name: 'opencode',
  title: 'OpenCode',
  instructions: ['AGENTS.md', '~/.config/opencode/AGENTS.md'],
  marks: { present: ['OPENCODE'], session: 'OPENCODE_SESSION_ID', others: ['OPENCODE_PID'] },
  hooks: opencodeHooks,
  guards: {
    folderVariable: { name: 'XDG_CONFIG_HOME', folder: '.config' },
    files: ['.config/opencode/plugins/lanehold.js', '.opencode/plugins/lanehold.js'],
    programs: ['opencode'],
    // With these options the client connects to another place, which has plugins of its own.
    without: ['--attach', 'attach'],
    places: ['OPENCODE_TEST_HOME'],
    packages: ['@opencode-ai/sdk'],
    flags: ['--pure'],
    variables: ['OPENCODE_PURE', 'OPENCODE_DISABLE_PROJECT_CONFIG'],
  },
  install: async () => (await import('./install.ts')).opencodeInstall,
  transcripts: async () => (await import('./transcripts.ts')).opencodeTranscripts,
  worker: {
    program: 'opencode',
    credentials: {
      keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
      places: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'XDG_DATA_HOME'],
    },
    attach: (session) => ['--session', session],
    load: async () => (await import('./worker.ts')).opencodeWorker,
  },
};
