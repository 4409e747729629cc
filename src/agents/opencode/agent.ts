import type { AgentDefinition } from '../definition.ts';

export const opencode: AgentDefinition = {
  name: 'opencode',
  title: 'opencode',
  marks: { present: ['OPENCODE'], others: ['OPENCODE_PID', 'OPENCODE_SESSION_ID'] },
  starts: {
    programs: ['opencode'],
    without: ['run', 'serve'],
    places: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'XDG_CONFIG_HOME', 'HOME'],
    packages: ['@opencode-ai/sdk'],
  },
  worker: {
    program: 'opencode',
    credentials: {
      keys: ['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'],
      places: ['OPENCODE_CONFIG', 'OPENCODE_CONFIG_DIR', 'XDG_DATA_HOME'],
    },
    load: async () => (await import('./worker.ts')).opencodeWorker,
  },
};
