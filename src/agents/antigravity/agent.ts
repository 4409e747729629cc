import type { AgentDefinition } from '../definition.ts';

export const antigravity: AgentDefinition = {
  name: 'antigravity',
  title: 'Antigravity',
  marks: { present: ['ANTIGRAVITY_AGENT'] },
};
