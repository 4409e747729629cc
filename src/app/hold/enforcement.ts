/** Describes what an agent lets lanehold enforce, from its definition. */
import type { Capabilities } from '../../agents/definition.ts';

export interface Enforcement {
  /** Commands that release something are held before they run. */
  readonly holds: boolean;
  /** Gaps in the enforcement, each as the end of a sentence about the agent: `lets a command run if …`. */
  readonly gaps: readonly string[];
}

export function enforcementOf(capabilities: Capabilities): Enforcement {
  const { denies, subAgents, cannotSee } = capabilities;
  const open = openOnFailure(capabilities);
  return {
    holds: denies.includes('before-tool'),
    gaps: [
      ...(open === undefined ? [] : [open]),
      ...(subAgents === 'not held' ? ['shows no hook what its sub-agents do'] : []),
      ...cannotSee.map((it) => `does not see ${it}`),
    ],
  };
}

function openOnFailure({ blocksAfter = [], failClosed }: Capabilities): string | undefined {
  if (failClosed !== undefined) return undefined;
  const ways = [
    ...(blocksAfter.includes('crash') ? [] : ['fails']),
    ...(blocksAfter.includes('time-out') ? [] : ['is too slow']),
  ];
  if (ways.length === 0) return undefined;
  return `lets a command run if its hook ${ways.join(' or ')}, and has no switch against it; git’s own hook, where it is installed, still holds pushes`;
}
