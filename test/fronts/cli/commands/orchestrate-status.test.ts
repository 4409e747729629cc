import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../../../src/base/process/held-lock.ts';
import { main } from '../../../../src/fronts/main.ts';
import { watching } from '../../../../src/lanes/talk/notify.ts';
import { newId } from '../../../../src/store/ids.ts';
import { laneReportStore } from '../../../../src/store/lane-events.ts';
import { laneStore, runStore } from '../../../../src/store/lanes.ts';
import { ledgerStore } from '../../../../src/store/ledger.ts';
import { type BoardRows, boardRows } from '../../../support/board-rows.ts';
import { bufferedHost } from '../../../support/buffered-host.ts';
import { command } from '../../../support/command.ts';
import { CLI_PROGRAM, type Sandbox, sandbox } from '../../../support/sandbox.ts';
import { eventually } from '../../../support/until.ts';

async function someLanes(box: Sandbox): Promise<BoardRows> {
  const rows = await boardRows(box);
  rows.verified('api');
  const web = rows.lane('web');
  const { sha } = rows.work(web);
  const failed = rows.attempt(web, {
    agent: 'codex',
    through: ['exited', 'validating', 'ended'],
    note: { endReason: 'rejected', endCause: 'validation', endSha: sha },
  });
  rows.validation(web, failed, { result: 'fail', exitCode: 1, newFailures: ['pays twice'] });
  const mail = rows.lane('mail');
  const asking = rows.attempt(mail, {
    through: ['exited', 'ended'],
    note: { endReason: 'rejected', endCause: 'no-change' },
  });
  rows.ask(mail, 'Which currency?', asking);
  rows.lane('docs');
  rows.store.write(() => runStore(rows.store).setIntent(rows.run.id, 'paused', 'lunch'));
  return rows;
}

const status = (box: Sandbox, rows: BoardRows, ...argv: readonly string[]) =>
  command(box, rows.repo, ['orchestrate', 'status', ...argv], { now: rows.context.now() });

test('begins with the verdict, then who needs somebody with what helps, then the other lanes', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const { stdout, exitCode } = await status(box, rows);
  expect(exitCode).toBe(0);
  const lines = stdout.split('\n').map((line) => line.replaceAll(/\b[0-9a-f]{8}\b/g, '<sha>'));
  expect(lines.slice(0, 13)).toEqual([
    'billing: 1 of 4 lanes verified, 1 failed, 1 asks, 1 planned; the run is paused (lunch)',
    'Move billing to the new API',
    '  hint: lanehold orchestrate resume',
    '2 need you',
    expect.stringMatching(/^ {2}mail {2}asks {6}claude-code {2}\S+ \w+ {2}Which currency\?$/),
    "    hint: lanehold orchestrate answer mail 'ANSWER'",
    expect.stringMatching(
      /^ {2}web {3}failed {4}codex {8}\S+ \w+ {2}`npm test`: fail on <sha>, 1 new failure: pays twice$/,
    ),
    '    hint: lanehold orchestrate logs web',
    '    hint: lanehold orchestrate retry web',
    'Not begun',
    expect.stringMatching(/^ {2}docs {2}planned /),
    'Proven',
    expect.stringMatching(/^ {2}api {3}verified {2}claude-code {2}.*`npm test` passed on <sha>$/),
  ]);
});

test('tells what the worker of a lane does right now', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const { dir } = rows.attempt(rows.lane('api'), { through: ['running'] });
  const lock = takeLock(join(dir, 'sup.lock'));
  onTestFinished(() => lock?.release());
  const use = { type: 'tool_use', name: 'Bash', input: { command: 'npm test -- api' } };
  const said = [{ type: 'text', text: 'I test it.' }, use];
  const event = { type: 'assistant', message: { content: said } };
  box.write(join(dir, 'stdout.log'), `${JSON.stringify(event)}\n`);
  expect((await status(box, rows)).stdout).toMatch(
    /^ {2}api {2}running .* → Bash: npm test -- api/m,
  );
});

