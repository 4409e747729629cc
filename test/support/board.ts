/** A board, and members of its team. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { initBoard } from '../../src/team/board/board.ts';
import type { Postgres } from './postgres.ts';
import type { Member } from './team.ts';

export interface MadeBoard {
  /** Address of the owner. */
  readonly owner: string;
  /** What members get. */
  readonly url: string;
}

export async function makeBoard(server: Postgres): Promise<MadeBoard> {
  const owner = await server.database();
  const { members } = await initBoard(owner);
  if (members === undefined) throw new Error('there was a board');
  return { owner, url: members };
}

/** What `team connect` takes from the environment. */
export function connecting({ url }: MadeBoard, port?: number) {
  const through = new URL(url);
  if (port !== undefined) through.port = String(port);
  return { LANEHOLD_TEAM_URL: through.href };
}

/** What the file of a connected machine says. */
export const credentialsOf = ({ env }: Pick<Member, 'env'>) =>
  JSON.parse(readFileSync(join(env.LANEHOLD_HOME, 'team', 'credentials'), 'utf8'));
