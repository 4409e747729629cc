/** What proves a commit that several lanes are in. */
import type { Lane } from '../../store/lanes.ts';

export interface ProofCommand {
  readonly cmd: string;
  readonly cwd: string;
  readonly timeoutS: number;
  readonly cmdHash: string;
}

type Validated = Pick<Lane, 'validateCmd' | 'validateCwd' | 'validateTimeoutS' | 'cmdHash'>;

/** Each validation once, in the order of the lanes. */
export function proofCommands(lanes: readonly Validated[]): ProofCommand[] {
  const found = new Map<string, ProofCommand>();
  for (const { validateCmd, validateCwd, validateTimeoutS, cmdHash } of lanes) {
    if (validateCmd === null || found.has(cmdHash)) continue;
    found.set(cmdHash, {
      cmd: validateCmd,
      cwd: validateCwd,
      timeoutS: validateTimeoutS,
      cmdHash,
    });
  }
  return [...found.values()];
}
