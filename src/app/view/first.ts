/** The first view of a terminal: who needs somebody, the lanes of one run, and what would not leave. */
import { explained } from '../../base/errors.ts';
import { lineOf, quickStatus } from '../../moments/lifecycle/status-line.ts';
import type { AppContext } from '../context.ts';
import { type BoardData, type RunWish, runStatus } from '../lanes/runs.ts';
import { leavingView } from './hold.ts';
import { runMeant } from './lanes.ts';
import { needsView } from './needs.ts';

export interface FirstView
  extends Pick<Awaited<ReturnType<typeof needsView>>, 'at' | 'project' | 'needs'> {
  /** `null` where no run is open. */
  readonly board: BoardData | null;
  readonly leaving: Awaited<ReturnType<typeof leavingView>> | null;
  /** All of it in the words of a status line. */
  readonly line: string;
}

/** git reads the whole working tree for it. */
const LEAVING_MS = 5_000;

/**
 * @param wish `run`: else the newest open one.
 * @returns `look` is called each time, and tends the run as `status` does; `end` at last.
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
    // What cannot be told now is told by the commands about it.
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
      const [{ at, project, needs }, lanes, quick] = await Promise.all([
        needsView(context),
        board?.tend().then(board.read),
        quickStatus(context),
      ]);
      return { at, project, needs, board: lanes ?? null, leaving, line: lineOf(quick) };
    },
    end: (): void => watched?.end(),
  };
}
