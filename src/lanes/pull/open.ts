/** Opens pull requests for lanes and for the integration of a run; run again, it brings them up to date. */
import { ExplainedError, UsageError } from '../../base/errors.ts';
import { makePrivateFolder } from '../../base/files/private-folder.ts';
import { isAncestor, refAt } from '../../base/git/plumbing.ts';
import { type HeldLock, takeLock } from '../../base/process/held-lock.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import { integrationStore } from '../../store/integrations.ts';
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
import { laneBody, laneTitle, runBody, runTitle } from './body.ts';
import { type Forge, ForgeError, type FoundPull } from './forge.ts';
import { pushBranch } from './push.ts';
import { asksAlone, settleQuestions } from './questions.ts';

export interface OpenedPull extends Readonly<Record<'url' | 'branch' | 'base', string>> {
  /** `null`: all that is integrated. */
  readonly lane: string | null;
  readonly number: number;
  readonly draft: boolean;
  readonly outcome: 'opened' | 'updated';
}

export type PullReport =
  | { readonly verdict: 'opened'; readonly run: string; readonly pulls: readonly OpenedPull[] }
  | {
      readonly verdict: 'held';
      readonly run: string;
      readonly pulls: readonly OpenedPull[];
      readonly branch: string;
      readonly why: string;
    };

interface Opening {
  readonly context: LaneContext;
  readonly run: Run;
  readonly forge: Forge;
  readonly address: ForgeAddress;
  /** Whether reviewers are asked at once. */
  readonly ready: boolean;
  readonly by: string;
  readonly pulls: OpenedPull[];
}

interface OpenWish {
  /** A lane; without one the integration. */
  readonly lane: string | undefined;
  readonly ready: boolean;
  readonly by: string;
}

/** @throws {ExplainedError} that says what to do first. */
export async function openPulls(
  context: LaneContext,
  run: Run,
  { lane, ready, by }: OpenWish,
): Promise<PullReport> {
  if (run.intent !== 'active' && run.intent !== 'paused') {
    throw new ExplainedError(`run ${run.name} is ${run.intent}`, {
      hint: `its branches are there: \`git push\` one, then open a pull request by hand`,
    });
  }
  const due = lane === undefined ? undefined : withNeeds(context, run, lane);
  for (const it of due ?? []) assertOpenable(context, run, it, ready);
  const address = await forgeAddress(gitOfRun(context, run));
  const lock = takeOpening(context, run);
  try {
    const forge = await forgeOf({ address, cwd: run.repository, env: context.env });
    const opening: Opening = { context, run, forge, address, ready, by, pulls: [] };
    const work =
      due === undefined ? [await wholeRun(opening)] : due.map((it) => laneWish(opening, it));
    for (const wish of work) {
      const held = await openOne(opening, typeof wish === 'function' ? wish() : wish);
      if (held !== undefined) {
        return { verdict: 'held', run: run.name, pulls: opening.pulls, ...held };
      }
    }
    return { verdict: 'opened', run: run.name, pulls: opening.pulls };
  } finally {
    lock.release();
  }
}

