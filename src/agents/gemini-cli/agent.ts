import type { AgentDefinition } from '../definition.ts';

export const geminiCli: AgentDefinition = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  marks: {
    present: ['GEMINI_CLI'],
    others: ['GEMINI_CWD', 'GEMINI_PLANS_DIR', 'GEMINI_PROJECT_DIR', 'GEMINI_SESSION_ID'],
  },
  starts: {
    programs: ['gemini', 'gemini-cli'],
    without: ['-y', '--yolo', '--approval-mode', '--skip-trust'],
    places: ['GEMINI_CLI_HOME', 'HOME'],
    packages: ['@google/gemini-cli-core', '@google/gemini-cli-sdk'],
  },
  worker: {
    program: 'gemini',
    credentials: {
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      places: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_CLI_HOME'],
    },
    load: async () => (await import('./worker.ts')).geminiWorker,
  },
};
