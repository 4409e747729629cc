/** The first view of a terminal: who needs a person, the lanes of one run, and what a push would be held for. */
import { explained } from '../../base/errors.ts';
import type { AppContext } from '../context.ts';
import { type BoardData, type RunWish, runStatus } from '../lanes/runs.ts';
import { leavingView } from './hold.ts';
import { runMeant } from './lanes.ts';
import { needsView } from './needs.ts';

export interface FirstView
  extends Pick<Awaited<ReturnType<typeof needsView>>, 'at' | 'project' | 'needs'> {
  /** `null` if no run is open. */
  readonly board: BoardData | null;
  readonly leaving: Awaited<ReturnType<typeof leavingView>> | null;
}

/** The time between two checks, because git reads the whole working tree for each. */
const LEAVING_MS = 5_000;

/**
 * @param wish `run`: by default the newest open one.
 * @returns `look` reads the state, and tends the run as `status` does; `end` is called last.
 */
export async function watchFirst(context: AppContext, wish: RunWish) {
  const { run } = await runMeant(context, wish);
  const isOpen = run?.intent === 'active' || run?.intent === 'paused';
  const status = isOpen || wish.run ? await runStatus(context, { run: run?.name }) : undefined;
  const board = status?.kind === 'board' ? status : undefined;
  const watched = board?.watched();
  let leaving: FirstView['leaving'] = null;
  let readAt = Number.NEGATIVE_INFINITY;
  const readLeaving = async () => {
    readAt = Date.now();
    // Errors of this part are reported by the commands about it.
    leaving = await leavingView(context).catch((error) => {
      explained(error);
      return null;
    });
  };
  await readLeaving();
  return {
    async look(): Promise<FirstView> {
      watched?.look();
      if (Date.now() - readAt > LEAVING_MS) void readLeaving();
      const [{ at, project, needs }, lanes] = await Promise.all([
        needsView(context),
        board?.tend().then(board.read),
      ]);
      return { at, project, needs, board: lanes ?? null, leaving };
    },
    end: (): void => watched?.end(),
  };
}
