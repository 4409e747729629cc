/** A look at a run changes nothing, and costs the same statements however many lanes there are. */
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { runStatus } from '../../../src/app/lanes/runs.ts';
import { createContext } from '../../../src/fronts/cli/command.ts';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { quickStatus } from '../../../src/moments/lifecycle/status-line.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { command } from '../../support/command.ts';
import { countedStore } from '../../support/counted-store.ts';
import { mcpClient } from '../../support/mcp-client.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

/** Lanes that need another, wait for an answer, have failed, or are verified. */
function addLanes(rows: BoardRows, from: number, to: number): void {
  for (let number = from; number < to; number += 1) {
    const lane = rows.lane(`lane-${number}`, { touches: ['src/**'] }, { intent: 'run' });
    if (number % 4 === 1) rows.ask(lane, 'Which?');
    if (number % 4 === 2) {
      const failed = { endReason: 'rejected', endCause: 'validation' } as const;
      const through = ['running', 'exited', 'validating', 'ended'] as const;
      rows.validation(lane, rows.attempt(lane, { through, note: failed }), { result: 'fail' });
    }
    const before = laneStore(rows.store).byKey(rows.run.id, `lane-${number - 1}`);
    if (number % 4 === 3 && before !== undefined) {
      rows.store.write(() => laneStore(rows.store).addDep(lane.id, before.id));
    }
  }
}

test('the board of thirty lanes takes no more statements than that of three', async () => {
  const rows = await boardRows(sandbox());
  const statements = () => {
    const run: string[] = [];
    const store = countedStore(rows.store, (sql) => run.push(sql.trim()));
    readBoard({ ...rows.context, store }, rows.run);
    return run;
  };
  addLanes(rows, 0, 3);
  const few = statements();
  addLanes(rows, 3, 30);
  expect(statements()).toEqual(few);
  expect(few.length).toBeLessThan(21);
  expect(few.filter((sql) => !sql.startsWith('SELECT'))).toEqual([]);
});

function contextOf(box: Sandbox, { repo, context }: BoardRows) {
  const { host } = bufferedHost([], { env: box.env, cwd: () => repo, now: context.now });
  const opened = createContext(host, {});
  onTestFinished(() => opened.close());
  return opened;
}

test('no log is read for a look at a run: one that was changed in secret is found by a check', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const api = rows.verified('api');
  const look = async () => {
    const status = await runStatus(contextOf(box, rows), {});
    if (status.kind !== 'board') throw new Error('no board');
    return (await status.read()).untrue.map(({ about, now }) => `${about}: ${now}`);
  };
  expect(await look()).toEqual([]);
  const path = readBoard(rows.context, rows.run).lanes[0]?.verdict?.logPath ?? '';
  const { mtimeMs } = statSync(path);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('it ran', 'IT RAN'));
  expect(await look()).toEqual([expect.stringMatching(/^lane api: evidence: .*`handoff --check`/)]);
  utimesSync(path, mtimeMs / 1_000, mtimeMs / 1_000);
  expect(await look()).toEqual([]);
  const checked = await command(box, rows.repo, ['orchestrate', 'handoff', '--check', '--json']);
  expect(checked.exitCode).toBe(3);
  expect(JSON.parse(checked.stdout).untrue).toMatchObject([{ now: 'the log was changed' }]);
  writeFileSync(path, `${text}more\n`);
  expect(await look()).toEqual(['lane api: evidence: the log was changed']);
  expect(api.state).toBe('verified');
});

test('what only looks starts no lane, and takes none over', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  rows.lane('due', { validate: 'true' }, { intent: 'run' });
  const lost = rows.attempt(rows.lane('lost'), { through: ['running'] });
  // Whoever opens a project first notes the id of its clone.
  const everything = () => {
    const tables = rows.store.db.prepare<[], string>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_words%' ESCAPE '\\' AND name <> 'clones'",
    );
    const rowsIn = (table: string) => rows.store.db.prepare(`SELECT * FROM ${table}`).all();
    return JSON.stringify(
      tables
        .pluck()
        .all()
        .map((name) => [name, rowsIn(name)]),
    );
  };
  const context = contextOf(box, rows);
  const { call } = await mcpClient(box, rows.repo, { now: rows.context.now });
  await quickStatus(context);
  const before = everything();
  const { data } = await call('status', { show: 'lanes' });
  expect(data.lanes).toMatchObject([
    { key: 'due', state: 'ready' },
    { key: 'lost', state: 'running', supervision: 'none' },
  ]);
  const quick = await quickStatus(context);
  expect(quick.lanes).toMatchObject([{ state: 'ready' }, { state: 'running' }]);
  expect((await command(box, rows.repo, ['statusline'])).stdout).not.toBe('');
  expect(everything()).toBe(before);
  expect(attemptStore(rows.store).byId(lost.id)?.launchedAt).toBeNull();
});
