/** Opens pull requests for lanes and for the integration of a run; run again, it brings them up to date. */
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneState, LaneView } from '../../store/lanes.ts';
import {
  type ForgeAddress,
  type PullRequest,
  pullRequestStore,
} from '../../store/pull-requests.ts';
import type { Run } from '../../store/runs.ts';
import { integratedIn, isTipValidated } from '../fit/validate-merge.ts';
import type { LaneContext } from '../spec/context.ts';
import { assertOpen, assertVerified } from '../spec/edit.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { findLane } from '../spec/names.ts';
import { gitOfRun } from '../spec/repository.ts';
import { withNeeds } from '../stand/dependencies.ts';
import { tipOf } from '../stand/tip.ts';
import { forgeAddress, forgeOf } from './address.ts';
import { goalBlock, pullBody, pullTitle } from './body.ts';
import { type Forge, ForgeError, type FoundPull } from './forge.ts';
import { HeldPushError, pushBranch } from './push.ts';
import { asksAlone, settleQuestions } from './records.ts';

/** `why`: the denial of the gate, where one was held; those before it are open. */
export interface PullReport {
  readonly verdict: 'opened' | 'held';
  readonly run: string;
  readonly pulls: readonly OpenedPull[];
  readonly why: string | null;
}

interface Opening {
  readonly context: LaneContext;
  readonly run: Run;
  readonly forge: Forge;
  readonly address: ForgeAddress;
  /** Whether reviewers are asked at once. */
  readonly ready: boolean;
}

/**
 * @param wish `lane`: its key; without one all that is integrated.
 * @throws {ExplainedError} that says what to do first.
 */
export async function openPulls(
  context: LaneContext,
  run: Run,
  { lane, ready }: Pick<Opening, 'ready'> & { readonly lane: string | undefined },
): Promise<PullReport> {
  assertOpen(run);
  const due = lane === undefined ? [undefined] : stackOf(context, run, lane);
  for (const it of due) if (it !== undefined) assertOpenable(context, run, it, ready);
  const address = await forgeAddress(gitOfRun(context, run));
  const pulls: OpenedPull[] = [];
  const report = { run: run.name, pulls };
  const forge = await forgeOf({ address, cwd: run.repository, env: context.env });
  const opening = { context, run, forge, address, ready };
  try {
    for (const it of due) {
      const wish = it === undefined ? await wholeRun(opening) : laneWish(opening, it);
      pulls.push(await openOne(opening, wish));
    }
    return { verdict: 'opened', ...report, why: null };
  } catch (error) {
    if (!(error instanceof HeldPushError)) throw error;
    return { verdict: 'held', ...report, why: error.message };
  }
}

/** The lane after those that it starts from and that have not landed: each is the base of the next. */
function stackOf({ store }: LaneContext, run: Run, key: string): LaneView[] {
  const lane = findLane(store, run, key);
  return withNeeds(store, run, [lane]).filter(
    ({ id, state }) => state !== 'landed' || id === lane.id,
  );
}

/** Verified for itself, whether or not it fits with others. */
export const isProven = (state: LaneState): boolean =>
  is('passed', state) || state === 'integrated';

/** @throws {UsageError} */
function assertOpenable({ store }: LaneContext, run: Run, lane: LaneView, ready: boolean): void {
  const { id, key, state, validationId } = lane;
  const verdict = laneValidationStore(store).byId(validationId ?? '');
  // Where only its pull request is asked about, opening it again is the answer.
  const isAnswer = state === 'asks' && verdict?.result === 'pass' && asksAlone(store, id);
  if (!isAnswer && !isProven(state)) assertVerified(run, lane);
  if (ready && isToBeLookedAt(store, lane)) {
    throw new UsageError(`lane \`${key}\` has flags that somebody has to look at first`, {
      hint: `open it as a draft, without --ready; or look, then \`lanehold orchestrate integrate --accept ${key} --run ${run.name}\``,
    });
  }
}

interface PullWish extends Readonly<Record<'branch' | 'base' | 'sha' | 'title' | 'body', string>> {
  readonly lane: LaneView | undefined;
}

