/** Runs the validation of a lane on exactly its commit, and ends the attempt by its result. */
import type { Validation } from '../../store/lane-validations.ts';
import { laneStore } from '../../store/lanes.ts';
import { sessionTaskStore } from '../../store/session-tasks.ts';
import { commandOf } from '../judge/clean-run.ts';
import { validateCommit } from '../judge/validate-commit.ts';
import { acceptFlags, COULD_NOT_RUN, flagText, TESTS_REMOVED } from '../spec/flags.ts';
import { judgedSpecHash } from '../spec/spec.ts';
import { type Ending, finish } from './finish.ts';
import { placeOf, planOf, type Supervision } from './supervision.ts';

export async function validate(it: Supervision): Promise<void> {
  const { store, now } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const sha = attempt.endSha;
  const command = commandOf(lane);
  if (sha === null || command === undefined) {
    return finish(it, { reason: 'rejected', cause: 'validation', detail: 'the lane has none' });
  }
  const { settings } = await planOf(it);
  const run = it.run();
  const { setupHash, priority, spec } = lane;
  const validation = await validateCommit(it.context, {
    subject: 'lane',
    laneId: lane.id,
    attemptId: it.attemptId,
    run,
    sha,
    base: lane.baseSha ?? run.baseSha,
    command,
    setupHash,
    dir: attempt.dir,
    place: placeOf(it),
    settings,
    priority,
    specHash: judgedSpecHash(
      attempt.specHash,
      spec,
      laneStore(store)
        .revisions(lane.id)
        .map((it) => it.spec),
    ),
    removesTests: spec.removesTests,
    changesBehaviour: spec.changesBehaviour,
    worktree: attempt.worktree,
    signal: it.stopped.signal,
    tell: (endDetail) => it.note({ endDetail }),
  });
  it.flag(...validation.flags, ...unfinishedTasks(it));
  const view = laneStore(store).byId(lane.id);
  const { accept: kinds } = settings;
  if (view !== undefined) acceptFlags(store, view, { by: 'lanes.accept', kinds, now: now() });
  finish(it, endingOf(validation));
}

function unfinishedTasks(it: Supervision): string[] {
  const { sessionId, kind } = it.attempt();
  if (sessionId === null || kind === 'validate') return [];
  const lists = sessionTaskStore(it.context.store).ofSessions(it.run().projectId, [sessionId]);
  const titles = lists
    .flatMap(({ tasks }) => tasks)
    .filter(({ status }) => status === 'pending' || status === 'in_progress')
    .map(({ title }) => title);
  return titles.length === 0 ? [] : [flagText('unfinished-tasks', titles)];
}

/** The ending after a validation. One that could not run is no verdict: no worker could repair that. */
function endingOf({ result, why, flags }: Validation): Ending {
  const cause = flags.includes(COULD_NOT_RUN) ? 'could-not-run' : 'validation';
  switch (result) {
    case 'pass':
      return { reason: 'verified', detail: why };
    case 'error':
      return { reason: 'crashed', cause, detail: why };
    case 'timeout':
      return { reason: 'timeout', cause, detail: why };
    case 'flaky':
      return { reason: 'rejected', cause: 'validation', detail: `flaky: ${why}` };
    case 'fail': {
      const cause = flags.includes(TESTS_REMOVED) ? 'tests-removed' : 'validation';
      return { reason: 'rejected', cause, detail: why };
    }
  }
}
