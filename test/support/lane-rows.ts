/**
 * Lanes as a supervisor would leave them: branches with commits, rows with verdicts. For tests of
 * what comes after the work.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homeOf } from '../../src/base/files/home.ts';
import type { LaneContext } from '../../src/lanes/spec/context.ts';
import { attemptStore, checkpointStore } from '../../src/store/attempts.ts';
import { newId } from '../../src/store/ids.ts';
import { laneEventStore } from '../../src/store/lane-events.ts';
import { laneValidationStore } from '../../src/store/lane-validations.ts';
import { type LaneView, laneStore, type Run, runStore } from '../../src/store/lanes.ts';
import { openStore } from '../../src/store/open.ts';
import { projectStore } from '../../src/store/projects.ts';
import { laneRow, runRow, SPEC, validationRow } from './lane-builder.ts';
import { type Sandbox, sandbox } from './sandbox.ts';

/** Path to content; `null` deletes. */
export type Edits = Readonly<Record<string, string | null>>;

export interface LaneRowsOptions {
  readonly files?: Edits;
  /** The validation of lanes that name none. */
  readonly validate?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface NewLane {
  readonly needs?: readonly string[];
  readonly validate?: string;
  readonly touches?: readonly string[];
  readonly reads?: readonly string[];
  readonly ports?: number;
  readonly desc?: string;
  /** A commit, or the lane whose head it starts from; by default the run's base. */
  readonly from?: string;
}

export async function laneRows(options: LaneRowsOptions = {}) {
  const { files = { 'README.md': 'A project\n' }, validate = 'sh check.sh' } = options;
  const box = sandbox();
  const repo = box.repo();
  edit(box, repo, files);
  const base = box.commit(repo, 'first');
  const env = { ...box.env, ...options.env };
  const store = await openStore(homeOf(env));
  onTestFinished(() => store.close());
  let tick = Date.now();
  const now = (): Date => {
    tick += 1000;
    return new Date(tick);
  };
  const context: LaneContext = { store, env, now };
  const commonDir = realpathSync(join(repo, '.git'));
  const run = addRun();
  const lanes = laneStore(store);

  function addRun(): Run {
    const projectId = store.write(() => projectStore(store).ensure(commonDir, now()));
    const made = runRow({ projectId, repository: repo, commonDir, baseSha: base }, now());
    store.write(() => runStore(store).add(made));
    return made;
  }

  const lane = (key: string): LaneView => {
    const found = lanes.byKey(run.id, key);
    if (found === undefined) throw new Error(`no lane ${key}`);
    return found;
  };

  /** A lane with its worktree, in which nothing was done yet. */
  function addLane(key: string, wish: NewLane = {}): LaneView {
    const { needs = [], touches = [], reads = [], ports = 0, desc = SPEC.desc } = wish;
    const command = wish.validate ?? validate;
    const spec = { ...SPEC, desc, needs, touches, reads, ports, validate: command };
    const from = wish.from ?? base;
    const start = lanes.byKey(run.id, from)?.headSha ?? from;
    const worktree = join(box.root, 'trees', key);
    const made = laneRow(run, { key, position: lanes.nextPosition(run.id), spec }, now(), {
      worktree,
      baseSha: start,
    });
    const { branch } = made;
    box.git(repo, 'worktree', 'add', '--quiet', '--no-track', '-b', branch, worktree, start);
    store.write(() => {
      lanes.add(made, 'person ada');
      for (const need of needs) {
        const { id, headSha } = lane(need);
        lanes.addDep(made.id, id);
        lanes.useDep(made.id, id, headSha);
      }
    });
    return lane(key);
  }

  const treeOf = (key: string): string => join(box.root, 'trees', key);

  /** Commits edits on the lane's branch and takes them for its head; not verified yet. */
  function commitLane(key: string, edits: Edits): string {
    edit(box, treeOf(key), edits);
    const sha = box.commit(treeOf(key), `work of ${key}`);
    store.write(() => lanes.setHead(lane(key).id, sha, ''));
    return sha;
  }

  /** Says that lanehold has validated the lane's head. */
  function verify(key: string): void {
    const it = lane(key);
    const sha = it.headSha ?? base;
    const tree = box.git(repo, 'rev-parse', `${sha}^{tree}`);
    const logPath = box.write(join(box.root, 'logs', `${key}-${newId(now())}.log`), '');
    const passed = validationRow({ lane: it, attemptId: null, sha, tree, logPath }, now());
    store.write(() => laneValidationStore(store).add(passed));
  }

  /** A lane whose work was verified. */
  function verified(key: string, edits: Edits, wish: NewLane = {}): LaneView {
    addLane(key, wish);
    commitLane(key, edits);
    verify(key);
    return lane(key);
  }

  /** Begins an attempt, so that the lane is at work. */
  function start(key: string): string {
    const id = newId(now());
    const { specHash, baseSha } = lane(key);
    store.write(() => {
      const attempts = attemptStore(store);
      attempts.add(
        {
          id,
          laneId: lane(key).id,
          kind: 'work',
          agent: null,
          model: null,
          account: null,
          sessionId: null,
          specHash,
          startSha: baseSha ?? base,
          worktree: treeOf(key),
          dir: join(box.laneholdHome, 'runs', 'lanes', id),
          bootId: 'this boot',
        },
        now(),
      );
      attempts.note(id, 0, { state: 'running' });
    });
    return id;
  }

  /** What the working tree holds now, as a checkpoint of the attempt. */
  function checkpoint(key: string, attempt: string, edits: Edits): string {
    const folder = treeOf(key);
    edit(box, folder, edits);
    const index = join(box.root, `${key}.index`);
    const privately = (...args: readonly string[]): string =>
      execFileSync('git', args, {
        cwd: folder,
        env: { ...box.env, GIT_INDEX_FILE: index },
        encoding: 'utf8',
      }).trim();
    privately('add', '--all');
    const tree = privately('write-tree');
    rmSync(index);
    const head = box.git(folder, 'rev-parse', 'HEAD');
    const sha = box.git(folder, 'commit-tree', tree, '-p', head, '-m', 'checkpoint');
    box.git(repo, 'update-ref', `refs/lanehold/${run.id}/${key}/ckpt`, sha);
    const facts = { tree, files: 1, reason: 'interval', at: now() };
    store.write(() =>
      checkpointStore(store).add({ laneId: lane(key).id, attemptId: attempt, sha, ...facts }),
    );
    return sha;
  }

  return {
    box,
    repo,
    base,
    context,
    run,
    lane,
    lanes,
    addLane,
    commitLane,
    verify,
    verified,
    start,
    checkpoint,
    treeOf,
    state: (key: string) => lane(key).state,
    git: (...args: readonly string[]) => box.git(repo, ...args),
    tip: () => box.git(repo, 'rev-parse', run.integrationRef),
    /** Text of a file in a commit. */
    show: (commit: string, path: string) => box.git(repo, 'show', `${commit}:${path}`),
    validations: () => laneValidationStore(store).ofRun(run.id),
    events: () => laneEventStore(store).since(run.id, 0),
  };
}

export type LaneRows = Awaited<ReturnType<typeof laneRows>>;

function edit(box: Sandbox, folder: string, edits: Edits): void {
  for (const [path, text] of Object.entries(edits)) {
    const file = join(folder, path);
    if (text !== null) box.write(file, text);
    else if (existsSync(file)) rmSync(file);
  }
}
