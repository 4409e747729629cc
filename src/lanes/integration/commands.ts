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
  return distinct(
    lanes.flatMap(({ validateCmd: cmd, validateCwd: cwd, validateTimeoutS: timeoutS, cmdHash }) =>
      cmd === null ? [] : [{ cmd, cwd, timeoutS, cmdHash }],
    ),
  );
}

export function distinct(commands: readonly ProofCommand[]): ProofCommand[] {
  const found = new Map<string, ProofCommand>();
  for (const it of commands) if (!found.has(it.cmdHash)) found.set(it.cmdHash, it);
  return [...found.values()];
}
