import type { AgentDefinition } from '../definition.ts';
import { antigravityHooks } from './hooks.ts';

export const antigravity: AgentDefinition = {
  name: 'antigravity',
  title: 'Antigravity',
  memory: [
    {
      kind: 'plan',
      files: '~/.gemini/antigravity/brain/*/implementation_plan.md',
      of: 'projects that it names',
    },
    { kind: 'tasks', files: '~/.gemini/antigravity/brain/*/task.md', of: 'projects that it names' },
    {
      kind: 'plan',
      files: '~/.gemini/antigravity-cli/brain/*/implementation_plan.md',
      of: 'projects that it names',
    },
    {
      kind: 'tasks',
      files: '~/.gemini/antigravity-cli/brain/*/task.md',
      of: 'projects that it names',
    },
  ],
  marks: { present: ['ANTIGRAVITY_AGENT'], session: 'ANTIGRAVITY_CONVERSATION_ID' },
  hooks: antigravityHooks,
  install: async () => (await import('./install.ts')).antigravityInstall,
  guards: {
    problems: async () => (await import('./problems.ts')).problems,
    files: [
      '.gemini/config/hooks.json',
      '.gemini/antigravity-cli/settings.json',
      ...['.agents', '.agent', '_agents', '_agent'].map((it) => `${it}/hooks.json`),
    ],
    programs: ['agy', 'antigravity'],
    // A program with one of these packages runs hooks in its own process, and reads none of the files.
    packages: ['google.antigravity', 'google-antigravity', 'google_antigravity'],
  },
};
