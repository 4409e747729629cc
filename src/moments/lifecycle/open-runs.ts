/** Tells a session of the open runs of its project when it starts or has been compacted. */
import type { HookEvent } from '../../agents/types.ts';
import { handoff, handoffPage, newsForReader, storeHandoff } from '../../lanes/look/handoff.ts';
import type { LaneContext } from '../../lanes/spec/context.ts';
import { takeNeeds } from '../../lanes/talk/coordinator-needs.ts';
import { handoffStore } from '../../store/handoffs.ts';
import { type Run, runStore } from '../../store/lanes.ts';

/** Characters of all runs together; agents cut longer texts. */
const WHOLE_CHARS = 6_000;
const NEWS_CHARS = 3_000;
const FEWEST_CHARS = 1_200;

/** The whole handoff for a new, cleared or compacted conversation, else its news. The newest run comes first. */
export function openRunsText(
  laneContext: LaneContext,
  projectId: number,
  { source, session }: Pick<HookEvent & { kind: 'session-start' }, 'source' | 'session'>,
  agent: string,
): string | undefined {
  const runs = runStore(laneContext.store).open(projectId);
  const forgets = source === 'compacted' || source === 'cleared';
  const texts = runs.map((run) => {
    const reader = { runId: run.id, agent, session };
    const told = session === '' ? undefined : handoffStore(laneContext.store).cursor(reader);
    return told === undefined || forgets
      ? wholeText(laneContext, run, { agent, session }, share(WHOLE_CHARS, runs))
      : newsForReader(laneContext, run, { agent, session, maxChars: share(NEWS_CHARS, runs) }).text;
  });
  // The handoff contains all open questions and failures, so prompts need not repeat them.
  takeNeeds(laneContext.store, projectId, { session, now: laneContext.now() });
  const said = texts.filter((text) => text !== '');
  return said.length === 0 ? undefined : said.map((text) => text.trimEnd()).join('\n\n');
}

const share = (chars: number, runs: readonly Run[]): number =>
  Math.max(FEWEST_CHARS, Math.floor(chars / runs.length));

function wholeText(
  laneContext: LaneContext,
  run: Run,
  { agent, session }: { readonly agent: string; readonly session: string },
  maxChars: number,
): string {
  const { store } = laneContext;
  const made = handoff(laneContext, run, { agent, session });
  if (session !== '') {
    const reader = { runId: run.id, agent, session };
    store.write(() => handoffStore(store).advance(reader, made.cursor, made.at));
  }
  return handoffPage(made, [], { maxChars, ids: 'short' }).text;
}

/** Stores a handoff of each open run before a conversation is compacted. */
export function keepHandoffs(
  laneContext: LaneContext,
  projectId: number,
  recipient: { readonly agent: string; readonly session: string },
): void {
  for (const run of runStore(laneContext.store).open(projectId))
    storeHandoff(laneContext, run, recipient);
}
