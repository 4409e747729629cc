/** Deletes records that are older than the user's limits. */
import { ownRecall } from '../../base/config/own-recall.ts';
import { parseAge } from '../../base/text/time.ts';
import { takeLateNow } from '../../recall/late.ts';
import { type PruneLimits, prunable, prune } from '../../store/prune.ts';
import { agreedBy } from '../agreement.ts';
import { type AppContext, openProject } from '../context.ts';

/**
 * @param olderThan an age that replaces all settings.
 * @throws {ExplainedError} if an agent gives one, and no person was asked.
 */
export async function pruneRecall(
  context: AppContext,
  { olderThan, dryRun }: { readonly olderThan?: string | undefined; readonly dryRun: boolean },
) {
  const workspace = await openProject(context);
  const { store } = workspace;
  const keptFor = (name: 'keepEvents' | 'keepSuggestions' | 'keepSummaries') =>
    olderThan ?? ownRecall(context.env, name).value;
  const kept = {
    keepEvents: keptFor('keepEvents'),
    keepSuggestions: keptFor('keepSuggestions'),
    keepSummaries: keptFor('keepSummaries'),
  };
  const limits: PruneLimits = {
    events: limitOf(kept.keepEvents, context.now()),
    suggestions: limitOf(kept.keepSuggestions, context.now()),
    summaries: limitOf(kept.keepSummaries, context.now()),
  };
  if (dryRun) return { ...prunable(store, limits), kept };
  if (olderThan !== undefined) await agreedBy(context, workspace, 'deletion');
  takeLateNow(store);
  const pruned = prune(store, limits);
  return { ...pruned, kept };
}

function limitOf(age: string, now: Date): Date | null {
  const ms = parseAge(age);
  return ms === undefined ? null : new Date(now.getTime() - ms);
}
