/** Prepares an attempt: the tree, its setup, a slot, and at last the program. */
import { writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { isOtherLogin, workerEnvironment } from '../../agents/worker/environment.ts';
import { writeJsonFile } from '../../base/files/json-file.ts';
import { readPlainFile } from '../../base/files/plain-file.ts';
import { gitIn } from '../../base/git/git-in.ts';
import { projectPlace } from '../../base/git/project.ts';
import { startGuarded } from '../../base/process/guard.ts';
import { leasePorts } from '../../base/process/ports.ts';
import { defaultSlots, waitForSlot } from '../../base/process/slots.ts';
import { setupHash } from '../../checkout/setup.ts';
import { breakerStore } from '../../store/breakers.ts';
import { laneReportStore } from '../../store/lane-events.ts';
import { laneStore } from '../../store/lanes.ts';
import { ledgerStore } from '../../store/ledger.ts';
import { missingSecrets } from '../settings/lane-environment.ts';
import type { Worker } from '../settings/registry.ts';
import { wasSetBack } from '../spec/context.ts';
import { flagText } from '../spec/flags.ts';
import { baseOf, mergeTip, restack } from '../stand/dependencies.ts';
import { authorOf, commitLane } from '../tree/lane-commit.ts';
import { readyLaneTree } from '../tree/lane-tree.ts';
import { printBefore } from '../tree/main-checkout.ts';
import { laneSetups, setUpInSlot } from '../tree/setup.ts';
import { takeCheckpoint } from './checkpoint.ts';
import { type Ending, finish, stopOf } from './finish.ts';
import { promptFor, sessionToResume } from './prompt-for.ts';
import {
  type Plan,
  placeOf,
  planOf,
  portsFile,
  type Supervision,
  writeSpec,
} from './supervision.ts';

export async function prepare(it: Supervision): Promise<void> {
  writeSpec(it);
  const plan = await planOf(it);
  it.note({ endDetail: 'its working tree is made ready' });
  await readyTree(it, plan);
  await takePorts(it);
  if (plan.worker === undefined) return await onlyValidate(it);

  await setUp(it, plan);
  await waitForWorkerSlot(it, plan);
  const stop = stopOf(it);
  if (stop?.kind === 'cancelled') return it.resources.releaseSlot();
  const why = stop ? { cause: stop.kind, detail: stop.why } : whyParked(it, plan);
  if (why !== undefined) {
    it.resources.releaseSlot();
    return finish(it, { reason: 'parked', ...why });
  }
  await noteMainCheckout(it);
  const missing = missingSecrets(it.context, it.lane().id);
  if (missing.length > 0) it.flag(flagText('secrets-missing', missing));
  await startWorker(it, plan.worker);
  it.note({ progressAt: it.context.now() });
}

/** Why the worker cannot start now, although it has a slot. */
function whyParked(it: Supervision, { worker }: Plan): Omit<Ending, 'reason'> | undefined {
  const { account } = it.attempt();
  const until = noQuotaUntil(it);
  if (until !== undefined) {
    const detail = `${account} has none until ${until.toISOString()}`;
    return { cause: 'quota', detail, resumeAt: until };
  }
  // This is the login of the supervisor's environment.
  const here = worker?.settings.account ?? worker?.adapter.account(it.context.env);
  if (account === null || here === undefined || !isOtherLogin(account, here)) return undefined;
  const detail = `it is to use ${account}, and it was taken over with ${here}`;
  // The lane can be resumed at once where the login is available.
  return { cause: 'login', detail, resumeAt: it.context.now() };
}

/** Makes the lane's tree at its start commit, with the state that an earlier attempt left. */
async function readyTree(it: Supervision, { settings, worker }: Plan): Promise<void> {
  const lane = it.lane();
  const baseSha = await baseOf(it.context, it.run(), lane);
  const startSha = it.lane().headSha ?? baseSha;
  if (!lane.adopted) {
    const { store } = it.context;
    const { worktree: path } = it.attempt();
    const missing = await readyLaneTree(it.context, it.run(), {
      lane: it.lane(),
      path,
      claim: () => {
        if (lane.worktree !== null) return;
        store.write(() => laneStore(store).setWorktree(lane.id, path));
      },
      sha: startSha,
      attempt: it.attemptId,
      worktrees: settings.worktrees,
    });
    if (missing.length > 0) it.flag(flagText('not-included', missing));
    const why = worker && (await mergeTip(it.context, it.run(), lane, () => commitFound(it)));
    if (why !== undefined) it.flag(flagText('tip-not-merged', [why]));
  }
  it.note({ startSha: it.lane().headSha ?? startSha });
}

/** Commits changes that somebody has made in the tree since the last attempt. */
async function commitFound(it: Supervision): Promise<void> {
  const { store, env, now } = it.context;
  const { id, branch, headSha, key, setupHash } = it.lane();
  if (headSha === null) return;
  const { tree, index } = await takeCheckpoint(it, 'found in the tree');
  const { sha } = await commitLane({
    git: gitIn(it.attempt().worktree, env),
    branch,
    tree,
    index,
    startSha: headSha,
    headBefore: headSha,
    now: now(),
    message: `What was found in the tree of lane ${key}`,
    author: authorOf(it.lane()),
  });
  store.write(() => laneStore(store).setHead(id, sha, setupHash));
}

/** Validates without a worker. If a dependency has changed, its new commit is merged first. */
async function onlyValidate(it: Supervision): Promise<void> {
  const moved = laneStore(it.context.store).movedDeps(it.lane().id);
  if (moved.length > 0) {
    const outcome = await restack(it.context, it.run(), it.lane());
    // A restack that could not run yet is tried again.
    if (outcome.kind !== 'waiting') it.flag(...moved.map(({ to }) => to));
    if (outcome.kind === 'conflict') {
      const detail = `conflict with ${outcome.needs}: ${outcome.paths.join(', ')}`;
      return finish(it, { reason: 'rejected', cause: 'validation', detail });
    }
    it.note({ startSha: it.lane().headSha ?? it.attempt().startSha });
  }
  it.move('exited', { exitSource: 'supervisor', endDetail: null });
}

async function takePorts(it: Supervision): Promise<void> {
  const lease = await leasePorts(it.context.store.home.locks, it.lane().spec.ports);
  it.resources.keepPorts(lease);
  writeJsonFile(portsFile(it.attempt().dir), lease.ports);
}

/** Runs the setup, unless the tree had it with the same lock files. @throws {SetupFailedError} */
async function setUp(it: Supervision, plan: Plan): Promise<void> {
  const { worktree, dir, startSha } = it.attempt();
  const { setups, hash } = await setupOf(it, plan, startSha);
  const mark = join(projectPlace(worktree).gitDir ?? worktree, 'lanehold-setup');
  if (setups.length === 0 || readPlainFile(mark) === hash) return;
  it.note({ endDetail: 'its set-up runs' });
  const { priority, adopted } = it.lane();
  const signal = it.stopped.signal;
  const place = placeOf(it);
  const { settings } = plan;
  const wish = { run: it.run(), setups, settings, place, dir, signal, priority, shares: !adopted };
  if (await setUpInSlot(it.context, wish)) writeFileSync(mark, hash, { mode: 0o600 });
}

/** The setup of this commit. Evidence depends on its hash, which is empty without a setup. */
export async function setupOf(it: Supervision, { settings }: Plan, commit: string) {
  const { env } = it.context;
  const { spec, validateCwd: cwd } = it.lane();
  const { worktree } = it.attempt();
  const tree = { worktree, commit, cwd, setup: spec.setup };
  const setups = await laneSetups(tree, it.run(), settings, env);
  return { setups, hash: await setupHash(gitIn(worktree, env), setups, commit) };
}

async function waitForWorkerSlot(it: Supervision, { settings }: Plan): Promise<void> {
  const count = settings.slots.worker ?? defaultSlots().worker;
  const { priority } = it.lane();
  it.note({ endDetail: 'it waits for a free slot of this machine' });
  const wish = { kind: 'worker', count, priority } as const;
  try {
    const slot = await waitForSlot(it.context.store.home.locks, wish, it.stopped.signal);
    it.resources.keepSlot(slot);
  } catch (error) {
    if (stopOf(it) === undefined) throw error;
  }
}

/** The end of the account's limit, which another lane may have reached while this one waited. */
function noQuotaUntil(it: Supervision): Date | undefined {
  const { account } = it.attempt();
  const breaker = account === null ? undefined : breakerStore(it.context.store).get(account);
  if (breaker === undefined || breaker.probeAttempt === it.attemptId) return undefined;
  // During a probe the lane waits, too: a reconcile starts it after the probe has closed the breaker.
  const later = new Date(it.context.now().getTime() + 1_000);
  const known = breaker.resumeAt > later && !wasSetBack(breaker.openedAt, later);
  return known ? breaker.resumeAt : later;
}

/** Records the state of the user's own checkout, which a worker must not change. */
async function noteMainCheckout(it: Supervision): Promise<void> {
  const run = it.run();
  if (run.repository === run.commonDir) return;
  const print = await printBefore(run.repository, it.context.env);
  writeFileSync(join(it.attempt().dir, 'main-checkout'), print, { mode: 0o600 });
}

async function startWorker(it: Supervision, worker: Worker): Promise<void> {
  const program = await worker.adapter.load();
  const { store, env } = it.context;
  const attempt = it.attempt();
  const lane = it.lane();
  const environment = workerEnvironment(withOwnProgram(env), { ...placeOf(it), stage: 'worker' });
  const reports = laneReportStore(store);
  // The prompt contains all answers and messages, which are delivered with it.
  const pending = reports.undelivered(lane.id);
  const promptFile = join(attempt.dir, 'prompt.txt');
  writeFileSync(promptFile, await promptFor(it), { mode: 0o600 });
  const launch = program.launch({
    promptFile,
    lane: lane.key,
    worktree: attempt.worktree,
    dir: attempt.dir,
    sessionId: attempt.sessionId ?? it.attemptId,
    resume: sessionToResume(store, attempt),
    model: lane.spec.model ?? worker.settings.model,
    effort: lane.spec.effort ?? worker.settings.effort,
    permissions: worker.settings.permissions,
    allow: lane.validateCmd === null ? [] : [lane.validateCmd],
    caps: ledgerStore(store).of(it.attemptId)?.reserved ?? {},
    args: worker.settings.args,
    program: worker.settings.program ?? worker.adapter.program,
    env: environment,
  });
  for (const { path, content } of launch.files) writeFileSync(path, content, { mode: 0o600 });
  const guard = startGuarded({
    dir: attempt.dir,
    program: launch.program,
    args: launch.args,
    cwd: attempt.worktree,
    env: { ...launch.env },
    stdinFile: launch.stdinFile,
  });
  it.move('running', { guardPid: guard.pid, guardStart: guard.start, endDetail: null }, () => {
    for (const { id } of pending) reports.markDelivered(id, it.context.now());
  });
}

/** Appends the folder of a `lanehold` command for this very program to PATH. */
function withOwnProgram(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { LANEHOLD_SUPERVISOR: program, PATH: path } = env;
  if (program === undefined) return env;
  const own = join(dirname(program), 'bin');
  return { ...env, PATH: path === undefined ? own : `${path}${delimiter}${own}` };
}