/** Those before it are open already, and are named in it. */
function laneWish({ context: { store }, run }: Opening, lane: LaneView): PullWish {
  const needed = lane.spec.needs.flatMap((key) => {
    const pull = pullRequestStore(store).ofLane(findLane(store, run, key).id);
    return pull?.state === 'open' ? [pull] : [];
  });
  const [first, second] = needed;
  const base = first === undefined || second ? shortRef(run.targetRef) : first.branch;
  const beside = needed.map(({ number }) => `Builds on #${number}, which comes first.`);
  return {
    ...{ lane, branch: lane.branch, base, sha: lane.headSha ?? '' },
    title: pullTitle(`${lane.key}: ${lane.spec.desc}`),
    body: pullBody(store, [lane], beside),
  };
}

async function wholeRun({ context, run }: Opening): Promise<PullWish> {
  const git = gitOfRun(context, run);
  const { tip } = await tipOf(context, run, git);
  const integrate = `\`lanehold orchestrate integrate --run ${run.name}\``;
  const inside = tip === undefined ? [] : await integratedIn(context, run, tip);
  const lanes = inside.map(({ lane }) => lane);
  if (tip === undefined || lanes.length === 0) {
    throw new UsageError('no lane is integrated that has not landed', { hint: `run ${integrate}` });
  }
  if (!isTipValidated(context, run, tip)) {
    const fact = 'the tip of the integration is not what was validated';
    throw new UsageError(fact, { hint: `${integrate} validates it` });
  }
  const branch = `lanehold/${run.name}/integration`;
  const body = pullBody(context.store, lanes, [goalBlock(run.goal)]);
  const wish = { lane: undefined, branch, base: shortRef(run.targetRef), sha: tip };
  return { ...wish, title: pullTitle(run.goal), body };
}

async function openOne(opening: Opening, wish: PullWish) {
  const { context, run, forge, address, ready } = opening;
  const { branch, sha, lane } = wish;
  const known = knownOf(opening, wish);
  await pushBranch(context, run, { remote: address.remote, branch, sha, last: known?.headSha });
  const before = await forge.find(branch);
  // The answer may be lost after it was made: what is there counts, not what was said.
  const failure: unknown =
    before === undefined && (await forge.create({ ...wish, draft: !ready }).catch((it) => it));
  const found = before ?? (await forge.find(branch));
  if (found === undefined) {
    const hint = 'run it again in a moment';
    throw failure || new ForgeError(`no pull request of ${branch} is there`, { hint });
  }
  if (before?.draft && ready) await forge.markReady(before.number);
  context.store.write(() => keep(opening, wish, found));
  const { number, url, base } = found;
  const outcome: 'opened' | 'updated' = before === undefined ? 'opened' : 'updated';
  const draft = found.draft && !ready;
  // Without a lane it has all that is integrated.
  return { lane: lane?.key ?? null, number, url, branch, base, draft, outcome };
}

type OpenedPull = Awaited<ReturnType<typeof openOne>>;

const knownOf = ({ context, run }: Opening, { lane }: PullWish): PullRequest | undefined =>
  pullRequestStore(context.store)
    .openOf(run.id)
    .find(({ laneId }) => laneId === (lane?.id ?? null));

/** Call it in a transaction: another process may have opened the same. */
function keep(opening: Opening, wish: PullWish, { number, url, base }: FoundPull): void {
  const { context, run, address } = opening;
  const { lane, branch, sha } = wish;
  const { add, change } = pullRequestStore(context.store);
  const known = knownOf(opening, wish);
  const pushed = { url, base, headSha: sha, feedback: [], rounds: 0, problem: null };
  const isKnown = known?.number === number;
  if (known !== undefined) change(known, isKnown ? pushed : { state: 'closed' });
  const of = { runId: run.id, laneId: lane?.id ?? null, forge: address, number, branch };
  const fresh = { state: 'open', look: null, landed: null, handled: [] } as const;
  if (!isKnown) add({ ...of, ...pushed, ...fresh, at: context.now() });
  if (lane !== undefined) settleQuestions(context, lane.id, `it is pull request #${number} now`);
  const by = actorOf(context).name;
  const data = { number, url, sha };
  const event = { runId: run.id, laneId: lane?.id, type: 'pull.pushed', data, by };
  laneEventStore(context.store).add(event, context.now());
}
