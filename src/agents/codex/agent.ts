import type { AgentDefinition } from '../definition.ts';
import { codexHooks, FOLDER } from './hooks.ts';

export const codex: AgentDefinition = {
  name: 'codex',
  title: 'Codex',
  memory: [{ kind: 'memory', files: '~/.codex/memories/*.md', of: 'projects that it names' }],
  instructions: ['AGENTS.md', 'AGENTS.override.md', '~/.codex/AGENTS.md'],
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
  hooks: codexHooks,
  guards: {
    problems: async () => (await import('./problems.ts')).problems,
    folderVariable: FOLDER,
    files: ['.codex/hooks.json', '.codex/config.toml', '.codex/requirements.toml'],
    managed: ['/etc/codex'],
    programs: ['codex'],
    without: [
      'exec',
      'e',
      'review',
      'resume',
      'app-server',
      'mcp-server',
      '--full-auto',
      '--yolo',
      '--dangerously-bypass-approvals-and-sandbox',
    ],
    packages: ['@openai/codex-sdk', 'openai_codex'],
    flags: ['--ignore-user-config', '--disable hooks', 'plugin remove', 'marketplace remove'],
    settings: ['features.hooks=false', 'features.hooks = false', '--disable=hooks'],
  },
  install: async () => (await import('./install.ts')).codexInstall,
  transcripts: async () => (await import('./transcripts.ts')).codexTranscripts,
  worker: {
    program: 'codex',
    credentials: {
      keys: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'CODEX_ACCESS_TOKEN'],
      places: ['CODEX_HOME', 'OPENAI_BASE_URL'],
    },
    attach: (session) => ['resume', session],
    load: async () => (await import('./worker.ts')).codexWorker,
  },
};
