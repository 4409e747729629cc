import { availableParallelism } from 'node:os';
import { keptFromTeam, userFile } from '../base/config/files.ts';
import type { Home } from '../base/files/home.ts';
import type { Workspace } from '../features/workspace.ts';

/** The user's settings of a team, with what holds where none is set. @throws {ExplainedError} */
export function teamSettings(home: Pick<Home, 'config'>) {
  const { share, ...own } = userFile(home).team ?? {};
  return {
    slots: own.slots ?? Math.max(1, Math.floor(availableParallelism() / 2)),
    caps: own.caps ?? [],
    runFor: own.runFor,
    signers: own.signers,
    notesFrom: own.notesFrom ?? [],
    checkpointEvery: own.checkpointEvery ?? '60s',
    refs: own.refs ?? 'refs/lanehold',
    offline: own.offline ?? 'stop',
    results: own.results ?? 'signed',
    share: {
      lanes: share?.lanes ?? 'on',
      evidence: share?.evidence ?? 'on',
      notes: share?.notes ?? 'off',
    },
  };
}

/** What leaves this machine of a project: what its `lanehold.json` keeps stays here. @throws {ExplainedError} */
export const shareOf = ({ store, place }: Pick<Workspace, 'store' | 'place'>) => ({
  ...teamSettings(store.home).share,
  ...keptFromTeam(place.root),
});
