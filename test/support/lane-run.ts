/** Drives a run with the commands that a coordinator uses. */
import { isLive, type LaneFacts, laneFacts } from './lane-facts.ts';
import { type LaneProject, VALIDATE } from './lane-project.ts';

export interface NewLane {
  readonly agent?: string;
  readonly touches?: readonly string[];
  readonly needs?: readonly string[];
  readonly validate?: string;
  readonly more?: readonly string[];
}

/** A look costs CPU time that the lanes need. */
const LOOK_MS = 500;

export function laneRun(project: LaneProject) {
  /** @throws with what was printed if the command does not end with 0. */
  async function orchestrate(...args: readonly string[]) {
    const ran = await project.orchestrate(...args);
    if (ran.exitCode === 0) return ran;
    throw new Error(`${args.join(' ')}: exit code ${ran.exitCode}\n${ran.stdout}${ran.stderr}`);
  }

  function lane(key: string): LaneFacts {
    const found = laneFacts(project).find((it) => it.key === key);
    if (found === undefined) throw new Error(`no lane ${key}`);
    return found;
  }

  return {
    orchestrate,
    lane,
    init: (goal = 'Try lanes', ...more: readonly string[]) => orchestrate('init', goal, ...more),
    add: (key: string, wish: NewLane = {}) =>
      orchestrate(
        ...['lane', 'add', key, '--desc', `Work on ${key}`],
        ...['--agent', wish.agent ?? 'claude-code'],
        ...['--validate', wish.validate ?? VALIDATE],
        ...(wish.touches ?? []).flatMap((glob) => ['--touches', glob]),
        ...(wish.needs ?? []).flatMap((need) => ['--needs', need]),
        ...(wish.more ?? []),
      ),
    /** The lanes named, or all that were not started yet. */
    spawn: (...keys: readonly string[]) =>
      orchestrate('spawn', ...(keys.length === 0 ? ['--ready'] : keys)),
    /** Starts what is due, as any command does. */
    reconcile: () => project.orchestrate('sync'),
    /** State by lane. */
    states: (): Record<string, string> =>
      Object.fromEntries(laneFacts(project).map((it) => [it.key, it.state])),
    /** Waits until no lane is live or due; runs `sync` now and then. For many lanes give a longer time. */
    settled: (deadlineMs?: number) => {
      const atRest = () => laneFacts(project).every((it) => !isLive(it.attempt) && !isDue(it));
      const look = looker(() => project.orchestrate('sync'));
      return project.until(
        () => `the lanes to come to rest: ${JSON.stringify(laneFacts(project), undefined, 1)}`,
        async () => {
          // A `sync` may start something where all seemed to be done.
          await look(atRest());
          return atRest();
        },
        deadlineMs,
      );
    },
    /** Waits for what only comes when a command looks: runs `sync` now and then. */
    looksUntil: <T>(what: string | (() => string), condition: () => T | Promise<T>) => {
      const look = looker(() => project.orchestrate('sync'));
      return project.until(what, async () => {
        await look();
        return condition();
      });
    },
    /** Waits for a state of a lane without running a command. */
    reaches: (key: string, state: string) =>
      project.until(
        () => `${key} to be ${state}: ${JSON.stringify(lane(key), undefined, 1)}`,
        () => lane(key).state === state,
      ),
  };
}

/** Looks at its first call, then whenever it is time to, or asked to. */
function looker(look: () => Promise<unknown>) {
  let nextAt = 0;
  return async (now = false): Promise<void> => {
    if (!now && performance.now() < nextAt) return;
    await look();
    nextAt = performance.now() + LOOK_MS;
  };
}

function isDue({ state, intent }: LaneFacts): boolean {
  return intent === 'run' && (state === 'ready' || state === 'waiting');
}
