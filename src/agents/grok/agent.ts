import type { AgentDefinition } from '../definition.ts';
import { FOLDER, grokHooks } from './hooks.ts';

export const grok: AgentDefinition = {
  name: 'grok',
  title: 'Grok Build',
  marks: {
    present: ['GROK_SESSION_ID'],
    session: 'GROK_SESSION_ID',
    others: [
      'GROK_HOOK_EVENT',
      'GROK_HOOK_NAME',
      'GROK_PLUGIN_DATA',
      'GROK_PLUGIN_ROOT',
      'GROK_WORKSPACE_ROOT',
    ],
  },
  hooks: grokHooks,
  install: async () => (await import('./install.ts')).grokInstall,
  // A hook cannot give the model text when a session starts.
  rules: { file: '.grok/rules/lanehold.md', maxUnits: 9_900 },
  guards: {
    folderVariable: FOLDER,
    files: [
      '.grok/hooks/*.json',
      '.grok/hooks-paths',
      '.grok/config.toml',
      '.grok/managed_config.toml',
      '.grok/requirements.toml',
      '.grok/trusted_folders.toml',
      '.grok/rules/lanehold.md',
    ],
    managed: ['/etc/grok'],
    programs: ['grok'],
    settings: ['allow_managed_hooks_only'],
  },
};