function takeOpening({ store }: LaneContext, run: Run): HeldLock {
  makePrivateFolder(locksOf(store.home));
  const lock = takeLock(pullLock(store.home, run, 'opening'));
  if (lock !== undefined) return lock;
  throw new ExplainedError(`pull requests of ${run.name} are being opened just now`, {
    hint: 'run it again when that has ended',
  });
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

/** Made once the ones before it are open: they are named in it. */
function laneWish({ context, run }: Opening, lane: LaneView): () => PullWish {
  return () => {
    const { store } = context;
    const needed = lane.spec.needs.flatMap((key) => {
      const pull = pullRequestStore(store).ofLane(findLane(store, run, key).id);
      return pull?.state === 'open' ? [pull] : [];
    });
    const [first, ...others] = needed;
    const base =
      first !== undefined && others.length === 0 ? first.branch : shortRef(run.targetRef);
    const beside = needed.map(({ number }) => `Builds on #${number}, which comes first.`);
    return {
      ...{ lane, branch: lane.branch, base, sha: lane.headSha ?? '' },
      ...{ title: laneTitle(lane), body: laneBody(store, lane, beside) },
    };
  };
}

async function wholeRun({ context, run }: Opening): Promise<PullWish> {
  const git = gitOfRun(context, run);
  const tip = await refAt(git, run.integrationRef);
  const integrate = `\`lanehold orchestrate integrate --run ${run.name}\``;
  const lanes = tip === undefined ? [] : await lanesIn(context, run, tip);
  if (tip === undefined || lanes.length === 0) {
    throw new UsageError('no lane is integrated that has not landed', { hint: `run ${integrate}` });
  }
  if (!isTipValidated(context, run, tip)) {
    const fact = 'the tip of the integration is not what was validated';
    throw new UsageError(fact, { hint: `${integrate} validates it` });
  }
  const branch = `lanehold/${run.name}/integration`;
  const text = { title: runTitle(run), body: runBody(context.store, run, lanes) };
  return { lane: undefined, branch, base: shortRef(run.targetRef), sha: tip, ...text };
}

/** The lanes that are integrated in a commit and have not landed. */
export async function lanesIn(context: LaneContext, run: Run, tip: string): Promise<LaneView[]> {
  const { store } = context;
  const git = gitOfRun(context, run);
  const inside: LaneView[] = [];
  for (const { state, resultSha, laneId } of integrationStore(store).ofRun(run.id)) {
    const lane = state === 'integrated' ? laneStore(store).byId(laneId) : undefined;
    if (lane && resultSha !== null && (await isAncestor(git, resultSha, tip))) inside.push(lane);
  }
  return inside;
}

/** @returns why it was held, if it was. */
async function openOne(opening: Opening, wish: PullWish) {
  const { context, run, forge, address } = opening;
  const { branch, sha, lane } = wish;
  const pulls = pullRequestStore(context.store);
  const known = pulls.openOf(run.id).find(({ laneId }) => laneId === (lane?.id ?? null));
  const { remote } = address;
  const pushed = await pushBranch(context, run, { remote, branch, sha, last: known?.headSha });
  if (pushed.kind === 'held') return { branch, why: pushed.denial };
  if (pushed.kind === 'moved') throw movedError(branch, address, pushed.to);
  const before = await forge.find(branch);
  const found = before ?? (await created(opening, wish));
  if (before?.draft && opening.ready) await forge.markReady(before.number);
  const draft = found.draft && !opening.ready;
  keep(opening, wish, { ...found, draft }, known);
  const outcome = before === undefined ? 'opened' : 'updated';
  const { number, url, base } = found;
  opening.pulls.push({ lane: lane?.key ?? null, number, url, branch, base, draft, outcome });
  return undefined;
}

export function movedError(branch: string, { remote }: ForgeAddress, to: string): ExplainedError {
  const what = `${branch} at ${remote} has commits of somebody else (${to.slice(0, 12)})`;
  return new ForgeError(what, {
    hint: `nothing was overwritten; take them in: \`git fetch ${remote} ${branch}\`, or delete the branch there`,
  });
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
  { context, run, address, by }: Opening,
  { lane, branch, sha }: PullWish,
  { number, url, base }: FoundPull,
  known: PullRequest | undefined,
): void {
  const { store, now } = context;
  const pulls = pullRequestStore(store);
  store.write(() => {
    const pushed = { url, base, headSha: sha, feedback: [] };
    if (known?.number === number) pulls.change(known, { ...pushed, rounds: 0 });
    else {
      if (known !== undefined) pulls.change(known, { state: 'closed' });
      const of = { runId: run.id, laneId: lane?.id ?? null, forge: address, number, branch };
      const fresh = { state: 'open', rounds: 0, look: null, handled: [] } as const;
      pulls.add({ ...of, ...pushed, ...fresh, at: now() });
    }
    if (lane !== undefined) settleQuestions(context, lane.id, `it is pull request #${number} now`);
    const data = { number, url, sha };
    const event = { runId: run.id, laneId: lane?.id, type: 'pull.pushed', data, by };
    laneEventStore(store).add(event, now());
  });
}
