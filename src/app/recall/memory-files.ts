/** Reads what agents keep as memory, where that is allowed. */
import { homedir } from 'node:os';
import { captureOf, recallSettings } from '../../base/config/capture.ts';
import type { Environment } from '../../base/environment.ts';
import type { Workspace } from '../../features/workspace.ts';
import { refreshMemory } from '../../recall/memory-files.ts';

/** @returns how many items changed; 0 where it is not allowed. */
export async function readMemoryFiles(workspace: Workspace, env: Environment): Promise<number> {
  const { root } = workspace.place;
  const { mode, ignores } = await captureOf(root, env);
  const isOff = mode === 'off' || recallSettings(root, env).transcripts.value === 'off';
  if (isOff || env.LANEHOLD_RECALL === 'off' || [env.HOME || homedir(), '/'].includes(root))
    return 0;
  return refreshMemory(workspace, { env, ignores });
}
