import type { AgentDefinition } from '../definition.ts';

export const codex: AgentDefinition = {
  name: 'codex',
  title: 'Codex',
  marks: {
    present: ['CODEX_CI', 'CODEX_THREAD_ID'],
    others: [
      'CODEX_SANDBOX',
      'CODEX_SANDBOX_NETWORK_DISABLED',
      'CODEX_SESSION_ID',
      'CODEX_TOOL_CALL_ID',
      'CODEX_VERSION',
    ],
  },
  starts: {
    programs: ['codex'],
    without: [
      ...['exec', 'e', 'review', 'resume', 'app-server', 'mcp-server', '--full-auto', '--yolo'],
      '--dangerously-bypass-approvals-and-sandbox',
    ],
    places: ['CODEX_HOME', 'HOME'],
    packages: ['@openai/codex-sdk', 'openai_codex'],
  },
  worker: {
    program: 'codex',
    credentials: {
      keys: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN'],
      places: ['CODEX_HOME', 'OPENAI_BASE_URL'],
    },
    load: async () => (await import('./worker.ts')).codexWorker,
  },
};
