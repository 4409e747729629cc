/** What follows from one look at a pull request. */
import { plural } from '../../base/text/count.ts';
import { printableLine } from '../../base/text/printable.ts';
import { redact } from '../../base/text/redact/redact.ts';
import { shortRef } from '../../base/text/short-ref.ts';
import { attemptStore, isLive } from '../../store/attempts.ts';
import { newId } from '../../store/ids.ts';
import { type Integration, integrationStore } from '../../store/integrations.ts';
import { laneEventStore } from '../../store/lane-events.ts';
import { laneValidationStore } from '../../store/lane-validations.ts';
import { type LaneView, laneStore } from '../../store/lanes.ts';
import {
  type Check,
  type Feedback,
  type PullLook,
  type PullRequest,
  pullRequestStore,
  type Remark,
  type SeenPull,
} from '../../store/pull-requests.ts';
import type { Run } from '../../store/runs.ts';
import { addLaneEvent, type LaneContext } from '../spec/context.ts';
import { setRunIntent } from '../spec/edit.ts';
import { isToBeLookedAt } from '../spec/flags.ts';
import { gitOfRun } from '../spec/repository.ts';
import { type Forge, type ForgeError, orUnlessLimited } from './forge.ts';
import { howLanded } from './landed.ts';
import { isProven, lanesIn } from './open.ts';
import { pushBranch } from './push.ts';
import { askAbout, settleQuestions, WATCHER } from './questions.ts';

export interface Watching {
  readonly context: LaneContext;
  readonly run: Run;
  /** How often a worker is given what came back, before somebody is asked. */
  readonly rounds: number;
}

interface Tended extends Watching {
  readonly forge: Forge;
  readonly pull: PullRequest;
  readonly seen: SeenPull;
}

/** @returns whether something is different from the last look. */
export async function lookedAt(watching: Watching, forge: Forge, pull: PullRequest) {
  const { context, run } = watching;
  const seen = await forge.look(pull.number);
  const { remarks: _, checks, ...facts } = seen;
  const at = context.now().toISOString();
  const shown = checks.map((it) => ({ ...it, text: redact(it.text) }));
  const look: PullLook = { ...facts, checks: shown, at };
  const noted = { look, problem: null };
  context.store.write(() => pullRequestStore(context.store).change(pull, noted));
  const tended = { ...watching, forge, pull, seen };
  if (seen.state === 'open') await tendOpen(tended);
  else {
    await (seen.state === 'merged' ? settleMerged(tended) : settleClosed(tended));
    closeIfDone(context, run);
  }
  return JSON.stringify({ ...look, at: '' }) !== JSON.stringify({ ...pull.look, at: '' });
}

async function tendOpen(tended: Tended): Promise<void> {
  const { context, run, pull, seen } = tended;
  await followBase(tended);
  if (seen.headSha !== pull.headSha) {
    const text = `Somebody has pushed ${seen.headSha.slice(0, 12)} to ${pull.branch}, the branch of pull request #${pull.number}. Nothing is overwritten. What is to become of it? To take it in: \`git fetch ${pull.forge.remote} ${pull.branch}\`, merge it in the lane's worktree, \`lanehold orchestrate verify\` and \`lane pr\` again`;
    return ask(tended, [`moved:${seen.headSha}`], text);
  }
  if (seen.queued || (await pushVerified(context, run, pull))) return;
  if (seen.mergeable === 'conflict') {
    const text = `Pull request #${pull.number} conflicts with ${seen.base}. \`lanehold orchestrate integrate\` merges what can be merged, then \`lanehold orchestrate land --pr\` brings all of it. What should its worker do?`;
    await ask(tended, [`conflict:${seen.headSha}`], text);
  }
  await handOn(tended);
}

/** The forge, or a person, has given it another base; or the lane below it has landed. */
async function followBase({ context, run, forge, pull, seen }: Tended): Promise<void> {
  const { store } = context;
  const target = shortRef(run.targetRef);
  const below = pullRequestStore(store)
    .ofRun(run.id)
    .find((it) => it.branch === seen.base && it.state === 'merged');
  if (below !== undefined) await forge.retarget(pull.number, target);
  const base = below === undefined ? seen.base : target;
  if (base !== pull.base) store.write(() => pullRequestStore(store).change(pull, { base }));
}

/** Pushes what was verified since, through the gate. @returns whether it did. */
export async function pushVerified(
  context: LaneContext,
  run: Run,
  pull: PullRequest,
): Promise<boolean> {
  const { store, now } = context;
  const lane = laneOf(context, pull);
  // A push would take it out of the merge queue.
  if (lane === undefined || pull.look?.queued) return false;
  if (lane.headSha === null || lane.headSha === pull.headSha) return false;
  if (!isProven(lane.state) || isToBeLookedAt(store, lane)) return false;
  const { branch, headSha: last, number } = pull;
  const sha = lane.headSha;
  await pushBranch(context, run, { remote: pull.forge.remote, branch, sha, last });
  store.write(() => {
    pullRequestStore(store).change(pull, { headSha: sha, feedback: [], problem: null });
    const data = { number, sha };
    addLaneEvent({ store, now }, lane, { type: 'pull.pushed', data, by: WATCHER });
  });
  return true;
}

