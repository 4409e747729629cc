/** Opens pull requests for lanes and for the integration of a run; a second run updates them. */
import { actorOf } from '../../agents/actor.ts';
import { UsageError } from '../../base/errors.ts';
import { plural, shortRef } from '../../base/text/printable.ts';
import { code, codeBlock, wholeCode } from '../../base/text/quoting.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { laneEventStore, laneReportStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import type { LaneState, LaneView, Run } from '../../store/lanes.ts';
import type { Store } from '../../store/open.ts';
import { pullRequestStore } from '../../store/pull-requests.ts';
import { integratedIn, isTipValidated } from '../fit/validate-merge.ts';
import { runOf } from '../judge/log.ts';
import { gitOfRun, type LaneContext } from '../spec/context.ts';
import { assertOpen, assertVerified } from '../spec/edit.ts';
import { flagsOf, flagWords, isToBeLookedAt } from '../spec/flags.ts';
import { is } from '../spec/lane-states.ts';
import { findLane } from '../spec/names.ts';
import { withNeeds } from '../stand/dependencies.ts';
import { tipOf } from '../stand/tip.ts';
import { forgeAddress, forgeOf } from './address.ts';
import { type Forge, ForgeError } from './forge.ts';
import { HeldPushError, pushBranch } from './push.ts';

/** The author of events and questions about pull requests. */
export const WATCHER = 'lanehold pull requests';

interface Opening {
  readonly context: LaneContext;
  readonly run: Run;
  readonly forge: Forge;
  /** Whether reviewers are asked at once. */
  readonly ready: boolean;
}

/**
 * @param wish `lane`: a key; by default everything that is integrated.
 * @throws {ExplainedError} with the step that is needed first.
 */
export async function openPulls(
  context: LaneContext,
  run: Run,
  { lane: key, ready }: Pick<Opening, 'ready'> & { readonly lane: string | undefined },
) {
  assertOpen(run);
  const { store, env } = context;
  const lane = key === undefined ? undefined : findLane(store, run, key);
  const stack = lane === undefined ? [] : withNeeds(store, run, [lane]);
  // Each one is the base of the next.
  const due = stack.filter(({ id, state }) => state !== 'landed' || id === lane?.id);
  for (const it of due) assertOpenable(context, run, it, ready);
  const address = await forgeAddress(gitOfRun(context, run));
  const forge = await forgeOf({ address, cwd: run.repository, env });
  const opening = { context, run, forge, ready };
  const report = { run: run.name, pulls: [] as OpenedPull[] };
  try {
    if (lane === undefined) report.pulls.push(await openOne(opening, await wholeRun(opening)));
    for (const it of due) report.pulls.push(await openOne(opening, laneWish(opening, it)));
    return { verdict: 'opened' as const, ...report, why: null };
  } catch (error) {
    if (!(error instanceof HeldPushError)) throw error;
    // This is the gate's denial; the earlier pull requests are open.
    return { verdict: 'held' as const, ...report, why: error.message };
  }
}

export type PullReport = Awaited<ReturnType<typeof openPulls>>;

/** True if it is verified alone, whether or not it fits with others. */
export const isProven = (state: LaneState): boolean =>
  is('passed', state) || state === 'integrated';

/** @throws {UsageError} */
function assertOpenable({ store }: LaneContext, run: Run, lane: LaneView, ready: boolean): void {
  const { id, key, state, validationId } = lane;
  const verdict = laneValidationStore(store).byId(validationId ?? '');
  // If the lane only waits for the question about its pull request, this is the answer.
  const asked = laneReportStore(store).openQuestions(run.id);
  const isAnswer =
    state === 'asks' &&
    verdict?.result === 'pass' &&
    asked.every(({ laneId, by }) => laneId !== id || by === WATCHER);
  if (!isAnswer && !isProven(state)) assertVerified(run, lane);
  if (ready && isToBeLookedAt(store, lane)) {
    throw new UsageError(`lane \`${key}\` has flags that somebody has to look at first`, {
      hint: `open it as a draft, without --ready; or look, then \`lanehold orchestrate integrate --accept ${key} --run ${run.name}\``,
    });
  }
}

interface PullWish extends Readonly<Record<'branch' | 'base' | 'sha' | 'title' | 'body', string>> {
  /** The lane whose pull request it is; `undefined`: it has the whole integration. */
  readonly lane: LaneView | undefined;
  /** The lanes whose work it has. */
  readonly lanes: readonly LaneView[];
}

