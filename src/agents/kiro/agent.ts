import type { AgentDefinition } from '../definition.ts';
import { kiroHooks } from './hooks.ts';

export const kiro: AgentDefinition = {
  name: 'kiro',
  title: 'Kiro',
  memory: [
    { kind: 'memory', files: '.kiro/steering/*.md' },
    { kind: 'plan', files: '.kiro/specs/*/requirements.md' },
    { kind: 'plan', files: '.kiro/specs/*/design.md' },
    { kind: 'tasks', files: '.kiro/specs/*/tasks.md' },
  ],
  // The client sets no variable that its manual names.
  marks: { present: [] },
  hooks: kiroHooks,
  guards: {
    files: ['.kiro/hooks/*.json', '.kiro/agents/*.json'],
    programs: ['kiro-cli'],
    // Without a terminal the older version is started as well, which reads other hook files.
    without: ['--v2', '--no-interactive'],
    flags: ['--v2'],
    settings: ['chat.agentEngine'],
    problems: async () => (await import('./problems.ts')).problems,
  },
  install: async () => (await import('./install.ts')).kiroInstall,
};
