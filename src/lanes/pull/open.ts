/** Opens pull requests for lanes and for the integration of a run; run again, it brings them up to date. */
import { actorOf } from '../../agents/actor.ts';
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { isAncestor, refAt } from '../../base/git/plumbing.ts';
import { takeLock } from '../../base/process/held-lock.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneState, type LaneView, laneStore } from '../../store/lanes.ts';
import {
  type ForgeAddress,
  type PullRequest,
  pullRequestStore,
} from '../../store/pull-requests.ts';
import type { Run } from '../../store/runs.ts';
import { isTipValidated } from '../fit/validate-merge.ts';
import type { LaneContext } from '../spec/context.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { findLane } from '../spec/names.ts';
import { locksOf, pullLock } from '../spec/paths.ts';
import { gitOfRun } from '../spec/repository.ts';
import { forgeAddress, forgeOf } from './address.ts';
import { goalBlock, pullBody, pullTitle } from './body.ts';
import { type Forge, ForgeError, type FoundPull } from './forge.ts';
import { HeldPushError, pushBranch } from './push.ts';
import { asksAlone, settleQuestions } from './questions.ts';

export interface OpenedPull extends Readonly<Record<'url' | 'branch' | 'base', string>> {
  /** `null`: all that is integrated. */
  readonly lane: string | null;
  readonly number: number;
  readonly draft: boolean;
  readonly outcome: 'opened' | 'updated';
}

/** `why`: the denial of the gate, where one was held; those before it are open. */
export interface PullReport {
  readonly verdict: 'opened' | 'held';
  readonly run: string;
  readonly pulls: readonly OpenedPull[];
  readonly why: string | null;
}

interface OpenWish {
  /** A lane; without one the integration. */
  readonly lane: string | undefined;
  /** Whether reviewers are asked at once. */
  readonly ready: boolean;
}

interface Opening extends Omit<OpenWish, 'lane'> {
  readonly context: LaneContext;
  readonly run: Run;
  readonly forge: Forge;
  readonly address: ForgeAddress;
}

/** @throws {ExplainedError} that says what to do first. */
export async function openPulls(
  context: LaneContext,
  run: Run,
  { lane, ready }: OpenWish,
): Promise<PullReport> {
  if (run.intent !== 'active' && run.intent !== 'paused') {
    throw new ExplainedError(`run ${run.name} is ${run.intent}`, {
      hint: 'its branches are there: `git push` one, then open a pull request by hand',
    });
  }
  const due = lane === undefined ? [undefined] : withNeeds(context, run, lane);
  for (const it of due) if (it !== undefined) assertOpenable(context, run, it, ready);
  const address = await forgeAddress(gitOfRun(context, run));
  makePrivateFolder(locksOf(context.store.home));
  const lock = takeLock(pullLock(context.store.home, run, 'opening'));
  if (lock === undefined) {
    throw new ExplainedError(`pull requests of ${run.name} are being opened just now`, {
      hint: 'run it again when that has ended',
    });
  }
  const pulls: OpenedPull[] = [];
  const report = { run: run.name, pulls };
  try {
    const forge = await forgeOf({ address, cwd: run.repository, env: context.env });
    const opening = { context, run, forge, address, ready };
    for (const it of due) {
      const wish = it === undefined ? await wholeRun(opening) : laneWish(opening, it);
      pulls.push(await openOne(opening, wish));
    }
    return { verdict: 'opened', ...report, why: null };
  } catch (error) {
    if (!(error instanceof HeldPushError)) throw error;
    return { verdict: 'held', ...report, why: error.message };
  } finally {
    lock.release();
  }
}

/** The lane after those that it starts from and that have not landed: each is the base of the next. */
function withNeeds({ store }: LaneContext, run: Run, key: string): LaneView[] {
  const found = new Map<string, LaneView>();
  const visit = (name: string): void => {
    const lane = findLane(store, run, name);
    if (found.has(lane.key) || (lane.state === 'landed' && name !== key)) return;
    for (const need of lane.spec.needs) visit(need);
    found.set(lane.key, lane);
  };
  visit(key);
  return [...found.values()];
}

/** Verified for itself, whether or not it fits with others. */
export const isProven = (state: LaneState): boolean =>
  is('passed', state) || state === 'integrated';

