import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { endMarkedProcesses, markedProcesses } from '../../../src/base/process/end-tree.ts';
import { readExit } from '../../../src/base/process/guard.ts';
import {
  identityOf,
  isAlive,
  isStopped,
  type ProcessIdentity,
  signalProcess,
} from '../../../src/base/process/process-entry.ts';
import { type Attempt, exitOf, fileIsThere, startAttempt } from '../../support/attempts.ts';
import { fixture } from '../../support/background.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';
import { eventually } from '../../support/until.ts';

/** A command that writes its pid to a file and runs for long, ignoring signals. */
const STUBBORN = `sh -c 'trap "" TERM INT HUP; echo $$ > pid.$$; while :; do sleep 1; done'`;
const SLEEPER = `sh -c 'echo $$ > pid.$$; exec sleep 60'`;

/** Stops the last one once it has written its pid; the script's own pid then says that it did. */
const STOP = 'until [ -s pid.$! ]; do sleep 0.02; done; kill -STOP $!; echo $$ > pid.$$;';

/** Starts a script and waits until so many processes have written their pids. */
async function startTree(box: Sandbox, script: string, pids: number, changes = {}) {
  const attempt = startAttempt(box, '/bin/sh', ['-c', script], changes);
  return { attempt, tree: await writtenPids(box, pids) };
}

async function writtenPids({ root }: Sandbox, count: number): Promise<ProcessIdentity[]> {
  const read = () =>
    readdirSync(root)
      .filter((name) => name.startsWith('pid.'))
      .map((name) => identityOf(Number(readFileSync(join(root, name), 'utf8'))))
      .filter((it) => it !== undefined);
  await eventually(() => expect(read().length).toBeGreaterThanOrEqual(count));
  return read();
}

/** Kills the guard and waits until it is gone: the rest is without one from here on. */
async function orphan({ guard }: Attempt): Promise<void> {
  signalProcess(guard, 'SIGKILL');
  await eventually(() => expect(isAlive(guard)).toBe(false));
}

function expectNobody({ id, guard }: Attempt, tree: readonly ProcessIdentity[]): void {
  expect(markedProcesses(id)).toEqual([]);
  expect([guard, ...tree].filter(isAlive)).toEqual([]);
}

test('without processes nothing happens', async () => {
  await endMarkedProcesses('no-such-attempt', { graceMs: 0 });
  await endMarkedProcesses('no-such-attempt', { graceMs: 60_000 });
});

test('a process is found by each search while it starts one program after another in its place', async () => {
  const box = sandbox();
  const script = box.write('again', '#!/bin/sh\nexec "$0"\n');
  chmodSync(script, 0o755);
  const { id } = startAttempt(box, script);
  const found = () => markedProcesses(id).filter(({ guard }) => !guard).length;
  await eventually(() => expect(found()).toBe(1));
  const searches = Array.from({ length: 300 }, found);
  await endMarkedProcesses(id, { graceMs: 0 });
  expect(searches.filter((it) => it !== 1)).toEqual([]);
});

test('a worker that ends at SIGTERM is not killed, and the guard writes its exit code', async () => {
  const box = sandbox();
  const script = `trap 'echo asked >> asked; exit 5' TERM; ${SLEEPER} & echo $$ > pid.$$; wait; wait`;
  const { attempt, tree } = await startTree(box, script, 2);
  await endMarkedProcesses(attempt.id, { graceMs: 60_000 });
  expectNobody(attempt, tree);
  expect(readFileSync(join(box.root, 'asked'), 'utf8')).toBe('asked\n');
  expect(readExit(attempt.dir)).toEqual({ code: 5 });
});

test('a worker that ignores SIGTERM is killed, and the guard writes its exit code', async () => {
  const box = sandbox();
  const { attempt, tree } = await startTree(box, `${STUBBORN} & exec ${STUBBORN}`, 2);
  await endMarkedProcesses(attempt.id, { graceMs: 100 });
  expectNobody(attempt, tree);
  expect(readExit(attempt.dir)).toEqual({ code: 137 });
});

