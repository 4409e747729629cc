/** `lanes.notify`: what a person is told who does not look, once. */
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readBoard } from '../../../src/lanes/look/board.ts';
import { handoffSince } from '../../../src/lanes/look/handoff.ts';
import { isToNotify, notify, watching } from '../../../src/lanes/talk/notify.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { newId } from '../../../src/store/ids.ts';
import { laneEventStore, laneReportStore } from '../../../src/store/lane-events.ts';
import { laneStore } from '../../../src/store/lanes.ts';
import { command } from '../../support/command.ts';
import { laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { laneWorker } from '../../support/lane-worker.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Appends the notice that it gets on stdin, and its last argument. */
const NOTER = `#!/bin/sh
read -r json
printf '%s\\n' "$json" >> "$1"
`;

async function told(settings?: (noted: string[]) => Settings) {
  const worker = await laneWorker();
  const { box, context, lane } = worker;
  const noter = box.write('noter.sh', NOTER);
  const out = join(box.root, 'noted');
  writeFileSync(out, '');
  const words = ['sh', noter, out];
  const set = (value: Settings) =>
    box.write(
      'home/.lanehold/config.json',
      JSON.stringify({ lanes: { baseline: 'when-needed', notify: value } }),
    );
  set(settings?.(words) ?? { command: words });
  return {
    ...worker,
    set,
    words,
    ask(body: string): void {
      const by = { laneId: lane('api').id, attemptId: worker.attempt, by: 'lane api' };
      const report = { ...by, id: newId(context.now()), kind: 'ask' as const, body };
      context.store.write(() => laneReportStore(context.store).add(report, context.now()));
    },
    /** As a process would that tends the run. */
    async tend(): Promise<void> {
      if (isToNotify(context)) await notify(context);
    },
    noted: () =>
      readFileSync(out, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    failures: () => laneEventStore(context.store).ofType(worker.run.id, 'run.notify-failed'),
  };
}

describe('a command', () => {
  test('is started once for each thing that a person is needed for', async () => {
    const it = await told();
    await it.tend();
    expect(it.noted()).toEqual([]);
    it.ask('Which name; `rm -rf` $(x)?');
    await it.tend();
    await it.tend();
    expect(it.noted()).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        kind: 'needed',
        run: it.run.name,
        project: it.repo,
        text: `run ${it.run.name}: the worker of lane api asks "Which name; \`rm -rf\` $(x)?" (\`lanehold orchestrate answer api 'ANSWER' --run ${it.run.name}\`)`,
        at: expect.any(String),
      },
    ]);
    it.ask('And which place?');
    await it.tend();
    expect(it.noted()).toHaveLength(2);
  });

  test('gets the text as an argument and in its environment', async () => {
    const it = await told();
    const out = join(it.box.root, 'seen');
    const script = `printf '%s|%s|%s' "$1" "$LANEHOLD_NOTICE" "$LANEHOLD_NOTICE_KIND" > ${out}`;
    it.set({ command: ['sh', '-c', script, 'sh'] });
    it.ask('What?');
    await it.tend();
    const [argument, variable, kind] = readFileSync(out, 'utf8').split('|');
    expect([argument, kind]).toEqual([variable, 'needed']);
    expect(argument).toContain('asks "What?"');
  });

  test('that has begun is not started again after a crash, and one that has not is', async () => {
    const it = await told();
    const gate = join(it.box.root, 'gate');
    const slow = `while [ ! -e ${gate} ]; do sleep 0.05; done; exec "$@"`;
    it.set({ command: ['sh', '-c', slow, 'sh', ...it.words] });
    it.ask('What?');
    // The process that tells dies while the program is at work: what it noted is gone with it.
    const dead = notify(it.context);
    await delay(300);
    writeFileSync(gate, '');
    await dead;
    const folder = join(it.context.store.home.runs, 'lanes', it.run.id, 'told');
    const [mark = ''] = readdirSync(folder).filter((name) => /^[0-9a-f]{16}$/.test(name));
    rmSync(join(folder, mark));
    await it.tend();
    expect(it.noted()).toHaveLength(1);
    rmSync(join(folder, mark));
    rmSync(join(folder, `${mark}.command`));
    await it.tend();
    expect(it.noted()).toHaveLength(2);
  });

  test('that fails is noted once, and not started for the same again', async () => {
    const it = await told();
    it.set({ command: ['sh', '-c', 'echo no route >&2; exit 3'], desktop: false });
    it.ask('What?');
    await it.tend();
    await it.tend();
    it.ask('And?');
    await it.tend();
    expect(it.failures()).toMatchObject([{ data: { why: 'command: exit code 3 no route' } }]);
    it.set({ command: ['no-such-program'] });
    it.ask('Still?');
    await it.tend();
    expect(it.failures()).toMatchObject([{}, { data: { why: /command: exit code 127/ } }]);
    const { notifyFailure } = readBoard(it.context, it.run);
    expect(notifyFailure).toMatch(/command: exit code 127 .*no-such-program/);
    expect(handoffSince(it.context, it.run, { cursor: 0 }).text).toContain(notifyFailure);
  });
});

