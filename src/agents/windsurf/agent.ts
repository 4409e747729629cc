import type { AgentDefinition } from '../definition.ts';
import { windsurfHooks } from './hooks.ts';

export const windsurf: AgentDefinition = {
  name: 'windsurf',
  title: 'Windsurf',
  memory: [{ kind: 'memory', files: '~/.codeium/windsurf/memories/*.md', of: 'everything' }],
  // The client sets no variable that its manual names.
  marks: { present: [] },
  hooks: windsurfHooks,
  guards: {
    files: [
      '.codeium/hooks.json',
      '.codeium/windsurf/hooks.json',
      '.config/devin/config.json',
      '.devin/config.json',
      '.devin/config.local.json',
      '.devin/hooks.json',
      '.devin/hooks.v1.json',
      '.windsurf/hooks.json',
      '.windsurf/rules/lanehold.md',
    ],
    managed: [
      '/etc/devin',
      '/etc/windsurf',
      '/Library/Application Support/Devin',
      '/Library/Application Support/Windsurf',
    ],
    programs: ['devin'],
    places: ['XDG_CONFIG_HOME'],
  },
  install: async () => (await import('./install.ts')).windsurfInstall,
  rules: {
    file: '.windsurf/rules/lanehold.md',
    head: '---\ntrigger: always_on\n---',
    maxUnits: 11_900,
  },
};
