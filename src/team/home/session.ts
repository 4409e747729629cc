/** What the parts of an exchange share: the run, the remote of its repository, and the keys. */
import { ExplainedError } from '../../base/errors.ts';
import type { Git } from '../../base/git/git.ts';
import { orRefusal, RefusedError } from '../../evidence/envelope.ts';
import { gitOfRun, type LaneContext } from '../../lanes/spec/context.ts';
import type { Run } from '../../store/lanes.ts';
import { teamStore } from '../../store/team.ts';
import { memberOn } from '../credentials.ts';
import { openPayload, type Payload, type Place } from '../payload.ts';
import { withKeys } from '../reader.ts';
import { remoteAt } from '../refs.ts';
import { teamSettings } from '../settings.ts';

export type Session = Awaited<ReturnType<typeof sessionIn>>;

export interface Exchange extends Session {
  readonly run: Run;
}

/** @throws {ExplainedError} if this machine or the project is in no team. */
export async function sessionIn(context: LaneContext, projectId: number, git: Git) {
  const { store } = context;
  const member = memberOn(store.home);
  const project = teamStore(store).ofProject(projectId);
  if (project === undefined) {
    const hint = '`lanehold team connect` in it';
    throw new ExplainedError('this project is not shared with the team', { code: 'NO_TEAM', hint });
  }
  const remote = await remoteAt(git, project.remote);
  const settings = teamSettings(store.home);
  return {
    context,
    member,
    project,
    remote,
    settings,
    /** Signs and encrypts. @throws {ExplainedError} */
    seal: (body: Payload) => withKeys(context, member, remote, ({ seal }) => seal(body)),
    /** Reads what any known signer has signed for a place. @throws {RefusedError} */
    open: <P extends Place>(place: P, sealed: Buffer) =>
      withKeys(context, member, remote, async ({ reader }) => {
        const read = await orRefusal(() => openPayload(place, sealed, reader));
        if (!(read instanceof RefusedError)) return read.payload;
        // Without the list nothing is said about the work; it can be read once it is there.
        throw reader.signers.kind === 'none' ? new ExplainedError(read.message) : read;
      }),
  };
}

export const exchangeOf = async (context: LaneContext, run: Run): Promise<Exchange> => ({
  ...(await sessionIn(context, run.projectId, gitOfRun(context, run))),
  run,
});