test.each([
  ['a session of its own', `setsid ${STUBBORN} &`, 1],
  ['a daemon, forked twice', `(setsid sh -c '${SLEEPER.replaceAll("'", `'\\''`)} &' &) &`, 1],
  ['a stopped one', `${STUBBORN} & ${STOP}`, 2],
  ['a stopped daemon', `setsid ${SLEEPER} & ${STOP}`, 2],
  ['one that emptied its environment, in the group', `env -i PATH="$PATH" ${STUBBORN} &`, 1],
] as const)('%s is found', async (_, script, pids) => {
  const box = sandbox();
  const { attempt, tree } = await startTree(box, `${script} sleep 60`, pids);
  await endMarkedProcesses(attempt.id, { graceMs: 100 });
  expectNobody(attempt, tree);
});

test('a stopped worker is continued and ends at SIGTERM', async () => {
  const box = sandbox();
  const script = `trap 'echo asked > asked; exit 5' TERM; echo $$ > pid.$$; while :; do sleep 0.05; done`;
  const { attempt, tree } = await startTree(box, script, 1);
  for (const it of tree) signalProcess(it, 'SIGSTOP');
  await eventually(() => expect(tree.every(isStopped)).toBe(true));
  await endMarkedProcesses(attempt.id, { graceMs: 60_000 });
  expectNobody(attempt, tree);
  expect(existsSync(join(box.root, 'asked'))).toBe(true);
});

test('a stopped guard still writes the exit code', async () => {
  const box = sandbox();
  const { attempt, tree } = await startTree(box, `exec ${STUBBORN}`, 1);
  signalProcess(attempt.guard, 'SIGSTOP');
  await endMarkedProcesses(attempt.id, { graceMs: 0 });
  expectNobody(attempt, tree);
  expect(readExit(attempt.dir)).toEqual({ code: 137 });
});

test('the tree is found without its guard', async () => {
  const box = sandbox();
  const script = `setsid ${STUBBORN} & env -i PATH="$PATH" ${STUBBORN} & exec ${STUBBORN}`;
  const { attempt, tree } = await startTree(box, script, 3);
  await orphan(attempt);
  await endMarkedProcesses(attempt.id, { graceMs: 100 });
  expectNobody(attempt, tree);
});

test('processes that keep starting others are ended', async () => {
  const box = sandbox();
  const chain = box.write(
    'chain.sh',
    'sleep 0.05\nsetsid sh "$0" &\n[ -e pid.x ] || echo $$ > pid.x\n',
  );
  const spreader = box.write(
    'spread.sh',
    'trap "" TERM\necho $$ > pid.$$\nwhile :; do setsid sleep 30 & sleep 0.02; done\n',
  );
  const attempt = startAttempt(box, 'sh', ['-c', `sh ${chain} & sh ${spreader} & wait`]);
  await fileIsThere(join(box.root, 'pid.x'));
  await endMarkedProcesses(attempt.id, { graceMs: 200 });
  expectNobody(attempt, []);
});

test('only the given stages are ended', async () => {
  const box = sandbox();
  const stage = (name: string) => ({ env: { LANEHOLD_STAGE: name } });
  const sleeper = ['-c', `exec ${SLEEPER}`];
  const worker = startAttempt(box, '/bin/sh', sleeper, stage('worker'));
  const env = { LANEHOLD_ATTEMPT: worker.id, ...stage('validate').env };
  const validation = startAttempt(box, '/bin/sh', sleeper, { env });
  await writtenPids(box, 2);
  await endMarkedProcesses(worker.id, { stages: ['setup', 'worker'], graceMs: 60_000 });
  expect(isAlive(worker.guard)).toBe(false);
  expect(markedProcesses(worker.id).map((it) => it.stage)).toEqual(['validate', 'validate']);
  expect(isAlive(validation.guard)).toBe(true);
  await endMarkedProcesses(worker.id, { stages: ['validate'], graceMs: 60_000 });
  expect(await exitOf(validation)).toEqual({ code: 143 });
});

test('in a group with other processes each is ended by itself', async () => {
  const box = sandbox();
  const script = `LANEHOLD_STAGE=validate ${SLEEPER} & exec ${STUBBORN}`;
  const env = { LANEHOLD_STAGE: 'worker' };
  const { attempt } = await startTree(box, script, 2, { env });
  await endMarkedProcesses(attempt.id, { stages: ['worker'], graceMs: 100 });
  expect(markedProcesses(attempt.id).map((it) => it.stage)).toEqual(['validate']);
  expect(readExit(attempt.dir)).toEqual({ code: 137 });
});

test('another attempt is left alone', async () => {
  const box = sandbox();
  const sleeper = ['-c', `exec ${SLEEPER}`];
  const one = startAttempt(box, '/bin/sh', sleeper);
  const other = startAttempt(box, '/bin/sh', sleeper);
  // A signal may be lost while the shell becomes another program.
  await writtenPids(box, 2);
  await endMarkedProcesses(one.id, { graceMs: 60_000 });
  expectNobody(one, []);
  expect(isAlive(other.guard)).toBe(true);
});

test('a caller that belongs to the attempt is not ended', async () => {
  const box = sandbox();
  const result = join(box.root, 'result.json');
  const caller = `${process.execPath} ${fixture('proc-end-own.mjs')} ${result}`;
  const waits = `until [ -e go ]; do sleep 0.02; done; exec ${caller}`;
  const script = `setsid ${STUBBORN} & ${STUBBORN} & setsid sh -c '${waits}' & exec ${STUBBORN}`;
  const { attempt, tree } = await startTree(box, script, 3);
  box.write('go', '');
  await fileIsThere(result);
  await eventually(() => expect(markedProcesses(attempt.id)).toEqual([]));
  expectNobody(attempt, tree);

  const same = startAttempt(box, process.execPath, [fixture('proc-end-own.mjs'), `${result}.2`]);
  await fileIsThere(`${result}.2`);
  await eventually(() => expect(markedProcesses(same.id)).toEqual([]));
});

type Tree = { readonly how: string; readonly children: readonly Tree[] };

const HOWS = ['plain', 'setsid', 'double', 'stubborn', 'stopped'];
const treeOf = (children: fc.Arbitrary<Tree[]>): fc.Arbitrary<Tree> =>
  fc.record({ how: fc.constantFrom(...HOWS), children });
const leaf = treeOf(fc.constant([]));
const branch = treeOf(fc.array(leaf, { maxLength: 2 }));
const anyTree = treeOf(fc.array(treeOf(fc.array(branch, { maxLength: 2 })), { maxLength: 2 }));

/** Each node is a script of its own; the last thing it does is to say that it is there, and to wait. */
function writeTree(box: Sandbox, { how, children }: Tree, path = 'n'): string {
  const starts = children.map((child, at) => {
    const file = writeTree(box, child, `${path}${at}`);
    if (child.how === 'setsid') return `setsid sh ${file} &`;
    return child.how === 'double' ? `(setsid sh -c 'sh ${file} &' &)` : `sh ${file} &`;
  });
  const trap = how === 'stubborn' ? 'trap "" TERM' : '';
  const stop = how === 'stopped' ? 'kill -STOP $$' : '';
  const lines = [trap, ...starts, 'echo $$ > pid.$$', stop, 'while :; do sleep 1; done'];
  return box.write(`${path}.sh`, `${lines.join('\n')}\n`);
}

const sizeOf = ({ children }: Tree): number =>
  children.reduce((sum, child) => sum + sizeOf(child), 1);

test('no process of any tree is left', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyTree,
      fc.constantFrom(0, 60),
      fc.boolean(),
      async (root, graceMs, isOrphan) => {
        let cleanUp: (() => void) | undefined;
        const box = sandbox((remove) => {
          cleanUp = remove;
        });
        onTestFinished(() => cleanUp?.());
        const file = writeTree(box, root);
        const { attempt, tree } = await startTree(box, `exec sh ${file}`, sizeOf(root));
        if (isOrphan) await orphan(attempt);
        await endMarkedProcesses(attempt.id, { graceMs });
        const alive = [attempt.guard, ...tree].filter(isAlive);
        return alive.length === 0 && markedProcesses(attempt.id).length === 0;
      },
    ),
    { numRuns: 15 },
  );
});