/** Where only its pull request is asked about, opening it again is the answer. */
function isOpenable({ store }: LaneContext, { id, state, validationId }: LaneView): boolean {
  if (state !== 'asks') return isProven(state);
  const verdict = laneValidationStore(store).byId(validationId ?? '');
  return verdict?.result === 'pass' && asksAlone({ store }, id);
}

/** @throws {UsageError} */
function assertOpenable(context: LaneContext, run: Run, lane: LaneView, ready: boolean): void {
  const { key, state } = lane;
  if (!isOpenable(context, lane)) {
    throw new UsageError(`lane \`${key}\` is not verified: it is ${state}`, {
      hint: `see what it needs: \`lanehold orchestrate status --run ${run.name}\``,
    });
  }
  if (ready && isToBeLookedAt(context.store, lane)) {
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
  const tip = await refAt(git, run.integrationRef);
  const integrate = `\`lanehold orchestrate integrate --run ${run.name}\``;
  const inside = tip === undefined ? [] : await lanesIn(context, run, tip);
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

export interface IntegratedLane {
  readonly lane: LaneView;
  readonly row: Integration;
}

/** The lanes that are integrated in a commit and have not landed. */
export async function lanesIn(
  context: LaneContext,
  run: Run,
  tip: string,
): Promise<IntegratedLane[]> {
  const { store } = context;
  const git = gitOfRun(context, run);
  const inside: IntegratedLane[] = [];
  for (const row of integrationStore(store).ofRun(run.id)) {
    const lane = row.state === 'integrated' ? laneStore(store).byId(row.laneId) : undefined;
    const isIn = row.resultSha !== null && (await isAncestor(git, row.resultSha, tip));
    if (lane !== undefined && isIn) inside.push({ lane, row });
  }
  return inside;
}

async function openOne(opening: Opening, wish: PullWish): Promise<OpenedPull> {
  const { context, run, forge, address, ready } = opening;
  const { branch, sha, lane } = wish;
  const pulls = pullRequestStore(context.store);
  const known = pulls.openOf(run.id).find(({ laneId }) => laneId === (lane?.id ?? null));
  await pushBranch(context, run, { remote: address.remote, branch, sha, last: known?.headSha });
  const before = await forge.find(branch);
  const found = before ?? (await created(opening, wish));
  if (before?.draft && ready) await forge.markReady(before.number);
  keep(opening, wish, found, known);
  const { number, url, base } = found;
  const outcome = before === undefined ? 'opened' : 'updated';
  const draft = found.draft && !ready;
  return { lane: lane?.key ?? null, number, url, branch, base, draft, outcome };
}

/** The answer may be lost after the pull request was made: what is there counts, not what was said. */
async function created({ forge, ready }: Opening, wish: PullWish): Promise<FoundPull> {
  const failure = await forge.create({ ...wish, draft: !ready }).then(
    () => undefined,
    (error: unknown) => error,
  );
  const found = await forge.find(wish.branch);
  if (found !== undefined) return found;
  throw (
    failure ??
    new ForgeError(`no pull request of ${wish.branch} is there, although it was made`, {
      hint: 'run it again in a moment',
    })
  );
}

function keep(
  { context, run, address }: Opening,
  { lane, branch, sha }: PullWish,
  { number, url, base }: FoundPull,
  known: PullRequest | undefined,
): void {
  const { store, now } = context;
  const pulls = pullRequestStore(store);
  store.write(() => {
    const pushed = { url, base, headSha: sha, feedback: [] };
    if (known?.number === number) pulls.change(known, { ...pushed, rounds: 0, problem: null });
    else {
      if (known !== undefined) pulls.change(known, { state: 'closed' });
      const of = { runId: run.id, laneId: lane?.id ?? null, forge: address, number, branch };
      const fresh = { state: 'open', rounds: 0, look: null, problem: null } as const;
      pulls.add({ ...of, ...pushed, ...fresh, landed: null, handled: [], at: now() });
    }
    if (lane !== undefined) settleQuestions(context, lane.id, `it is pull request #${number} now`);
    const data = { number, url, sha };
    const by = actorOf(context).name;
    const event = { runId: run.id, laneId: lane?.id, type: 'pull.pushed', data, by };
    laneEventStore(store).add(event, now());
  });
}
