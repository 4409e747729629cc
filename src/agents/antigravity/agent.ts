import type { AgentDefinition } from '../definition.ts';
import { antigravityHooks } from './hooks.ts';

const NAMED = 'projects that it names';

export const antigravity: AgentDefinition = {
  name: 'antigravity',
  title: 'Antigravity',
  memory: ['antigravity', 'antigravity-cli'].flatMap((it) => [
    { kind: 'plan', files: `~/.gemini/${it}/brain/*/implementation_plan.md`, of: NAMED },
    { kind: 'tasks', files: `~/.gemini/${it}/brain/*/task.md`, of: NAMED },
  ]),
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