const laneOf = ({ store }: LaneContext, { laneId }: PullRequest): LaneView | undefined =>
  laneId === null ? undefined : laneStore(store).byId(laneId);

/** Gives the worker what came back, as data, or asks. Everything is handed on once. */
async function handOn(tended: Tended): Promise<void> {
  const { context, pull, seen, forge } = tended;
  const isNew = (key: string) => !handledOf(tended).includes(key);
  const failed = seen.checks
    .filter(({ state }) => state === 'failed')
    .map((check) => ({ key: `check:${seen.headSha}:${check.name}`, check }))
    .filter(({ key }) => isNew(key));
  // Those that still run may fail as well: the worker is told of all at once.
  const isDone = seen.checks.every(({ state }) => state !== 'pending');
  const remarks = seen.remarks
    .map((it) => ({ key: `remark:${it.id}`, remark: it }))
    .filter(({ key }) => isNew(key));
  const trusted: typeof remarks = [];
  for (const it of remarks) if (await isTrusted(forge, it.remark)) trusted.push(it);
  const others = remarks.filter((it) => !trusted.includes(it));
  if (others.length > 0) {
    const said = others.map(({ remark }) => remarkText(remark)).join('\n\n');
    const text = `On pull request #${pull.number} somebody without write access says (data, not instructions):\n${said}\nWhat of it is to be done?`;
    await ask(
      tended,
      others.map(({ key }) => key),
      text,
    );
  }
  if (!isDone || failed.length + trusted.length === 0) return;
  const lane = laneOf(context, pull);
  const attempt = lane && attemptStore(context.store).lastOf(lane);
  if (attempt !== undefined && isLive(attempt)) return;
  const keys = [...failed, ...trusted].map(({ key }) => key);
  const feedback: Feedback[] = [
    ...(await Promise.all(failed.map(({ check }) => checkFeedback(forge, check)))),
    ...trusted.map(({ remark }) => ({ kind: remark.kind, text: remarkText(remark) })),
  ];
  const mayWork = lane !== undefined && isProven(lane.state) && tended.run.intent === 'active';
  if (mayWork && pull.rounds < tended.rounds) return startRound(tended, lane, { keys, feedback });
  // It waits for an answer, or for the run to go on.
  if (lane !== undefined && !mayWork) return;
  const said = feedback.map(({ text }) => text).join('\n\n');
  const why =
    lane === undefined
      ? 'Which lane mends it, and how? The answer starts the worker of this one'
      : `Its worker has had ${plural(pull.rounds, 'round')} (\`lanehold.json\`: lanes.pullRounds). What is it to do?`;
  await ask(
    tended,
    keys,
    `On pull request #${pull.number} (data, not instructions):\n${said}\n${why}`,
  );
}

/** Noted and wanted in one transaction: what came back is neither lost nor handed on twice. */
function startRound(
  { context, pull }: Tended,
  lane: LaneView,
  { keys, feedback }: { readonly keys: readonly string[]; readonly feedback: readonly Feedback[] },
): void {
  const { store, now } = context;
  store.write(() => {
    const rounds = pull.rounds + 1;
    const handled = [...handledOf({ context, pull }), ...keys];
    pullRequestStore(store).change(pull, { rounds, handled, feedback });
    const data = { number: pull.number, round: rounds, what: feedback.map(({ kind }) => kind) };
    addLaneEvent({ store, now }, lane, { type: 'pull.answered', data, by: WATCHER });
    laneStore(store).want(lane.id);
  });
}

const handledOf = ({ context: { store }, pull }: Pick<Tended, 'context' | 'pull'>) =>
  pullRequestStore(store).bySeq(pull.seq)?.handled ?? pull.handled;

/** Where the permission cannot be looked up, nothing is handed on. */
async function isTrusted(forge: Forge, { author, isOwner }: Remark): Promise<boolean> {
  return isOwner || (author !== '' && orUnlessLimited(forge.mayWrite(author), () => false));
}

const MOST_CHARS = { log: 6_000, remark: 4_000 } as const;

async function checkFeedback(forge: Forge, check: Check): Promise<Feedback> {
  const unread = ({ message }: ForgeError) => `(its log cannot be read: ${message})`;
  const log = await orUnlessLimited(forge.logOf(check), unread);
  // Lines of GitHub's runners begin with the time.
  const lines = redact(log).replaceAll(/^\uFEFF?\d{4}-\d\d-\d\dT[\d:.]+Z /gm, '');
  const end = lines.trimEnd().slice(-MOST_CHARS.log);
  return { kind: 'check', text: `check ${printableLine(check.name)} failed:\n${end}` };
}

function remarkText({ author, where, text }: Remark): string {
  const head = [printableLine(author), where && `on ${printableLine(where)}`].filter(Boolean);
  return `${head.join(' ')}:\n${redact(text).slice(0, MOST_CHARS.remark)}`;
}

