/** The tip of an integration on the remote: it moves by compare and swap, so a second integrator moves nothing. */
import { refAt } from '../../base/git/plumbing.ts';
import type { SharedTip } from '../../lanes/queue/round.ts';
import { gitOfRun } from '../../lanes/spec/context.ts';
import { moveTip, recordedTips } from '../../lanes/stand/tip.ts';
import { fetchRef, pushRef, tipRef } from '../refs.ts';
import type { Exchange } from './session.ts';

export function sharedTip({ context, run, remote, settings }: Exchange): SharedTip {
  const git = gitOfRun(context, run);
  const ref = tipRef(settings.refs, run.id);
  /** Where the remote has it, as last seen; empty: nowhere. */
  let there = '';
  return {
    async fetch() {
      const found = await fetchRef(remote, ref, `refs/lanehold/${run.id}/shared-tip`);
      there = found ?? '';
      if (found === undefined || recordedTips(context, run).includes(found)) return;
      const from = (await refAt(git, run.integrationRef)) ?? '';
      const reason = 'lanehold: what another integrator has added';
      await moveTip(context, run, git, { to: found, from, reason });
    },
    async push(to) {
      if (to === there) return 'moved';
      const outcome = await pushRef(remote, { ref, to, from: there });
      if (outcome === 'moved') there = to;
      return outcome;
    },
  };
}
