import type { AgentDefinition } from '../definition.ts';
import { geminiCliHooks } from './hooks.ts';

export const geminiCli: AgentDefinition = {
  name: 'gemini-cli',
  title: 'Gemini CLI',
  memory: [
    {
      kind: 'memory',
      files: '~/.gemini/GEMINI.md',
      of: 'everything',
      section: 'Gemini Added Memories',
    },
  ],
  instructions: ['GEMINI.md', '~/.gemini/GEMINI.md'],
  marks: {
    present: ['GEMINI_CLI'],
    others: ['GEMINI_CWD', 'GEMINI_PLANS_DIR', 'GEMINI_PROJECT_DIR', 'GEMINI_SESSION_ID'],
  },
  hooks: geminiCliHooks,
  guards: {
    files: [
      '.gemini/settings.json',
      '.gemini/extensions/extension-enablement.json',
      '.gemini/extensions/lanehold/gemini-extension.json',
      '.gemini/extensions/lanehold/hooks/hooks.json',
      '.gemini/extensions/lanehold-plugin/gemini-extension.json',
      '.gemini/extensions/lanehold-plugin/hooks/hooks.json',
      '.gemini/extensions/lanehold-plugin/hooks/lanehold-plugin.sh',
    ],
    managed: ['/etc/gemini-cli', '/Library/Application Support/GeminiCli'],
    programs: ['gemini', 'gemini-cli'],
    without: ['-y', '--yolo', '--approval-mode', '--skip-trust'],
    places: ['GEMINI_CLI_HOME'],
    packages: ['@google/gemini-cli-core', '@google/gemini-cli-sdk'],
    // These flags name the extensions to load, which may leave out the extension that has the hooks.
    flags: ['-e', '--extensions', 'disable', 'uninstall'],
    settings: ['hooksConfig', '--extensions=', '-e='],
    variables: [
      'GEMINI_CLI_HOME',
      'GEMINI_CLI_SYSTEM_SETTINGS_PATH',
      'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
    ],
  },
  install: async () => (await import('./install.ts')).geminiCliInstall,
  transcripts: async () => (await import('./transcripts.ts')).geminiCliTranscripts,
  worker: {
    program: 'gemini',
    credentials: {
      keys: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
      places: ['GOOGLE_CLOUD_PROJECT', 'GOOGLE_GEMINI_BASE_URL', 'GEMINI_CLI_HOME'],
    },
    attach: (session) => ['--resume', session],
    load: async () => (await import('./worker.ts')).geminiWorker,
  },
};
