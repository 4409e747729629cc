/** Sessions that an agent has recorded and in which none of its hooks ran. */
import { AGENTS } from '../../agents/registry.ts';
import type { Environment } from '../../base/environment.ts';
import { attempt } from '../../base/errors.ts';
import type { Store } from '../../store/open.ts';
import { unseenCommandStore } from '../../store/unseen-commands.ts';
import { expectedAgents } from './expected.ts';
import { hasTrace } from './trace.ts';

/** More are looked at the next time. */
const MOST_READ = 10;

/** Looks at the transcripts that are newer than the installation, and stores what it finds. */
export async function noteSilentSessions(
  { env, root, projectId }: { readonly env: Environment; root: string; projectId: number },
  store: Store,
): Promise<void> {
  const unseen = unseenCommandStore(store);
  const tracesBegin = unseen.tracesBegin() ?? 0;
  for (const { agent, installedAt } of expectedAgents(env, root)) {
    const transcripts = await AGENTS.find(({ name }) => name === agent)?.transcripts?.();
    if (transcripts === undefined) continue;
    const since = new Date(Math.max(tracesBegin, installedAt?.getTime() || 0));
    const silent = transcripts
      .recent({ root, env }, since)
      .filter(({ session, began }) => began >= since && !hasTrace(env, { agent, session }))
      .filter(({ session }) => unseen.isSilent(agent, session) === undefined)
      .slice(0, MOST_READ);
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
