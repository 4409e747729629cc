/** `gate.onHold: verify`: a held command runs after the smoke tests of the held features. */
import { findHookAgent } from '../../agents/registry.ts';
import type { Reply, ToolCall } from '../../agents/types.ts';
import { enumerated } from '../../base/text/printable.ts';
import { userSettings } from '../../features/registry.ts';
import type { Workspace } from '../../features/workspace.ts';
import type { GateAnswer } from '../../gate/answer.ts';
import { type Hold, isHere } from '../../gate/hold.ts';
import { evidenceStore, hasPassed } from '../../store/evidence.ts';
import type { Caller } from './handler.ts';

type Denial = GateAnswer & { readonly decision: 'deny' };

/** The command to run instead, and the text for the agent; `undefined` if the denial stands. */
export async function verifyingFirst(
  { workspace, hold, inOneCommand, rule }: Denial,
  call: ToolCall & { readonly tool: 'shell' },
  { agent, env }: Caller,
): Promise<{ readonly command: string; readonly reply: Reply } | undefined> {
  const capabilities = findHookAgent(agent)?.hooks.capabilities;
  if (!capabilities?.rewritesInput.includes('before-tool') || !call.rewritten) return undefined;
  if (!workspace || !hold || inOneCommand === undefined) return undefined;
  if ((await userSettings(workspace)).onHold !== 'verify') return undefined;
  const { shellTime } = capabilities;
  const usualMs = shellTime && (Number(env[shellTime.variable ?? '']) || shellTime.defaultMs);
  const limitMs = call.timeLimitMs ?? usualMs ?? 0;
  const timeMs = timeOf(workspace, hold);
  if (timeMs === undefined || timeMs * MARGIN > limitMs) return undefined;
  const names = enumerated([...new Set(hold.features.map(({ name }) => name))], 4);
  const context =
    `lanehold: \`${rule}\` was held, because ${names} is not verified for exactly what leaves. ` +
    `As the user has set it, this runs instead: ${inOneCommand}`;
  const reply = { decision: 'rewrite', input: call.rewritten(inOneCommand), context } as const;
  return { command: inOneCommand, reply };
}

/** The most records of a feature that are searched for the times of its smoke tests. */
const RECORDS = 10;
/** The factor that leaves time for the command itself, and for slower tests. */
const MARGIN = 2;

/** The duration of the smoke tests when they last passed; `undefined` if one never did. */
function timeOf({ store, projectId }: Workspace, { features }: Hold): number | undefined {
  let sum = 0;
  for (const { name, smoke, ...held } of features) {
    // A checkout of a commit first needs its dependencies, which may take any time.
    if (smoke.length === 0 || !isHere(held)) return undefined;
    const records = evidenceStore(store).ofFeature(projectId, name, RECORDS);
    const passed = records.flatMap(({ runs }) => runs).filter(hasPassed);
    for (const command of smoke) {
      const last = passed.find((run) => run.command === command);
      if (last === undefined) return undefined;
      sum += last.durationMs;
    }
  }
  return sum;
}