test('as JSON it has all that the table has, and the facts behind it', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const data = JSON.parse((await status(box, rows, '--json')).stdout);
  expect(data.states).toEqual({ verified: 1, failed: 1, asks: 1, planned: 1 });
  expect(data.lanes[0]).toMatchObject({
    key: 'api',
    verdict: { result: 'pass' },
    help: [expect.anything()],
  });
  expect(data.run).toMatchObject({ intent: 'paused', pauseReason: 'lunch' });
  expect(data.untrue).toEqual([]);
});

test('of several open runs each is shown with what it needs, and named in the first look at a project', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const second = { ...rows.run, id: newId(rows.context.now()), name: 'search' };
  rows.store.write(() => runStore(rows.store).add(second));
  const { stdout, exitCode } = await status(box, rows);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^search: no lanes/m);
  expect(stdout).toMatch(/^billing: 1 of 4 lanes verified/m);
  expect(stdout).toContain("hint: lanehold orchestrate answer mail 'ANSWER' --run billing");
  const { runs } = JSON.parse((await status(box, rows, '--json')).stdout);
  expect(runs.map(({ run }: { run: { name: string } }) => run.name)).toEqual(['search', 'billing']);
  const first = await command(box, rows.repo, ['status']);
  expect(first.stdout).toMatch(/^Run billing: 1 of 4 lanes verified/m);
  expect(first.stdout).toContain('hint: `lanehold orchestrate status` shows their lanes');
});

test('says what git and the disk see otherwise', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const worktree = laneStore(rows.store).byKey(rows.run.id, 'api')?.worktree ?? '';
  box.git(worktree, 'commit', '--quiet', '--amend', '--message', 'other words');
  const { stdout } = await status(box, rows);
  expect(stdout).toMatch(/^amiss lane api: commit: refs\/heads\/lanehold\/billing\/api is at /m);
});

test('fits a narrow terminal', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const { host, said } = bufferedHost(['orchestrate', 'status'], {
    env: box.env,
    cwd: () => rows.repo,
    now: rows.context.now,
  });
  Object.assign(host.streams.stdout, { isTTY: true, columns: 60 });
  await main(host);
  await eventually(() => expect(said.stdout).toContain('docs'));
  const lines = stripVTControlCharacters(said.stdout).split('\n');
  for (const line of lines.slice(1)) expect(line.length).toBeLessThanOrEqual(60);
  expect(lines.find((line) => line.startsWith('  mail'))).toMatch(/Which currency\?$/);
  // What a row has no room for stands below it.
  expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain('1 new failure: pays twice');
});

test('--watch writes a line per change where there is no terminal, and ends with Ctrl-C', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const args = [CLI_PROGRAM, 'orchestrate', 'status', '--watch'];
  const child = spawn(process.execPath, args, { cwd: rows.repo, env: box.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await eventually(() => expect(said).toContain('docs planned'));
  // What happens now is seen: nobody has to be told.
  expect(watching(rows.context, rows.run)).toBeUndefined();
  const before = said;
  rows.store.write(() => {
    const docs = laneStore(rows.store).byKey(rows.run.id, 'docs');
    laneStore(rows.store).setIntent(docs?.id ?? '', 'cancelled');
  });
  await eventually(() => expect(said).toContain('docs cancelled'));
  expect(said.slice(before.length)).toMatch(/^\d\d:\d\d:\d\d docs cancelled\n$/);
  child.kill('SIGINT');
  const [exitCode] = await once(child, 'exit');
  expect(exitCode).toBe(0);
  expect(said).not.toContain('\u001b');
  const seen = watching(rows.context, rows.run);
  expect(seen).toBeDefined();
  seen?.release();
});

test('--watch is never taller than the terminal, and says how much is left out', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  for (let at = 10; at < 40; at += 1) rows.lane(`lane-${at}`);
  const { host, said } = bufferedHost(['orchestrate', 'status', '--watch'], {
    env: { ...box.env, TERM: 'xterm' },
    cwd: () => rows.repo,
  });
  Object.assign(host.streams.stdout, { isTTY: true, columns: 60, rows: 12 });
  const ended = main(host);
  await eventually(() => expect(said.stdout).toContain('30 not begun'));
  host.streams.stdout.end();
  await ended;
  const lines = stripVTControlCharacters(said.stdout).trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(12);
});

