/** The commands that prove a commit in which several lanes are merged. */
import type { Lane } from '../../store/lanes.ts';

export interface ProofCommand {
  readonly cmd: string;
  readonly cwd: string;
  readonly timeoutS: number;
  readonly cmdHash: string;
  /** The lane's own setup command, in place of the project's. */
  readonly setup: string | undefined;
  readonly ports: number;
}

type Validated = Pick<
  Lane,
  'validateCmd' | 'validateCwd' | 'validateTimeoutS' | 'cmdHash' | 'spec'
>;

/** Each validation once, in the order of the lanes. */
export function proofCommands(lanes: readonly Validated[]): ProofCommand[] {
  return distinct(
    lanes.flatMap(({ validateCmd: cmd, validateCwd, validateTimeoutS, cmdHash, spec }) => {
      const { setup, ports } = spec;
      const limits = { cwd: validateCwd, timeoutS: validateTimeoutS, ports };
      return cmd === null ? [] : [{ cmd, cmdHash, setup, ...limits }];
    }),
  );
}

export function distinct(commands: readonly ProofCommand[]): ProofCommand[] {
  const found = new Map<string, ProofCommand>();
  for (const it of commands) if (!found.has(it.cmdHash)) found.set(it.cmdHash, it);
  return [...found.values()];
}
