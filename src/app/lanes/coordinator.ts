/** Keeps workers of lanes from commands of the coordinator. */
import { actorOf } from '../../agents/actor.ts';
import { explained, UsageError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { realPath } from '../../base/files/real-path.ts';
import { projectPlace } from '../../base/git/project.ts';
import { parentEnvironments } from '../../base/process/parents.ts';
import { insideLane, laneOfWorktree } from '../../lanes/spec/inside-lane.ts';
import { laneMark } from '../../lanes/spec/lane-mark.ts';
import { programAbove } from '../agreement.ts';
import type { AppContext } from '../context.ts';

/** The commands below `orchestrate` that the worker of a lane may use. */
const WORKER_COMMANDS = new Set(['ask', 'report', 'status', 'handoff', 'logs']);

type Caller = Pick<AppContext, 'env' | 'cwd' | 'store' | 'invocation'>;

/**
 * Refuses the coordinator's commands to a worker, which may not widen or verify its own lane, or change its validation.
 * A worker is recognised by its environment, by those of the processes above it, and by its working tree.
 *
 * @throws {UsageError} in a lane's worker, for a command that is not one of its own.
 */
export async function assertMayOrchestrate(command: string, caller: Caller): Promise<void> {
  if (WORKER_COMMANDS.has(command)) return;
  const { env } = caller;
  const home = realPath(homeOf(env).root);
  if (!isOfWorker(env) && !parentEnvironments().some((it) => isOfWorker(it, home))) {
    if (!(await isWorkedIn(caller))) return;
  }
  throw new UsageError(
    `\`orchestrate ${command}\` is the coordinator's, and this is a lane's worker`,
    { hint: 'report, ask and read: `lanehold orchestrate report|ask|status|handoff`' },
  );
}

/** Why the caller may only read; `undefined` for a person. */
export async function whyOnlyLooking(context: AppContext): Promise<string | undefined> {
  const program = programAbove(context);
  if (program !== undefined) return `${program} has started it`;
  try {
    return void (await assertMayOrchestrate('ui', context));
  } catch (error) {
    return explained(error).message;
  }
}

/** @param home the home of its lanes: tests of a project may have lanes of their own. */
function isOfWorker(env: NodeJS.ProcessEnv, home?: string): boolean {
  const { LANEHOLD_ATTEMPT: attempt, LANEHOLD_STAGE: stage, LANEHOLD_HOME: root } = env;
  if (!attempt || !stage) return false;
  return home === undefined || (!!root && realPath(root) === home);
}

/** True in the tree of a running worker, and for an agent in an adopted tree. */
async function isWorkedIn({ env, cwd, store, invocation }: Caller): Promise<boolean> {
  const { root, gitDir, identity } = projectPlace(invocation?.folder ?? cwd);
  if (gitDir === undefined || gitDir === identity) return false;
  const attempt = laneOfWorktree(await store(), root)?.attempt;
  if (attempt != null) return attempt.kind !== 'validate';
  const mark = actorOf({ env }).agent === undefined ? undefined : laneMark({}, root);
  return mark !== undefined && insideLane(await store(), mark) !== undefined;
}
