/** The user's settings of a team, with what holds where none is set. */
import { availableParallelism } from 'node:os';
import { userTeam } from '../base/config/files.ts';
import type { Home } from '../base/files/home.ts';

/** @throws {ExplainedError} */
export function teamSettings(home: Pick<Home, 'config'>) {
  const { share, ...own } = userTeam(home);
  return {
    slots: Math.max(1, Math.floor(availableParallelism() / 2)),
    caps: [],
    notesFrom: [],
    checkpointEvery: '60s',
    refs: 'refs/lanehold' as const,
    offline: 'stop' as const,
    ...own,
    share: { lanes: 'on' as const, evidence: 'on' as const, notes: 'off' as const, ...share },
  };
}
