/** Detects changes in the user's own checkout while a worker ran. They are reported, never undone. */
import { join } from 'node:path';
import { readPlainFile } from '../../files/plain-file.ts';
import { runStore } from '../../store/runs.ts';
import { mainCheckoutRef } from '../paths.ts';
import { checkoutPrint, saveDiff } from '../worktree/main-checkout.ts';
import type { Supervision } from './supervision.ts';

/**
 * The worker and the user are indistinguishable here, so the run is paused until a person has looked.
 * A checkout with another commit is the user at work, and is only flagged.
 */
export async function checkMainCheckout(it: Supervision): Promise<void> {
  const before = readPlainFile(join(it.attempt().dir, 'main-checkout'));
  if (before === undefined) return;
  const { store, env, now } = it.context;
  const run = it.run();
  const after = await checkoutPrint(run.repository, env);
  if (after === before) return;
  const lane = it.lane();
  const ref = mainCheckoutRef(run, lane.key);
  const sha = await saveDiff(run.repository, {
    ref,
    env,
    indexFile: join(it.attempt().dir, 'main.index'),
    now: now(),
  });
  it.flag('main-checkout-changed');
  if (headOf(before) !== headOf(after)) return;
  const reason = `the main checkout was changed while lane ${lane.key} worked; it is kept as ${ref}`;
  store.write(() => runStore(store).setIntent(run.id, 'paused', reason));
  it.event('run.paused', { reason, sha });
}

/** A print begins with the checked-out commit. */
const headOf = (print: string): string => print.split('\n', 1)[0] ?? '';