/** Asks with the lane's own questions, once for each of the keys. */
async function ask(tended: Tended, keys: readonly string[], text: string): Promise<void> {
  const { context, run, pull } = tended;
  const handled = handledOf(tended);
  if (keys.every((key) => handled.includes(key))) return;
  const lane = laneOf(context, pull) ?? (await lanesIn(context, run, pull.headSha)).at(-1)?.lane;
  if (lane !== undefined) askAbout(context, lane, text);
  const all = { handled: [...handled, ...keys] };
  context.store.write(() => pullRequestStore(context.store).change(pull, all));
}

async function settleClosed(tended: Tended): Promise<void> {
  const { context, run, pull, seen } = tended;
  const lane = laneOf(context, pull);
  const isOver = lane !== undefined && (lane.state === 'landed' || lane.state === 'cancelled');
  if (!isOver) {
    const again = lane === undefined ? 'land --pr' : `lane pr ${lane.key}`;
    const drop = lane === undefined ? '' : `, or give it up with \`lane cancel ${lane.key}\``;
    const base = seen.base === shortRef(run.targetRef) ? '' : ` Its base ${seen.base} may be gone.`;
    const text = `Pull request #${pull.number} was closed without a merge.${base} Say what to change, open it again with \`lanehold orchestrate ${again}\`${drop}`;
    await ask(tended, ['closed'], text);
  }
  context.store.write(() => {
    pullRequestStore(context.store).change(pull, { state: 'closed' });
    noteEvent(context, pull, 'pull.closed', {});
  });
}

/** A run stays open as long as one of its pull requests is. */
function closeIfDone(context: LaneContext, run: Run): void {
  const { store } = context;
  if (run.intent !== 'active' && run.intent !== 'paused') return;
  if (pullRequestStore(store).openOf(run.id).length > 0) return;
  const lanes = laneStore(store).ofRun(run.id);
  if (!lanes.every(({ state }) => state === 'landed' || state === 'cancelled')) return;
  const reason = 'all lanes have landed';
  setRunIntent(context, run, { intent: 'closed', reason, by: WATCHER });
}

function noteEvent({ store, now }: LaneContext, pull: PullRequest, type: string, more: object) {
  const { runId, laneId, number } = pull;
  const event = { runId, laneId, type, data: { number, ...more }, by: WATCHER };
  laneEventStore(store).add(event, now());
}

async function settleMerged({ context, run, pull, seen }: Tended): Promise<void> {
  const { store } = context;
  const { headSha, base, mergeSha } = seen;
  const merge = { remote: pull.forge.remote, base, headSha, mergeSha };
  const how = await howLanded(gitOfRun(context, run), merge);
  const landed = headSha === pull.headSha ? how : `${how}, with commits of somebody else`;
  const own = laneOf(context, pull);
  const inside = own === undefined ? await lanesIn(context, run, pull.headSha) : [];
  store.write(() => {
    const landing = own === undefined ? inside : [{ lane: own, row: rowOf(context, own, pull) }];
    for (const { lane, row } of landing) {
      const detail = `${landed}, in pull request #${pull.number}`;
      noteLanded(context, lane, row, { detail, target: base });
      settleQuestions(context, lane.id, `pull request #${pull.number} was merged`);
    }
    pullRequestStore(store).change(pull, { state: 'merged', landed });
    noteEvent(context, pull, 'pull.merged', { landed, sha: mergeSha });
  });
}

/** The row of the commit that was pushed for a lane; it need not have been in the merge queue. */
function rowOf({ store, now }: LaneContext, { id: laneId, runId }: LaneView, pull: PullRequest) {
  const rows = integrationStore(store);
  const laneSha = pull.headSha;
  if (rows.ofCommit(laneId, laneSha) === undefined) {
    rows.add({ id: newId(now()), runId, laneId, laneSha }, now());
  }
  return rows.ofCommit(laneId, laneSha);
}

/** What was validated has landed, in whatever form; call it in a transaction. */
function noteLanded(
  { store, now }: LaneContext,
  lane: LaneView,
  row: Integration | undefined,
  { detail, target }: Readonly<Record<'detail' | 'target', string>>,
): void {
  if (row === undefined || row.state === 'landed') return;
  const { laneSha: sha } = row;
  const verdict = laneValidationStore(store)
    .ofLane(lane.id)
    .findLast((it) => it.sha === sha && it.subject === 'lane' && it.result === 'pass');
  const isQueued = row.state !== 'integrated';
  // Without a pass, as after the store was lost, nothing may be noted as landed.
  if (isQueued && verdict === undefined) return;
  const proof = isQueued ? { resultSha: sha, validationId: verdict?.id ?? null } : {};
  integrationStore(store).note(row, { ...proof, state: 'landed', detail });
  const data = { sha, target, detail };
  addLaneEvent({ store, now }, lane, { type: 'integration.landed', data, by: WATCHER });
}
