import type { AgentDefinition } from '../definition.ts';
import { CAPABILITIES } from './capabilities.ts';

export const claudeCode: AgentDefinition = {
  name: 'claude-code',
  title: 'Claude Code',
  memory: [
    { kind: 'memory', files: '~/.claude/projects/{root}/memory/*.md' },
    { kind: 'plan', files: '~/.claude/plans/*.md', of: 'projects that it names' },
  ],
  instructions: ['CLAUDE.md', '.claude/CLAUDE.md', 'CLAUDE.local.md', '~/.claude/CLAUDE.md'],
  marks: {
    present: ['CLAUDECODE'],
    session: 'CLAUDE_CODE_SESSION_ID',
    others: [
      'CLAUDE_CODE_CHILD_SESSION',
      'CLAUDE_CODE_ENTRYPOINT',
      'CLAUDE_CODE_EXECPATH',
      'CLAUDE_CODE_MESSAGING_SOCKET',
      'CLAUDE_CODE_MESSAGING_TOKEN',
      'CLAUDE_CODE_PARENT_SESSION_ID',
      'CLAUDE_CODE_SESSION_ATTENDED',
      'CLAUDE_CODE_SIMPLE',
      'CLAUDE_CODE_SAFE_MODE',
      'CLAUDE_CODE_SSE_PORT',
      'CLAUDE_CODE_TASK_LIST_ID',
      'CLAUDE_EFFORT',
      'CLAUDE_ENV_FILE',
      'CLAUDE_PID',
      'CLAUDE_PLUGIN_DATA',
      'CLAUDE_PLUGIN_ROOT',
      'CLAUDE_PROJECT_DIR',
    ],
  },
  hooks: {
    capabilities: CAPABILITIES,
    outputs: ['tool_response'],
    adapter: async () => (await import('./adapter.ts')).claudeCodeAdapter,
  },
  guards: {
    folderVariable: { name: 'CLAUDE_CONFIG_DIR', folder: '.claude' },
    files: ['.claude/settings.json', '.claude/settings.local.json'],
    managed: ['/etc/claude-code', '/Library/Application Support/ClaudeCode'],
    programs: ['claude'],
    flags: [
      '--bare',
      '--safe-mode',
      'plugin disable',
      'plugin uninstall',
      'plugin remove',
      'marketplace remove',
    ],
    settings: ['disableAllHooks'],
    variables: ['CLAUDE_CODE_SIMPLE'],
  },
  starts: {
    programs: ['claude', 'claude-code'],
    without: ['--setting-sources', '--restricted'],
    places: ['CLAUDE_CONFIG_DIR', 'HOME'],
    packages: [
      '@anthropic-ai/claude-agent-sdk',
      '@anthropic-ai/claude-code',
      'claude_agent_sdk',
      'claude_code_sdk',
    ],
  },
  install: async () => (await import('./install.ts')).claudeCodeInstall,
  transcripts: async () => (await import('./transcripts.ts')).claudeCodeTranscripts,
  worker: {
    program: 'claude',
    credentials: {
      keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
      places: ['CLAUDE_CONFIG_DIR', 'ANTHROPIC_BASE_URL'],
    },
    keepsTo: ['turns', 'usd'],
    attach: (session) => ['--resume', session],
    load: async () => (await import('./worker.ts')).claudeCodeWorker,
  },
};
