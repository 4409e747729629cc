/** Sessions that an agent has recorded and in which none of its hooks ran. */
import type { AgentTranscripts } from '../../agents/definition.ts';
import { TICK_MS } from '../../agents/kit/json-lines.ts';
import { AGENTS } from '../../agents/registry.ts';
import { attempt } from '../../base/errors.ts';
import { isWithin } from '../../base/git/tree-entry.ts';
import type { Store } from '../../store/open.ts';
import { unseenCommandStore } from '../../store/unseen-commands.ts';
import { expectedAgents } from './expected.ts';
import { hasTrace } from './trace.ts';

/** The most transcripts that are read; others are read the next time. */
const MOST_READ = 10;

/** Reads the transcripts that are newer than the installation, and stores silent sessions. */
export async function noteSilentSessions(
  { env, root, projectId }: { readonly env: NodeJS.ProcessEnv; root: string; projectId: number },
  store: Store,
): Promise<void> {
  const unseen = unseenCommandStore(store);
  const tracesBegin = unseen.tracesBegin() ?? 0;
  for (const { agent, installedAt } of expectedAgents(env, root)) {
    const transcripts = await AGENTS.find(({ name }) => name === agent)?.transcripts?.();
    if (transcripts === undefined) continue;
    const since = new Date(Math.max(tracesBegin, installedAt?.getTime() || 0));
    const silent = recordedSince(transcripts, { root, env }, since)
      .filter(({ session, began }) => began >= since && !hasTrace(env, { agent, session }))
      .filter(({ session }) => unseen.isSilent(agent, session) === undefined)
      .take(MOST_READ);
    for (const { session, transcript, began: at } of silent) {
      // A session without any command may have been closed before its first prompt.
      const hasRun = transcripts
        .files(transcript)
        .some((it) => attempt(() => transcripts.entries(it, 0, 'commands').next().done) === false);
      if (!hasRun) continue;
      const found = { projectId, agent, session, foundBy: 'transcript', command: '', at } as const;
      store.write(() => unseen.add({ ...found, moment: 'session-start' }));
    }
  }
}

/** The number is small because a hook has little time. */
const MOST_SESSIONS = 40;
/** A session may go on for some days. */
const DAYS_READ = 14;

/** Sessions in a working tree that were written to since then, the newest first. */
export function recordedSince(
  transcripts: AgentTranscripts,
  { root, env }: { readonly root: string; readonly env: NodeJS.ProcessEnv },
  since: Date,
) {
  return transcripts
    .listed({ roots: [root], env }, DAYS_READ)
    .filter(({ changed }) => changed >= since.getTime() - TICK_MS)
    .sort((one, other) => other.changed - one.changed)
    .values()
    .flatMap(({ file: transcript }) => {
      const origin = attempt(() => transcripts.origin(transcript));
      const isOwn = origin !== undefined && !origin.isSubAgent && isWithin(root, origin.cwd);
      return isOwn ? [{ ...origin, transcript }] : [];
    })
    .take(MOST_SESSIONS);
}
