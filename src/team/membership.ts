/** How this machine and its projects come into a team, and out of it. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { explained, UsageError } from '../base/errors.ts';
import { plainAddress } from '../base/git/address.ts';
import type { Git } from '../base/git/git.ts';
import { refsAsTheyAre } from '../base/git/refs.ts';
import { mainRemote, remoteMeant } from '../base/git/remotes.ts';
import type { Workspace } from '../features/workspace.ts';
import { outboxStore, type TeamProject, teamStore } from '../store/team.ts';
import { joinBoard, withBoard } from './board/calls.ts';
import { withConnection } from './board/connection.ts';
import {
  type Credentials,
  forgetCredentials,
  type Invitation,
  keyOf,
  NoTeamError,
  readCredentials,
  writeCredentials,
} from './credentials.ts';
import { repositoryId } from './seal.ts';

/** For what a person waits for. */
export const LIMIT_MS = 10_000;

const DAY_MS = 24 * 60 * 60_000;
/** For how long it is worth saying again what was found. */
export const RECENT_MS = 30 * DAY_MS;

/** A project in a team, on this machine. */
export interface Team {
  readonly member: Credentials;
  readonly project: TeamProject;
}

export function teamOf({ store, projectId }: Workspace): Team | undefined {
  const member = readCredentials(store.home);
  const project = member && teamStore(store).ofProject(projectId);
  return project?.board === member?.board && member && project ? { member, project } : undefined;
}

/** @throws {NoTeamError} */
export function memberOn({ home }: Workspace['store']): Credentials {
  const member = readCredentials(home);
  if (member !== undefined) return member;
  throw new NoTeamError('this machine is in no team', {
    hint: '`lanehold team connect < member.env`, with the file that `lanehold team init` wrote',
  });
}

/** @throws {NoTeamError} */
export function requiredTeam(workspace: Workspace): Team {
  memberOn(workspace.store);
  const team = teamOf(workspace);
  if (team !== undefined) return team;
  throw new NoTeamError('this project is not shared with the team', {
    hint: '`lanehold team connect` in it',
  });
}

/** @param name what the team sees; the name of the machine by default. */
export async function joinTeam(
  { home }: Workspace['store'],
  invitation: Invitation,
  name = hostname(),
): Promise<Credentials> {
  const shown = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '');
  if (shown === '' || shown.length > 64) {
    throw new UsageError(`no machine can be called \`${name}\``, { hint: '`--name mini-1`' });
  }
  const token = randomBytes(32).toString('base64url');
  const identity = { host: randomUUID(), token, name: shown };
  const { board } = await withConnection(invitation, LIMIT_MS, (query) =>
    joinBoard(query, invitation, identity),
  );
  const member = { ...invitation, ...identity, board };
  writeCredentials(home, member);
  return member;
}

/**
 * Shares what is verified in a project, also what was lately.
 *
 * @param wanted a remote; by default the one that all work goes to in the end, of a fork that it was made from.
 */
export async function shareProject(
  { store, projectId, place }: Workspace,
  git: Git,
  { member, wanted }: { readonly member: Credentials; readonly wanted: string | undefined },
  now: Date,
): Promise<TeamProject> {
  const refs = await refsAsTheyAre(git, []);
  const name = await remoteMeant(git, wanted ?? mainRemote(refs));
  const [url = name] = refs.setting(`remote.${name}.url`);
  const remote = plainAddress(refs.destinationOf(url, 'fetch'), place.root);
  const repo = repositoryId(keyOf(member), remote);
  const project = { projectId, board: member.board, repo, remote, syncedAt: null };
  store.write(() => {
    teamStore(store).put(project);
    outboxStore(store).addSince(projectId, new Date(now.getTime() - RECENT_MS));
  });
  return project;
}

/** Forgets the team on this machine. @returns what was not sent, and why the board does not know that it left. */
export async function leaveTeam(store: Workspace['store']) {
  const unsent = outboxStore(store).waiting() ?? 0;
  let untold: string | undefined;
  try {
    const member = readCredentials(store.home);
    if (member) await withBoard(member, LIMIT_MS, (board) => board.leave());
  } catch (error) {
    untold = explained(error).message;
  }
  store.write(() => {
    teamStore(store).removeAll();
    outboxStore(store).removeAll();
  });
  forgetCredentials(store.home);
  return { unsent, ...(untold !== undefined && { untold }) };
}