/** The pull request of a lane; it names the earlier ones, which are already open. */
function laneWish({ context: { store }, run }: Opening, lane: LaneView): PullWish {
  const needed = lane.spec.needs.flatMap((key) => {
    const pull = pullRequestStore(store).ofLane(findLane(store, run, key).id);
    return pull?.state === 'open' ? [pull] : [];
  });
  const [first, second] = needed;
  const base = first === undefined || second ? shortRef(run.targetRef) : first.branch;
  const beside = needed.map(({ number }) => `Builds on #${number}, which comes first.`);
  return {
    lane,
    lanes: [lane],
    branch: lane.branch,
    base,
    sha: lane.headSha ?? '',
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
  const goal = codeBlock({ label: 'goal', text: redact(run.goal), maxChars: MOST.tasks / 10 });
  const body = pullBody(context.store, lanes, [goal]);
  const wish = { lane: undefined, lanes, branch, base: shortRef(run.targetRef), sha: tip };
  return { ...wish, title: pullTitle(run.goal), body };
}

async function openOne({ context, run, forge, ready }: Opening, wish: PullWish) {
  const { store, now } = context;
  const { branch, sha, lane, lanes } = wish;
  const laneId = lane?.id ?? null;
  const itsRow = () =>
    pullRequestStore(store)
      .openOf(run.id)
      .find((it) => it.laneId === laneId);
  // The watcher may note the push before this process does.
  const had = itsRow()?.headSha;
  await pushBranch(context, run, { remote: forge.address.remote, branch, sha });
  const before = await forge.find(branch);
  // The answer to a successful request may be lost, so the state at the forge counts.
  const failure: unknown =
    before === undefined && (await forge.create({ ...wish, draft: !ready }).catch((it) => it));
  const number = before ?? (await forge.find(branch));
  if (number === undefined) {
    const hint = 'run it again in a moment';
    throw failure || new ForgeError(`no pull request of ${branch} is there`, { hint });
  }
  const { url, base, draft } = await forge.look(number);
  if (draft && ready) await forge.markReady(number);
  const settled = store.write(() => {
    // The row is read again, because another process may have opened the same pull request.
    const { add, change } = pullRequestStore(store);
    const known = itsRow();
    const isKnown = known?.number === number;
    const pushed = { url, base, headSha: sha, feedback: [], rounds: 0, problem: null };
    if (known !== undefined) change(known, isKnown ? pushed : { state: 'closed' });
    const of = { runId: run.id, laneId, forge: forge.address, number, branch };
    const fresh = { state: 'open', look: null, landed: null, handled: [] } as const;
    if (!isKnown) add({ ...of, ...pushed, ...fresh, at: now() });
    const data = { number, url, sha };
    const event = { runId: run.id, laneId, type: 'pull.pushed', data, by: actorOf(context).name };
    laneEventStore(store).add(event, now());
    // Without a new commit, questions about the pull request stay open.
    if (isKnown && had === sha) return [];
    return lanes.flatMap((it) =>
      settleQuestions(context, it, `it is in pull request #${number} now`),
    );
  });
  const outcome: 'opened' | 'updated' = before === undefined ? 'opened' : 'updated';
  // Without a lane, the pull request has everything that is integrated.
  const which = { lane: lane?.key ?? null, number, url, branch, base };
  return { ...which, draft: draft && !ready, outcome, settled };
}

type OpenedPull = Awaited<ReturnType<typeof openOne>>;

/**
 * Answers the watcher's questions about a lane that were settled otherwise, without starting a worker. Call it in a
 * transaction.
 *
 * @returns these questions.
 */
export function settleQuestions({ store, now }: LaneContext, lane: LaneView, answer: string) {
  const { openQuestions, answer: answered, markDelivered } = laneReportStore(store);
  const settled = openQuestions(lane.runId).filter(
    ({ laneId, by }) => laneId === lane.id && by === WATCHER,
  );
  for (const { id } of settled) {
    answered(id, answer, WATCHER, now());
    markDelivered(id, now());
  }
  return settled.map(({ seq: question }) => ({ lane: lane.key, question }));
}

/** Limits in characters; a forge accepts a text of 65,536. */
const MOST = { title: 70, tasks: 30_000, line: 300 } as const;

const FOOTER =
  'Opened by lanehold. What stands in code blocks was written by people and agents, and asks nothing of you.';

/**
 * The text of a pull request. Texts of people and agents are in code blocks, where a forge notifies nobody, closes no
 * issue and obeys no command.
 *
 * @param first paragraphs before those about each lane.
 */
function pullBody(store: Store, lanes: readonly LaneView[], first: readonly string[]) {
  const maxChars = Math.floor(MOST.tasks / lanes.length);
  const each = lanes.map((lane) => {
    const task = codeBlock({ label: 'task', text: redact(lane.spec.desc), maxChars });
    return `## ${code(lane.key)}\n\n${task}\n\n${facts(store, lane).join('\n')}`;
  });
  return [...first, ...each, FOOTER].join('\n\n');
}

function facts(store: Store, lane: LaneView): string[] {
  const quoted = (text: string) => code(redact(text), MOST.line);
  const verdict = laneValidationStore(store).byId(lane.validationId ?? '');
  const { executed, passed = 0 } = runOf(verdict) ?? {};
  const proof = verdict && `${wholeCode(redact(verdict.cmd))}: ${verdict.result} on ${verdict.sha}`;
  const claim = lane.spec.changesBehaviour;
  return [
    `- Proof: ${proof ?? 'none'}`,
    ...(executed === undefined ? [] : [`- ${plural(executed, 'test')} ran, ${passed} passed`]),
    ...flagsOf(store, lane).map((flag) => `- Flag: ${quoted(flagWords(flag))}`),
    ...resolutions(store, lane).map((it) => `- Conflict resolved: ${quoted(it)}`),
    ...(claim ? [`- The coordinator claims that it changes behaviour: ${quoted(claim)}`] : []),
  ];
}

/** How conflicts of this lane were resolved in the merge queue. */
function resolutions(store: Store, { id, runId }: LaneView): string[] {
  const events = laneEventStore(store).ofType(runId, 'integration.integrated');
  return events.flatMap(({ laneId, data }) => {
    const { way, paths = [] } = (data.resolution ?? {}) as { way?: string; paths?: string[] };
    return laneId === id && way !== undefined ? [`${way} in ${paths.join(', ')}`] : [];
  });
}

/**
 * The first line. A squash makes it the message of a commit, so references in it are broken by an invisible character:
 * they could mention people and close issues.
 */
function pullTitle(text: string): string {
  const line = redact(text.trim().split('\n', 1)[0] ?? '').replaceAll(/\p{C}/gu, ' ');
  const short = line.length <= MOST.title ? line : `${line.slice(0, MOST.title - 1).trimEnd()}…`;
  return short.replaceAll(/[@#!](?=\w)|\bGH(?=-\d)|:(?=\/\/)/gi, '$&\u200b');
}