test('--watch on a terminal draws in place', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const { host, said } = bufferedHost(['orchestrate', 'status', '--watch'], {
    env: { ...box.env, TERM: 'xterm' },
    cwd: () => rows.repo,
  });
  Object.assign(host.streams.stdout, { isTTY: true, columns: 100, rows: 40 });
  const ended = main(host);
  await eventually(() => expect(said.stdout).toContain('Not begun'));
  const before = said.stdout.length;
  rows.store.write(() => {
    const docs = laneStore(rows.store).byKey(rows.run.id, 'docs');
    laneStore(rows.store).setIntent(docs?.id ?? '', 'cancelled');
  });
  await eventually(() => expect(said.stdout.length).toBeGreaterThan(before));
  host.streams.stdout.end();
  expect(await ended).toBe(0);
  // What stands above is left alone; the lines below come up, and the last ones are taken away.
  const written = said.stdout.slice(before);
  expect(written.startsWith('\u001b[?2026h\r\u001b[4AProven\u001b[K')).toBe(true);
  expect(written.split('\u001b[?2026l')[0]).toMatch(/\[J$/);
  expect(written).not.toContain('mail');
});

test('--watch draws anew once the window has another size, however long it has looked', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const { host, said } = bufferedHost(['orchestrate', 'status', '--watch'], {
    env: { ...box.env, TERM: 'xterm' },
    cwd: () => rows.repo,
  });
  const { stdout } = host.streams;
  Object.assign(stdout, { isTTY: true, columns: 100, rows: 40 });
  const ended = main(host);
  await eventually(() => expect(said.stdout).toContain('Not begun'));
  const before = said.stdout.length;
  rows.lane('later');
  await eventually(() => expect(said.stdout.slice(before)).toContain('later'));
  // Node warns of more than ten.
  expect(stdout.listenerCount('resize')).toBe(1);
  Object.assign(stdout, { columns: 60 });
  stdout.emit('resize');
  await eventually(() => expect(said.stdout.slice(before)).toContain('\u001b[2J'));
  // Which is how a terminal says that it does not know its size.
  Object.assign(stdout, { columns: 0, rows: 0 });
  stdout.emit('resize');
  const drawn = () => said.stdout.slice(before).split('\u001b[2J');
  await eventually(() => expect(drawn()[2]).toContain('Not begun'));
  stdout.end();
  expect(await ended).toBe(0);
  expect(stdout.listenerCount('resize')).toBe(0);
});

test('says what the workers of the run have used so far', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  const lane = rows.lane('api');
  const { id: attemptId } = rows.attempt(lane, { through: ['running'] });
  const ledger = ledgerStore(rows.store);
  const key = { attemptId, runId: rows.run.id, laneId: lane.id, day: '2026-01-02' };
  rows.store.write(() => {
    ledger.reserve({ ...key, reserved: { usd: 5 } });
    ledger.use(attemptId, { turns: 12, tokens: 340_000, usd: 1.2, seconds: 840 });
  });
  const { stdout } = await status(box, rows);
  expect(stdout).toContain('used so far: 12 turns, 340K tokens, $1.20, 14 min\n');
  const { budget } = JSON.parse((await status(box, rows, '--json')).stdout);
  expect(budget.used).toEqual({ turns: 12, tokens: 340_000, usd: 1.2, seconds: 840 });
});

/** The board on a terminal with a keyboard. */
function watched(box: Sandbox, rows: BoardRows) {
  const { host, said } = bufferedHost(['orchestrate', 'status', '--watch'], {
    env: { ...box.env, TERM: 'xterm' },
    cwd: () => rows.repo,
    program: CLI_PROGRAM,
  });
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin });
  Object.assign(host.streams, { stdin });
  Object.assign(host.streams.stdout, { isTTY: true, columns: 100, rows: 40 });
  Object.assign(host.streams.stderr, { isTTY: true, columns: 100 });
  const shown = () => stripVTControlCharacters(said.stdout);
  return { said, stdin, shown, ended: main(host) };
}

