/** How the page's server starts, what it tells, does and tends, and how it ends. */

import { once } from 'node:events';
import { appendFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../../../src/base/files/home.ts';
import { main } from '../../../src/fronts/main.ts';
import { changeFeed } from '../../../src/fronts/page/changes.ts';
import { recordReport } from '../../../src/lanes/talk/say.ts';
import { laneReportStore } from '../../../src/store/lane-events.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Operation } from '../../../src/store/operations.ts';
import { proposalStore } from '../../../src/store/proposals.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { command } from '../../support/command.ts';
import { laneRows } from '../../support/lane-rows.ts';
import { laneWorker } from '../../support/lane-worker.ts';
import { enteredPage, openPage } from '../../support/page.ts';
import { sandbox } from '../../support/sandbox.ts';
import { until } from '../../support/until.ts';

test('the command prints an address, another one on enter, and ends with the terminal', async () => {
  const box = sandbox();
  const repo = box.repo();
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const { host, said } = bufferedHost(['ui', '--no-open'], { env: box.env, cwd: () => repo });
  const stdout = Object.assign(host.streams.stdout, { isTTY: true });
  const ended = main({ ...host, streams: { ...host.streams, stdin, stdout } });
  const addresses = () => said.stdout.match(/^http:\/\/127\.0\.0\.1:\d+\/#[\w-]{43}$/gm) ?? [];
  await until('an address', () => addresses().length === 1);
  stdin.write('\n');
  await until('another one', () => addresses().length === 2);
  expect(new Set(addresses()).size).toBe(2);
  expect(said.stdout).toContain(
    'It opens once: press Enter here for another one, and Ctrl-C to end',
  );
  process.emit('SIGINT');
  expect([await ended, said.stderr]).toEqual([0, '']);
  await expect(fetch(`${addresses()[0]}`)).rejects.toThrow('fetch failed');
});

test('under --json the address is data; it says where nothing can be done', async () => {
  const box = sandbox();
  const repo = box.repo();
  const env = { ...box.env, CLAUDECODE: '1' };
  const { host, said } = bufferedHost(['ui', '--json', '--port', '0'], { env, cwd: () => repo });
  const ended = main(host);
  const { address, port, readOnly } = JSON.parse(
    await until('JSON', () => said.stdout || undefined),
  );
  expect(address).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/#`));
  expect(readOnly).toBe('claude-code has started it');
  process.emit('SIGINT');
  expect(await ended).toBe(0);
});

test('it says what keeps it from starting, and the way out', async () => {
  const box = sandbox();
  const repo = box.repo();
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  for (const [folder, args, exitCode, text] of [
    [
      repo,
      ['--port', `${port}`],
      1,
      `error: port ${port} is taken\nhint: give another one with --port`,
    ],
    [repo, ['--port', '65536'], 2, 'error: 65536 is no port\nhint: give a number from 1 to 65535'],
    [repo, ['--port', 'x'], 2, 'x is no port'],
    [
      box.home,
      [],
      2,
      'error: there is no project here\nhint: go to the folder of a project, or give --all',
    ],
    [box.home, ['--all'], 2, 'error: nothing is stored of any project'],
  ] as const) {
    const ran = await command(box, folder, ['ui', '--no-open', ...args]);
    expect([args, ran]).toEqual([
      args,
      { exitCode, stdout: '', stderr: expect.stringContaining(text) },
    ]);
  }
  for (const folder of [box.root, `${box.root}/none`]) {
    await expect(openPage(box, repo, { folder })).rejects.toThrow('the page is not built');
  }
});

test('with --all it serves every project of the machine that is there', async () => {
  const { box, repo } = await laneRows();
  const other = box.repo('other');
  const gone = box.repo('gone');
  for (const folder of [other, gone]) {
    await command(box, folder, ['note', 'add', 'project/a', 'A title']);
  }
  rmSync(gone, { recursive: true });
  const page = await enteredPage(box, other, { all: true });
  const { projects } = JSON.parse((await page.get('/api/projects')).text);
  expect(projects).toEqual([
    { key: expect.stringMatching(/^[0-9a-f]{12}$/), name: 'other', folder: other },
    { key: expect.stringMatching(/^[0-9a-f]{12}$/), name: 'repo', folder: repo },
  ]);
  const runs = async (key: string) => JSON.parse((await page.get(`/api/${key}/lanes`)).text).runs;
  expect(await Promise.all(['-', projects[0].key, projects[1].key].map(runs))).toEqual([
    [],
    [],
    [expect.objectContaining({ name: 'billing' })],
  ]);
  expect((await page.get('/api/other/lanes')).status).toBe(404);
});

test('open pages are told of what any process writes, and after a gap of what they missed', async () => {
  const { box, repo, addLane, context, lane } = await laneRows();
  addLane('api');
  const page = await enteredPage(box, repo);
  const [one, two] = [page.follow(), page.follow()];
  await until('both are open', () => one.count('open') + two.count('open') === 2);
  const note = (text: string) =>
    recordReport(context, { lane: lane('api'), attempt: null }, { kind: 'note', text, by: 'a' });
  note('first');
  await until('both are told', () => one.count('changed') === 1 && two.count('changed') === 1);
  const { id } = one.events().at(-1) ?? {};
  one.leave();
  const current = page.follow('', { 'last-event-id': `${id}` });
  await until('it is open', () => current.count('open') === 1);
  note('second');
  await until('it is told', () => current.count('changed') === 1);
  // What was written before this stream is told at once: as it opens.
  const late = page.follow('', { 'last-event-id': `${id}` });
  await until(
    'it is told',
    () =>
      late
        .events()
        .map(({ event }) => event)
        .join() === 'open,changed',
  );
  // An id of a server that has ended.
  const older = page.follow('', { 'last-event-id': 'before.1' });
  await until('it is told', () => older.count('changed') === 1);
  expect(two.count('changed')).toBe(2);
  await page.end();
  await until('the streams end', () => !two.isOpen() && !late.isOpen());
});

test('the stream says how large the log has become that is looked at', async () => {
  const { box, repo, dir } = await laneWorker();
  const page = await enteredPage(box, repo);
  const log = `${dir}/stdout.log`;
  appendFileSync(log, 'one\n');
  const followed = page.follow('?log=api/1');
  const sizes = () =>
    followed.events().flatMap(({ event, data }) => (event === 'grew' ? [data.bytes] : []));
  await until('its size', () => sizes().length === 1);
  appendFileSync(log, 'two\n');
  await until('its new size', () => sizes().length === 2);
  expect(sizes()).toEqual([4, 8]);
  const none = await page.get('/api/-/changes?log=api/9');
  expect([none.status, none.text]).toEqual([400, expect.stringContaining('no attempt 9')]);
});

test('what a person may do there is what the command line does, in their name', async () => {
  const { box, repo, addLane, commitLane, verify, context, lane, git } = await laneRows({
    files: { 'src/api.ts': 'one\n' },
    validate: 'true',
  });
  addLane('api');
  commitLane('api', { 'src/api.ts': 'one\ntwo\n' });
  verify('api');
  const by = { lane: lane('api'), attempt: null };
  recordReport(context, by, { kind: 'ask', text: 'Which name?', by: 'a' });
  // However busy the machine is: the end of each is what is looked at here.
  const page = await enteredPage(box, repo, { env: { USER: 'ada' }, answerMs: 60_000 });
  const said = async (action: string, more: object = {}) => {
    const { said, error } = await page.act(action, more);
    return said ?? error;
  };
  expect(await said('answer', { lane: 'api', text: 'total' })).toBe(
    `Answered the question of lane api; it is kept for whoever works on the lane next`,
  );
  expect(await said('message', { lane: 'api', text: 'Keep it' })).toContain('lane api');
  expect(await said('comment', { lane: 'api', at: 'src/api.ts:2', text: 'Why?' })).toContain('api');
  const reports = laneReportStore(context.store).ofLane(lane('api').id);
  expect(reports.map((it) => it.answeredBy ?? it.by)).toEqual(Array(3).fill('person ada'));
  expect(reports.at(-1)?.body).toContain('On src/api.ts:2');
  const sha = `${lane('api').headSha}`;
  expect(await said('seen', { lane: 'api', sha })).toBe(
    `Marked lane api as seen up to ${sha.slice(0, 8)}`,
  );
  const diff = await page.get('/api/-/lanes/api/diff?against=seen');
  expect(JSON.parse(diff.text)).toMatchObject({ from: sha, to: sha, files: [] });
  expect(await said('seen', { lane: 'api', sha: 'HEAD' })).toBe('there is no commit HEAD');
  expect(await said('pause', { reason: 'lunch' })).toMatch(/^Run .* is paused$/);
  expect(await said('resume')).toMatch(/goes on$/);
  // Its worker has not got the message and the comment yet.
  expect(await said('integrate')).toContain('message-not-delivered');
  for (const { id } of reports) laneReportStore(context.store).markDelivered(id, new Date());
  expect(await said('integrate')).toContain('Integrated 1');
  expect(await said('retry', { lane: 'none' })).toContain('there is no lane `none`');
  expect(await said('land', { way: 'squash' })).toContain('Landed api on main');
  expect(git('show', 'main:src/api.ts')).toBe('one\ntwo');
  expect(page.defects).toEqual([]);
});

test('what takes long goes on, and open pages are told how it ends', async () => {
  const { box, repo, addLane } = await laneRows();
  addLane('api');
  const page = await enteredPage(box, repo, { answerMs: 0 });
  const followed = page.follow();
  await until('it is open', () => followed.count('open') === 1);
  const ends = () =>
    followed.events().flatMap(({ event, data }) => (event === 'said' ? [data] : []));
  for (const [lane, end] of [
    ['api', { said: expect.stringContaining('lane api') }],
    ['none', { error: expect.stringContaining('there is no lane `none`') }],
    [`ghp_${'aB3dE5gH7jK9'.repeat(3)}`, { error: expect.stringContaining('[redacted:github]') }],
  ] as const) {
    const before = ends().length;
    const { said } = await page.act('message', { lane, text: 'Keep it' });
    expect(said).toBe('It has begun; this page tells how it ends');
    await until('the end', () => ends().length > before);
    expect(ends().at(-1)).toMatchObject(end);
  }
});

test('what one project is told, pages of another one do not hear', async () => {
  const store = await openStore(homeOf(sandbox().env));
  onTestFinished(() => store.close());
  const feed = changeFeed(store, () => undefined);
  const heard: number[] = [];
  for (const projectId of [1, 2]) {
    const send = ({ event }: { event: string }) => void (event === 'said' && heard.push(projectId));
    onTestFinished(feed.add({ projectId, log: undefined, lastId: undefined, send }));
  }
  feed.announce(2, 'said', '{}');
  expect(heard).toEqual([2]);
});

test('notes are confirmed and rejected there', async () => {
  const box = sandbox();
  const repo = box.repo();
  await command(box, repo, ['note', 'add', 'project/facts/port', 'It listens on 4600']);
  const page = await enteredPage(box, repo);
  const note = 'project/facts/port';
  expect(await page.act('confirm-note', { note })).toMatchObject({ said: `Confirmed ${note}` });
  expect(await page.act('reject-note', { note })).toMatchObject({ said: `Rejected ${note}` });
  expect(await page.act('reject-note', { note: 'none' })).toMatchObject({ status: 404 });
});

test('proposals are applied and rejected there; of what a feature consists of, nothing is', async () => {
  const box = sandbox();
  const repo = box.repo();
  await command(box, repo, ['guard', 'add', 'LICENSE', 'Only the lawyers change it']);
  const store = await openStore(homeOf(box.env));
  onTestFinished(() => store.close());
  const propose = (uid: string, operation: Operation) =>
    store.write(() =>
      proposalStore(store).add({
        uid,
        projectId: 1,
        operation,
        why: 'three sessions said so',
        evidence: [],
        diff: [],
        source: 'rules',
        status: 'waiting',
        at: new Date(),
        decidedAt: null,
      }),
    );
  propose('dp-1', { op: 'guard', files: 'db/**', rule: 'Ask first', deny: false });
  propose('dp-2', { op: 'guard', files: 'api/**', rule: 'Ask first', deny: false });
  propose('dp-3', { op: 'feature', name: 'api', files: ['api/**'], smoke: ['true'] });
  const page = await enteredPage(box, repo);
  expect(await page.act('apply-proposal', { proposal: 'dp-1' })).toMatchObject({
    said: 'Applied dp-1 guard: three sessions said so',
  });
  expect(await page.act('reject-proposal', { proposal: 'dp-2' })).toMatchObject({
    said: 'Rejected dp-2 guard: three sessions said so',
  });
  expect(await page.act('apply-proposal', { proposal: 'dp-3' })).toMatchObject({
    status: 409,
    hint: 'type it: lanehold dream apply dp-3',
  });
  const memory = JSON.parse((await page.get('/api/-/memory')).text);
  expect(memory.proposals.map(({ id }: { id: string }) => id)).toEqual(['dp-3']);
  expect(memory.guards.map(({ files }: { files: string }) => files)).toEqual(['LICENSE', 'db/**']);
});

test('what was found in a command is told as `gate --explain` tells it', async () => {
  const box = sandbox();
  const repo = box.repo();
  const page = await enteredPage(box, repo);
  const query = new URLSearchParams({ command: 'cd web && npm publish' });
  const { explanation } = JSON.parse((await page.get(`/api/-/gate?${query}`)).text);
  const typed = await command(box, repo, [
    'gate',
    '--explain',
    '--command',
    'cd web && npm publish',
  ]);
  expect(`${explanation}\n`).toBe(typed.stdout);
  expect(explanation).toContain('boundary, certain: npm publish');
});

test('it ends after a time in which nobody has looked; an open page is a reader', async () => {
  const box = sandbox();
  const repo = box.repo();
  const page = await enteredPage(box, repo, { idleMs: 150 });
  const followed = page.follow();
  await until('it is open', () => followed.count('open') === 1);
  const isOver = () =>
    Promise.race([page.ended.then(() => true), new Promise((it) => setTimeout(it, 600))]);
  expect(await isOver()).toBeUndefined();
  followed.leave();
  await page.ended;
  await expect(fetch(page.origin)).rejects.toThrow('fetch failed');
  (await openStore(homeOf(box.env))).close();
});
