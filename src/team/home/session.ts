/** What the parts of an exchange share: the run's repository, its remote, and the keys. */
import { configuredSigner, withScratch } from '../../evidence/signing.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import type { Run } from '../../store/lanes.ts';
import type { Board } from '../board/board.ts';
import { keyOf } from '../credentials.ts';
import type { Team } from '../exchange.ts';
import { openPayload, type Payload, sealPayload } from '../payload.ts';
import { signersOfTeam } from '../reader.ts';
import { type Remote, remoteAt } from '../refs.ts';
import { teamSettings } from '../settings.ts';

/** What the parts of an exchange share. */
export interface Exchange extends Pick<Team, 'member' | 'project'> {
  readonly context: LaneContext;
  readonly remote: Remote;
  /** The folder of refs, as `team.refs` names it. */
  readonly refs: string;
  readonly hosts: Awaited<ReturnType<Board['status']>>['hosts'];
  readonly nameOf: (host: string | null) => string;
  /** Signs and encrypts. @throws {ExplainedError} */
  readonly seal: (payload: Body) => Promise<Buffer>;
  /** @throws {RefusedError} */
  readonly open: (place: ResultPlace, sealed: Buffer) => Promise<Payload<'result'>>;
}

type ResultPlace = Pick<
  Payload<'result'>,
  'kind' | 'repo' | 'run' | 'lane' | 'rev' | 'epoch' | 'host'
>;

/** A payload without what all of a project have. */
type Body = {
  [K in 'run' | 'offer']: Omit<Payload<K>, 'v' | 'at' | 'repo'>;
}['run' | 'offer'];

export type News = Awaited<ReturnType<Board['news']>>['rows'][number];

export async function exchangeOf(
  context: LaneContext,
  { member, project }: Team,
  run: Run,
  hosts: Exchange['hosts'],
): Promise<Exchange> {
  const { store, env, now } = context;
  const names = new Map(hosts.map(({ id, name }) => [id, name]));
  const git = gitOfRun(context, run);
  const remote = await remoteAt(git, project.remote);
  const key = keyOf(member);
  return {
    context,
    member,
    project,
    remote,
    refs: teamSettings(store.home).refs,
    seal: (body) =>
      withScratch(env, async (scratch) => {
        const signer = await configuredSigner(git, git.directory, scratch);
        const payload = { v: 1, at: now().getTime(), repo: project.repo, ...body } as Payload;
        return sealPayload(payload, { key, signer, scratch });
      }),
    open: (place, sealed) =>
      withScratch(env, async (scratch) => {
        const signers = await signersOfTeam(teamSettings(store.home).signers, remote);
        const reader = { key, signers, from: ['*'], now: now(), scratch };
        return (await openPayload(place, sealed, reader)).payload;
      }),
    hosts,
    nameOf: (host) => names.get(host ?? '') ?? 'a machine that left',
  };
}
