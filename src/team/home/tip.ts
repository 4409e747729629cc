/** The tip of an integration on the remote: it moves by compare and swap, so a second integrator moves nothing. */
import { ExplainedError } from '../../base/errors.ts';
import { refAt } from '../../base/git/plumbing.ts';
import { assertLeaves } from '../../lanes/pull/push.ts';
import type { SharedTip } from '../../lanes/queue/round.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import { moveTip, recordedTips } from '../../lanes/stand/tip.ts';
import type { Run } from '../../store/lanes.ts';
import { fetchRef, pushRef, sharedTipRef, tipRef } from '../refs.ts';
import { exchangeOf } from './session.ts';

/** @throws {ExplainedError} if this machine or the project is in no team. */
export async function sharedTip(context: LaneContext, run: Run): Promise<SharedTip> {
  const { remote, settings } = await exchangeOf(context, run);
  const git = gitOfRun(context, run);
  const ref = tipRef(settings.refs, run.id);
  const here = sharedTipRef(run.id);
  /** Where the remote has it, as last seen; empty: nowhere. */
  let there = '';
  return {
    async fetch() {
      const found = await fetchRef(remote, ref, here);
      there = found ?? '';
      if (found === undefined || recordedTips(context, run).includes(found)) return;
      if ((await git.maybe(['merge-base', run.baseSha, found], [1, 128])) === undefined) {
        throw new ExplainedError(`${ref} at ${remote.name} is no tip of this run`, {
          hint: `\`git push ${remote.name} :${ref}\` deletes it there, then integrate again`,
        });
      }
      const from = (await refAt(git, run.integrationRef)) ?? '';
      const reason = 'lanehold: what another integrator has added';
      await moveTip(context, run, git, { to: found, from, reason });
    },
    async push(to) {
      if (to === there) return 'moved';
      await assertLeaves(context, run, { remote: remote.name, to, ref, known: here });
      const outcome = await pushRef(remote, { ref, to, from: there });
      if (outcome === 'lost') return outcome;
      there = to;
      await git.text(['update-ref', here, to]);
      return outcome;
    },
  };
}