test('the desktop is told by the program that it has', async () => {
  const it = await told(() => ({ desktop: true }));
  const out = join(it.box.root, 'shown');
  for (const name of ['notify-send', 'osascript']) {
    const file = it.box.write(
      join('bin', name),
      `#!/bin/sh\nfor it; do :; done; echo "$it" >> '${out}'\n`,
    );
    chmodSync(file, 0o755);
  }
  const PATH = `${join(it.box.root, 'bin')}:${process.env.PATH}`;
  it.ask('What?');
  await notify({ ...it.context, env: { ...it.context.env, PATH } });
  expect(readFileSync(out, 'utf8')).toMatch(/^run .*: the worker of lane api asks "What\?".*\n$/);
});

test('what is seen on the board that is open is not told, then or later', async () => {
  const it = await told();
  const board = watching(it.context, it.run);
  it.ask('Seen?');
  await it.tend();
  board?.release();
  await it.tend();
  expect(it.noted()).toEqual([]);
  it.ask('And this?');
  await it.tend();
  expect(it.noted()).toMatchObject([{ text: expect.stringContaining('And this?') }]);
});

test('caps and the end are told, and who set nothing is told nothing', async () => {
  const it = await told();
  const { context, run, lane, attempt, commitLane, verify } = it;
  const { store } = context;
  const end = (note: object) =>
    store.write(() => {
      const attempts = attemptStore(store);
      attempts.note(attempt, 0, { state: 'ended', endedAt: context.now(), ...note });
      laneStore(store).setIntent(lane('api').id, 'run');
    });
  store.write(() => attemptStore(store).note(attempt, 0, { state: 'exited' }));
  end({ endReason: 'parked', endCause: 'budget', endDetail: 'used 5 of 5 turns' });
  await it.tend();
  expect(it.noted()).toMatchObject([
    { kind: 'cap', text: `run ${run.name}: lane api stopped: used 5 of 5 turns` },
  ]);
  it.set({});
  it.ask('Unheard?');
  await it.tend();
  expect(it.noted()).toHaveLength(1);
  it.set({ command: it.words });
  store.write(() => {
    for (const { id } of laneReportStore(store).openQuestions(run.id)) {
      laneReportStore(store).answer(id, 'yes', 'person ada', context.now());
    }
    laneStore(store).setIntent(lane('api').id, 'hold');
  });
  commitLane('api', { 'src/api/routes.ts': 'two\n' });
  verify('api');
  await it.tend();
  expect(it.noted().at(-1)).toMatchObject({
    kind: 'done',
    text: `run ${run.name}: 1 lane verified, none is left to work on (\`lanehold orchestrate integrate --run ${run.name}\`)`,
  });
});

