/** A board, and members of its team. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { initBoard } from '../../src/team/board/board.ts';
import { keyOf } from '../../src/team/credentials.ts';
import { placeOfEvidence } from '../../src/team/exchange.ts';
import { unseal } from '../../src/team/seal.ts';
import type { Postgres } from './postgres.ts';
import { sandbox } from './sandbox.ts';
import type { Features } from './shop.ts';
import { type Key, type Member, sshKey, team } from './team.ts';

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

interface Wish {
  readonly evidence?: object;
  readonly features?: Features;
}

/** CI and Ada have keys that may sign, Eve has one that may not; all push to one remote. */
export async function acme(server: Postgres, { evidence, features }: Wish = {}) {
  const box = sandbox();
  const keys = { ci: sshKey(box, 'ci'), ada: sshKey(box, 'ada'), eve: sshKey(box, 'eve') };
  const signers = [`ci@acme ${keys.ci.publicKey}`, `ada@acme ${keys.ada.publicKey}`];
  const ran = join(box.root, 'ran');
  const counted = {
    cart: { files: ['src/cart/**'], smoke: [`echo cart >> ${ran}`] },
    checkout: { files: ['src/checkout/**'], smoke: [`echo checkout >> ${ran}`] },
  };
  const { member } = team(box, {
    features: features ?? counted,
    signers,
    ...(evidence === undefined ? {} : { evidence }),
  });
  const board = await makeBoard(server);
  const connected = async (name: string, key?: Key, port?: number): Promise<Member> => {
    const made = member(name, key);
    const given = connecting(board, port);
    const run = await made.laneholdWith(given, 'team', 'connect', '--name', name);
    expect(run, run.stderr).toMatchObject({ exitCode: 0 });
    return made;
  };
  return {
    box,
    keys,
    board,
    member,
    connected,
    /** How often a test has run, of all members. */
    runs: () => (existsSync(ran) ? readFileSync(ran, 'utf8').split('\n').length - 1 : 0),
  };
}

/** Gets the branch of a colleague, as something of one's own that leaves with the next push to main. */
export function takes({ git }: Member, branch = 'change'): void {
  git('fetch', '--quiet');
  git('merge', '--quiet', '--ff-only', `origin/${branch}`);
}

/** What the hook says to a push. */
export const pushes = (member: Member) =>
  member.lanehold('gate', '--command', 'git push origin HEAD:main');

/** All that is on the board, opened. */
export async function opened(
  server: Postgres,
  { owner }: MadeBoard,
  member: Member,
): Promise<string[]> {
  const key = keyOf(credentialsOf(member));
  const rows = await server.sql(owner, 'SELECT * FROM lanehold.evidence ORDER BY at');
  return rows.map(({ repo_id: repo, subject, body }) => {
    const line = unseal(key, placeOfEvidence(repo as string, subject as Buffer), body as Buffer);
    const { payload } = JSON.parse(line ?? '{}');
    return Buffer.from(payload, 'base64').toString();
  });
}
