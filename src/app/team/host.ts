/** Lends this machine to its team, and takes it back. */

import { hostname } from 'node:os';
import { definedOnly } from '../../base/environment.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { homeOf } from '../../base/files/home.ts';
import { teamClaimStore } from '../../store/team-claims.ts';
import { withBoard } from '../../team/board/board.ts';
import { withConnection } from '../../team/board/connection.ts';
import { checkedUrl, memberOn, readMember } from '../../team/credentials.ts';
import {
  isLending,
  type LendWish,
  lendHere,
  logOf,
  startLending,
  stopLending,
} from '../../team/host/daemon.ts';
import { type AppContext, openProject } from '../context.ts';
import { connectTeam, joinTeam, LIMIT_MS, orProblem } from '../hold/team.ts';

export interface LendingWish extends LendWish {
  readonly name?: string | undefined;
  readonly where: 'background' | 'here';
}

/** A job of CI has the address in its environment, and nothing else. */
async function joinAsJob(context: AppContext, address: string, name: string): Promise<void> {
  const { git, store } = await openProject(context);
  if (git === undefined) await joinTeam(store, address, name);
  else await connectTeam(context, { name }, async () => '');
}

/** @param words after the program's name, for a process of its own. */
export async function startHost(context: AppContext, wish: LendingWish, words: readonly string[]) {
  const { env } = context;
  const home = homeOf(env);
  const { LANEHOLD_TEAM_URL: address } = env;
  if (readMember(home) === undefined && address !== undefined)
    await joinAsJob(context, address, wish.name ?? hostname());
  const { name } = memberOn(home);
  // No worker gets the address, whatever starts it.
  const own = Object.entries(definedOnly(env)).filter(([it]) => !it.startsWith('LANEHOLD_TEAM_'));
  const clean = Object.fromEntries(own);
  if (wish.where === 'here') {
    for (const it of Object.keys(process.env)) if (!(it in clean)) delete process.env[it];
    const store = await context.store();
    await lendHere({ store, env: clean, now: context.now }, wish, context.progress);
    // Else the team would have a machine for each job that ever was.
    if (address && wish.idleMs !== undefined)
      await orProblem(withBoard(memberOn(home), LIMIT_MS, (board) => board.leave()));
    return { name, pid: null, log: logOf(home) };
  }
  const program = context.invocation?.program ?? process.argv[1] ?? '';
  const pid = await startLending(home, clean, program, words);
  return { name, pid, log: logOf(home) };
}

export async function stopHost(context: AppContext, how: 'drain' | 'now') {
  const home = homeOf(context.env);
  const { name } = memberOn(home);
  if (isLending(home) && teamClaimStore(await context.store()).open().length > 0)
    context.progress(
      how === 'drain' ? 'waiting for what it holds …' : 'giving back what it holds …',
    );
  if (await stopLending(home, how)) return { name };
  throw new ExplainedError('this machine is not lent', {
    code: 'NOT_LENT',
    hint: '`lanehold team host start` lends it',
  });
}

/** Removes a machine for good, with the address of the board's owner. */
export async function removeHost({ env }: AppContext, name: string) {
  const owner = checkedUrl(env.LANEHOLD_TEAM_URL ?? '', 'owner');
  const sql = 'SELECT lanehold.remove_host($1)::int AS it';
  const [row] = await withConnection(owner, LIMIT_MS, (query) => query(sql, [name]));
  if (Object(row).it === 1) return { name };
  throw new UsageError(`the team has no machine named ${JSON.stringify(name)}`, {
    hint: '`lanehold team status` lists them',
  });
}