test('a URL gets the same as JSON, once, and its failure does not name it', async () => {
  const bodies: unknown[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (piece) => {
      text += piece;
    });
    request.on('end', () => {
      bodies.push([request.method, request.headers['content-type'], JSON.parse(text)]);
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const it = await told(() => ({ webhook: `http://127.0.0.1:${port}/hook?token=s3cret` }));
  it.ask('What?');
  await it.tend();
  await it.tend();
  expect(bodies).toMatchObject([['POST', 'application/json', { kind: 'needed' }]]);
  status = 500;
  it.ask('And?');
  await it.tend();
  await it.tend();
  expect(bodies).toHaveLength(2);
  expect(it.failures()).toMatchObject([{ data: { why: 'webhook: status 500' } }]);
  server.close();
  it.ask('Still?');
  await it.tend();
  expect(JSON.stringify(it.failures())).not.toContain('s3cret');
});

test('only the user says how: a repository names no command and no URL', async () => {
  const { box, repo, end } = await laneWorker();
  end();
  const lanes = { notify: { webhook: 'https://example.invalid/' } };
  box.write(join(repo, 'lanehold.json'), JSON.stringify({ lanes }));
  const { exitCode, stderr } = await command(box, repo, ['orchestrate', 'spawn', 'api']);
  expect([exitCode === 0, stderr]).toEqual([false, expect.stringContaining('notify')]);
});

test('supervisors tell of a question while the worker goes on, and of the end', async () => {
  const ask = { lanehold: ['orchestrate', 'ask', 'Which name?'] } as const;
  const write = { write: { 'a.txt': 'a\n' } } as const;
  const first = [ask, { waitFor: 'go' }] as const;
  const project = laneProject({ scenario: { lanes: { a: [first, [write]] } } });
  const { box } = project;
  const out = join(box.root, 'noted');
  writeFileSync(out, '');
  const noter = box.write('noter.sh', NOTER);
  const lanes = { baseline: 'when-needed', notify: { command: ['sh', noter, out] } };
  box.write(join(box.laneholdHome, 'config.json'), JSON.stringify({ lanes }));
  const run = laneRun(project);
  await run.init();
  await run.add('a');
  await run.spawn();
  const noted = () => readFileSync(out, 'utf8');
  await project.until('the question to be told', () => noted().includes('Which name?'));
  expect(run.states()).toEqual({ a: 'running' });
  await run.orchestrate('answer', 'a', 'a.txt');
  project.raise('go');
  await project.until('the end to be told', () => noted().includes('1 lane verified'));
  expect(noted().trimEnd().split('\n')).toHaveLength(2);
});

test('the cap of a run is told once, however many lanes it keeps from starting', async () => {
  const it = await told();
  const { context, run, lane, addLane, end } = it;
  end();
  for (const [key, whose, why] of [
    ['one', 'run', "the run's usd are used up"],
    ['two', 'run', "the run's usd are used up"],
    ['three', 'lane', "the lane's usd are used up"],
    ['four', 'lane', "the lane's usd are used up"],
    ['five', 'person', 'waits for the designs'],
  ] as const) {
    addLane(key);
    const { id: laneId } = lane(key);
    const event = { runId: run.id, laneId, type: 'budget', data: { why, whose }, by: 'reconcile' };
    context.store.write(() => {
      laneStore(context.store).setBlocked(laneId, why);
      if (whose !== 'person') laneEventStore(context.store).add(event, context.now());
    });
  }
  await it.tend();
  const caps = it.noted().filter(({ kind }) => kind === 'cap');
  expect(caps.map(({ text }) => text.replace(`run ${run.name}: `, ''))).toEqual([
    "lane one does not start: the run's usd are used up",
    "lane three does not start: the lane's usd are used up",
    "lane four does not start: the lane's usd are used up",
  ]);
});