test('--watch on a terminal takes keys: it opens a lane, and answers its question', async () => {
  const box = sandbox();
  const rows = await someLanes(box);
  const { said, ended, stdin, shown } = watched(box, rows);
  await eventually(() => expect(shown()).toMatch(/^> \? mail +asks .* Which currency\?$/m));
  expect(shown()).toContain('a answer  l log  d diff  c copy the command  q leave  ? keys');
  stdin.write('?');
  await eventually(() => expect(shown()).toMatch(/a answer .* r retry {2}/));
  // The list stays: no row was opened.
  expect(shown()).not.toContain('since <1 min');
  stdin.write('?\r');
  await eventually(() => expect(shown()).toMatch(/^\? mail asks +since <1 min$/m));
  expect(shown()).toContain("\n  lanehold orchestrate answer mail 'ANSWER'");
  stdin.write('c');
  const copied = Buffer.from("lanehold orchestrate answer mail 'ANSWER'").toString('base64');
  await eventually(() => expect(said.stdout).toContain(`\u001b]52;c;${copied}\u0007`));
  stdin.write('a');
  await eventually(() =>
    expect(said.stderr).toContain('mail asks: Which currency?\nanswer (Esc leaves): '),
  );
  stdin.write('--EUR, as elsewhere\n');
  await eventually(() => expect(shown()).toContain('any key to go on'));
  const asked = laneReportStore(rows.store).ofLane(
    laneStore(rows.store).byKey(rows.run.id, 'mail')?.id ?? '',
  );
  expect(asked.find(({ kind }) => kind === 'ask')?.answer).toBe('--EUR, as elsewhere');
  stdin.write(' ');
  stdin.write('q');
  expect(await ended).toBe(0);
});

test.each([
  ['Esc', 'EUR\u001b'],
  ['Ctrl-C', 'EUR\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s leaves the question that the board asks, and the board goes on', async (_, typed) => {
  const box = sandbox();
  const rows = await boardRows(box);
  const mail = rows.lane('mail');
  const note = { endReason: 'rejected', endCause: 'no-change' } as const;
  const asking = rows.attempt(mail, { through: ['exited', 'ended'], note });
  rows.ask(mail, `Is it ${'every '.repeat(20)}currency?`, asking);
  const { said, ended, stdin, shown } = watched(box, rows);
  await eventually(() => expect(shown()).toMatch(/^> \? mail +asks/m));
  stdin.write('a');
  await eventually(() => expect(said.stderr).toContain('answer (Esc leaves): '));
  const asked = stripVTControlCharacters(said.stderr).split('\n');
  for (const line of asked) expect(line.length).toBeLessThanOrEqual(100);
  const before = said.stdout.length;
  stdin.write(typed);
  await eventually(() => expect(said.stdout.slice(before)).toMatch(/mail +asks/));
  expect(shown()).not.toContain('any key');
  stdin.write('q');
  expect(await ended).toBe(0);
  expect(laneReportStore(rows.store).openQuestions(rows.run.id)).toHaveLength(1);
});

test('where no run is open, says which was the last one', async () => {
  const box = sandbox();
  const rows = await boardRows(box);
  rows.store.write(() => {
    const runs = runStore(rows.store);
    runs.setIntent(rows.run.id, 'closed', null);
    // One that this machine worked for is another machine's.
    runs.add({ ...rows.run, id: 'lent', name: 'lent' });
    runs.setOrigin('lent', 'there');
  });
  const { stdout, exitCode } = await status(box, rows);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('No run is open; the last one, billing, is closed');
  expect(JSON.parse((await status(box, rows, '--json')).stdout)).toEqual({
    run: null,
    last: { name: 'billing', intent: 'closed' },
  });
  expect((await status(box, rows, '--run', 'billing')).exitCode).toBe(0);
  const cancelled = await command(box, rows.repo, ['orchestrate', 'cancel', '--run', 'billing']);
  expect(cancelled).toMatchObject({ exitCode: 1 });
  expect(cancelled.stderr).toContain('run billing is closed already');
  for (const words of [['handoff'], ['logs', 'api']]) {
    const { stderr } = await command(box, rows.repo, ['orchestrate', ...words]);
    expect(stderr).toContain('the last one is closed: give `--run billing`');
  }
});
