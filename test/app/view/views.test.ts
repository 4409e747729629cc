/** What the page and the board are given: each view of one project, read without changing anything. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addNote } from '../../../src/app/recall/note-editing.ts';
import type { AsJson } from '../../../src/app/view/as-json.ts';
import { healthView } from '../../../src/app/view/health.ts';
import { featureView, holdView } from '../../../src/app/view/hold.ts';
import { diffView, laneView, logView } from '../../../src/app/view/lane.ts';
import { lanesView, runView } from '../../../src/app/view/lanes.ts';
import { memoryView, noteView } from '../../../src/app/view/memory.ts';
import { needsView } from '../../../src/app/view/needs.ts';
import { type SessionsWish, sessionsView, sessionView } from '../../../src/app/view/sessions.ts';
import { createContext } from '../../../src/fronts/cli/command.ts';
import { EMPTY_OBSERVATION } from '../../../src/recall/actions.ts';
import { addObserved, type Observed } from '../../../src/recall/observed.ts';
import { suggest } from '../../../src/recall/suggestions.ts';
import { attemptStore } from '../../../src/store/attempts.ts';
import { breakerStore } from '../../../src/store/breakers.ts';
import { decisionStore } from '../../../src/store/decisions.ts';
import { evidenceStore } from '../../../src/store/evidence.ts';
import { handoffStore } from '../../../src/store/handoffs.ts';
import { heldPushStore } from '../../../src/store/held-pushes.ts';
import { laneValidationStore } from '../../../src/store/lane-validations.ts';
import { observationStore } from '../../../src/store/observations.ts';
import { type Proposal, proposalStore } from '../../../src/store/proposals.ts';
import { toldStore } from '../../../src/store/told.ts';
import type { BoardRows } from '../../support/board-rows.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { command } from '../../support/command.ts';
import { validationRow } from '../../support/lane-builder.ts';
import { sandbox } from '../../support/sandbox.ts';
import { MAIL_QUESTION, sixLanes } from '../../support/six-lanes.ts';

const SECRET = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`;

const box = sandbox((remove) => afterAll(remove));
let rows: BoardRows;
let context: ReturnType<typeof createContext>;
beforeAll(async () => {
  rows = await sixLanes(box);
  const { host } = bufferedHost([], { env: box.env, cwd: () => rows.repo, now: rows.context.now });
  context = createContext(host, {});
});
afterAll(() => context.close());

const json = async <T>(view: Promise<T>) => JSON.parse(JSON.stringify(await view)) as AsJson<T>;

const VIEWS = {
  needs: () => needsView(context),
  lanes: () => lanesView(context),
  lane: () => laneView(context, { key: 'receipt' }),
  diff: () => diffView(context, { key: 'format', against: 'base' }),
  log: () => logView(context, { key: 'report' }),
  run: () => runView(context),
  hold: () => holdView(context),
  feature: () => featureView(context, 'cart'),
  sessions: () => sessionsView(context),
  memory: () => memoryView(context, 'cart'),
  health: () => healthView(context),
};

test('a look changes nothing in the database', async () => {
  const version = () => rows.store.db.pragma('data_version', { simple: true });
  for (const view of Object.values(VIEWS)) JSON.stringify(await view());
  const before = version();
  for (const [name, view] of Object.entries(VIEWS)) {
    await view();
    expect([name, version()]).toEqual([name, before]);
  }
});

test('who needs somebody comes in an order, with since when, what about, and what answers it', async () => {
  const { needs, quiet } = await json(needsView(context));
  const told = needs.map(({ kind, subject, text }) => [kind, subject, text]);
  expect(told).toEqual([
    ['asks', 'mail', MAIL_QUESTION],
    ['look', 'discount', '2 tests gone from test/cart.test.js'],
    ['held', 'main → origin', 'checkout: never verified'],
    ['conflict', 'receipt', 'with format in receipt.txt'],
    ['failed', 'search', 'new failure: search ignores accents'],
  ]);
  const [asks, look, held] = needs;
  expect(asks).toMatchObject({
    since: '2026-03-04T05:06:47.000Z',
    commands: [{ command: "lanehold orchestrate answer mail 'ANSWER'", by: 'anyone' }],
    lane: {
      task: 'Send a mail with each order',
      before: ['There is no sender address in the settings.', '→ Read: src/mail/mail.js'],
    },
  });
  expect(look?.commands.at(-1)).toEqual({
    command: 'lanehold orchestrate integrate --accept discount',
    by: 'person',
  });
  expect(held).toMatchObject({
    since: '2026-03-04T05:06:07.000Z',
    whole: expect.stringContaining('It was tried 3 times'),
    commands: [
      { command: 'lanehold feature verify checkout --at main', by: 'anyone' },
      { command: expect.stringContaining('feature waive checkout --at main'), by: 'person' },
    ],
  });
  expect(quiet).toEqual({ atWork: 1, lanes: 7, runs: ['currencies'], held: 1 });
});

test('lanes have all their attempts with times, and used and reserved as two figures', async () => {
  const { board } = await json(lanesView(context));
  const lane = (key: string) => board?.lanes.find((it) => it.key === key);
  expect(lane('report')).toMatchObject({
    since: '2026-03-04T05:08:07.000Z',
    attempts: [{ n: 1, times: { running: '2026-03-04T05:08:07.000Z' } }],
    used: { usd: 0 },
    reserved: { usd: 2 },
    doing: '→ Bash: npm test -- report',
  });
  expect(lane('search')?.attempts.map(({ n, endCause }) => [n, endCause])).toEqual([
    [1, 'validation'],
    [2, 'validation'],
  ]);
  expect(lane('discount')?.tests.removed).toHaveLength(2);
  expect(board?.budget).toMatchObject({ used: { usd: 1.31 }, reserved: { usd: 2 } });
});

test('a lane says with whom it is in conflict, and has both sides', async () => {
  const { conflicts, proof, revisions, lane } = await json(laneView(context, { key: 'receipt' }));
  expect(lane.state).toBe('conflict');
  expect(conflicts).toMatchObject([
    {
      kind: 'conflict',
      with: ['format'],
      paths: ['receipt.txt'],
      sides: [
        {
          lane: 'receipt',
          files: [{ path: 'receipt.txt', added: 1, patch: '@@ -0,0 +1 @@\n+receipt\n' }],
        },
        { lane: 'format', files: [] },
      ],
    },
  ]);
  expect(proof.lane).toMatchObject({ result: 'pass', command: 'npm test' });
  expect(revisions).toMatchObject([{ rev: 1, by: 'person ada' }]);
});

test('a proof is told by the names of tests, what differs first', async () => {
  const lane = rows.verified('proved');
  const own = laneValidationStore(rows.store).ofLane(lane.id).at(-1);
  const log = join(rows.store.home.runs, 'base.log');
  const base = validationRow(
    { lane, attemptId: null, sha: rows.base, tree: rows.base, logPath: log },
    rows.context.now(),
    {
      subject: 'base',
      laneId: null,
      runs: [{ result: 'pass', exitCode: 0, durationMs: 1, logPath: log, logSha256: '' }],
    },
  );
  rows.store.write(() => laneValidationStore(rows.store).add(base));
  const ran = (path: string, ...executed: string[]) =>
    box.write(
      `${path}.tests.json`,
      JSON.stringify({ ran: executed.length, executed, skipped: [] }),
    );
  ran(log, 'kept', 'dropped');
  ran(own?.logPath ?? '', 'kept', 'added');
  const { proof } = await json(laneView(context, { key: 'proved' }));
  expect(proof.rows).toEqual([
    { name: 'dropped', base: 'passed', lane: null, kind: 'gone' },
    { name: 'added', base: null, lane: 'passed', kind: 'new' },
    { name: 'kept', base: 'passed', lane: 'passed', kind: 'same' },
  ]);
});

test('a run has its graph, its queue, what was burnt, its events, and a handoff that is not given out', async () => {
  const { run } = await json(runView(context));
  expect(run?.queue).toMatchObject([{ lane: 'receipt', state: 'conflict' }]);
  expect(run?.seen).toMatchObject([
    { atMerge: true, lanes: ['receipt', 'format'], paths: ['receipt.txt'], resolved: false },
  ]);
  expect(run?.events).toContainEqual(
    expect.objectContaining({ type: 'attempt.running', lane: 'report' }),
  );
  expect(run?.handoff).toContain('# Handoff of run currencies');
  expect(handoffStore(rows.store).last(rows.run.id)).toBeUndefined();
});

test('features have their state for each tree that may leave, and a push what lets it through', async () => {
  const { trees, features, coverage } = await json(holdView(context));
  expect(trees.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['worktree', 'held'],
    // Nobody has committed the registry yet, and it counts all the same.
    ['HEAD', 'held'],
    ['main → origin', 'held'],
  ]);
  expect(trees[2]?.push).toMatchObject({ tries: 3, firstAt: '2026-03-04T05:06:07.000Z' });
  expect(trees[0]?.held.map(({ feature, why }) => [feature, why])).toEqual([
    ['cart', 'cart: never verified'],
    ['checkout', 'checkout: never verified'],
  ]);
  const cart = features.find(({ name }) => name === 'cart');
  expect(cart).toMatchObject({ dependsOn: [], fileCount: 1 });
  expect(cart?.states.map(({ tree, state }) => [tree, state])).toEqual([
    ['worktree', 'not-verified'],
    ['HEAD', 'not-verified'],
    ['main → origin', 'not-verified'],
  ]);
  expect(coverage.uncovered).toEqual([]);
  expect((await json(featureView(context, 'cart'))).feature.state).toBe('not-verified');
});

test('a session is one line of time: prompts, edits, what was held with its command, what was told', async () => {
  const who = { agent: 'claude-code', session: 'one' };
  const { store, repo, run, later } = rows;
  const at = () => rows.context.now();
  const seen = { ...who, project: run.commonDir, root: repo };
  const step = (more: Pick<Observed, 'kind'> & Partial<Observed>) => {
    store.write(() => addObserved(store, { ...seen, at: at().getTime(), ...more }));
    later(10_000);
  };
  step({ kind: 'prompt', text: 'Give members a tenth off' });
  store.write(() => {
    toldStore(store).add({
      projectId: 1,
      ...who,
      moment: 'prompt',
      uid: 'lh-1',
      at: at(),
      tokens: 40,
    });
  });
  later(10_000);
  step({ kind: 'edit', name: 'Edit', files: ['README.md'] });
  const answer = {
    rule: 'git push',
    decision: 'deny',
    command: 'git push',
    reason: 'held',
  } as const;
  store.write(() => decisionStore(store).add({ projectId: 1, at: at(), ...who, ...answer }));
  step({ kind: 'command', name: 'git', outcome: 'denied' });
  step({ kind: 'compaction' });
  const { entries, tokens, held } = await json(sessionView(context, 'one'));
  expect(entries.map(({ kind }) => kind)).toEqual([
    'prompt',
    'told',
    'edit',
    'answer',
    'compaction',
  ]);
  expect(entries[3]).toMatchObject({ decision: 'deny', command: 'git push', reason: 'held' });
  expect({ tokens, held }).toEqual({ tokens: 40, held: 1 });
  const listed = async (wish: SessionsWish) => (await sessionsView(context, wish)).sessions.length;
  expect(await listed({ file: 'README.md', feature: 'cart', agent: 'claude-code' })).toBe(1);
  expect(await listed({ file: 'other.md' })).toBe(0);
  expect(await listed({ feature: 'checkout' })).toBe(0);
});

test('notes have what is true of them, and in how many sessions each was told and used', async () => {
  const note = {
    path: 'project/gotchas/paper',
    title: 'Paper has 40 columns',
    body: '',
    source: 'person',
  };
  const { id } = await addNote(context, { ...note, files: ['README.md'] });
  const told = { projectId: 1, agent: 'claude-code', session: 'two', moment: 'prompt', tokens: 9 };
  rows.store.write(() => {
    toldStore(rows.store).add({ ...told, uid: id, at: rows.context.now() });
    toldStore(rows.store).open(id, 'claude-code');
  });
  const { notes, search } = await json(memoryView(context, 'paper columns'));
  expect(notes).toMatchObject([{ path: note.path, truth: 'true', told: 1, used: 1 }]);
  expect(search?.hits[0]).toMatchObject({ id, words: ['paper', 'column'] });
  expect((await json(noteView(context, id))).told).toMatchObject([{ times: 1, used: true }]);
});

test('findings have their commands, and what is kept has its size', async () => {
  const { findings, sizes, gc } = await json(healthView(context));
  const commands = findings.flatMap((it) => it.commands);
  expect(commands).toContain('lanehold install');
  expect(sizes.find(({ what }) => what === 'database')?.bytes).toBeGreaterThan(0);
  expect(gc?.kept.length).toBeGreaterThan(0);
});

test('accounts that are used up, proposals, suggestions and hooks that are gone need somebody, too', async () => {
  const { store, run } = rows;
  const at = new Date('2026-03-04T05:00:00Z');
  const settings = box.write('settings.json', '{}');
  const installed = { agent: 'claude-code', what: 'hooks', scope: 'user', file: settings };
  box.write(
    store.home.manifest,
    JSON.stringify({ installations: [{ ...installed, folder: box.root }] }),
  );
  store.write(() => {
    breakerStore(store).open('claude', new Date('2026-03-04T09:00:00Z'), 'limit reached', at);
    const operation = { op: 'archive', id: 'lh-1' } as unknown as Proposal['operation'];
    const proposal = { uid: 'dp-1', why: 'nobody was told it for a year', evidence: [], diff: [] };
    const more = { source: 'rules', status: 'waiting', at, decidedAt: null } as const;
    proposalStore(store).add({ projectId: run.projectId, operation, ...proposal, ...more });
    const found = {
      projectId: run.projectId,
      kind: 'gotcha',
      title: 'Totals are cents',
      body: '',
    } as const;
    suggest(store, { ...found, why: 'said twice', agent: null, session: null }, at);
  });
  const { needs } = await json(needsView(context));
  const others = needs.filter(({ lane, kind }) => lane === null && kind !== 'held');
  expect(
    others.map(({ kind, subject, text, commands }) => [kind, subject, text, commands[0]?.command]),
  ).toEqual([
    ['unguarded', 'Claude Code', 'its hooks are gone', 'lanehold install --agent claude-code'],
    ['account', 'claude', expect.stringMatching(/^used up until /), undefined],
    ['proposals', '1 proposal', 'nobody was told it for a year', 'lanehold dream list'],
    ['suggestions', '1 suggestion', 'Totals are cents', 'lanehold note suggestions'],
  ]);
  const printed = await command(box, rows.repo, ['status', '--json'], { now: rows.context.now() });
  expect(JSON.parse(printed.stdout).needs.map(({ kind }: { kind: string }) => kind)).toEqual(
    needs.map(({ kind }) => kind),
  );
});

test('a log comes in pieces, without secrets, and never in the middle of a line', async () => {
  const report = rows.fresh({ id: (await laneView(context, { key: 'report' })).lane.id });
  const dir = attemptStore(rows.store).ofLane(report.id).at(-1)?.dir ?? '';
  box.write(join(dir, 'stdout.log'), `I begin with ${SECRET}.\nnot yet a line`);
  const log = await logView(context, { key: 'report' });
  expect(log.lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['text', expect.stringMatching(/^I begin with \[redacted:.+\]\.$/)],
  ]);
  expect(log.to).toBe(log.size - 'not yet a line'.length);
  await expect(logView(context, { key: 'report', of: 'all' })).rejects.toMatchObject({
    message: 'there is no output `all`',
    hint: expect.stringContaining('stdout, stderr'),
  });
});

test('a push that was verified beside something says beside what', async () => {
  const { projectId } = rows.run;
  const at = rows.context.now();
  const fingerprint = '0'.repeat(64);
  const passed = {
    ...{ projectId, feature: 'checkout', fingerprint, kind: 'passed' as const, actor: 'ci' },
    ...{ expiresAt: null, session: null, reason: null, revision: null, source: null, runs: [] },
    besides: [{ path: 'src/login.js', mode: '100644' as const, oid: '' }],
  };
  const push = { remote: 'origin', source: 'refs/heads/main', destination: 'refs/heads/main' };
  const features = [{ name: 'checkout', fingerprint }];
  rows.store.write(() => {
    heldPushStore(rows.store).put({ projectId, ...push, features, at });
    evidenceStore(rows.store).add(passed, at);
  });
  const { needs } = await json(needsView(context));
  expect(needs.find(({ kind }) => kind === 'held')?.text).toBe(
    'checkout: it passed just now beside src/login.js: see `lanehold feature pending`',
  );
});

test('a push says what the gate says: changed since it was verified, as long as git has not to tell', async () => {
  const { projectId } = rows.run;
  const at = rows.context.now();
  const later = new Date(at.getTime() + 60_000);
  const push = { remote: 'origin', source: 'refs/heads/main', destination: 'refs/heads/main' };
  const held = async (heldAt: Date) => {
    const features = [{ name: 'checkout', fingerprint: '1'.repeat(64) }];
    rows.store.write(() =>
      heldPushStore(rows.store).put({ projectId, ...push, features, at: heldAt }),
    );
    const { needs } = await needsView(context);
    return needs.find(({ kind }) => kind === 'held')?.text;
  };
  // The test before has verified another content.
  expect(await held(later)).toBe('checkout: changed since it was verified a moment ago');
  expect(await held(new Date(at.getTime() - 60_000))).toBe(
    'checkout: not verified as it would leave',
  );
});

test('what was written is told by day', async () => {
  const { projectId } = rows.run;
  const before = (await healthView(context)).events;
  const day = 86_400_000;
  const now = rows.context.now().getTime();
  const event = { ...EMPTY_OBSERVATION, agent: 'codex', session: 'days', source: null, projectId };
  rows.store.write(() => {
    for (const ago of [0, day - 1, day, 29 * day, 30 * day]) {
      observationStore(rows.store).add({ ...event, kind: 'stop', at: new Date(now - ago) });
    }
  });
  const after = (await healthView(context)).events;
  const added = after.map((it, at) => it - (before[at] ?? 0));
  expect(added).toEqual([1, ...Array(27).fill(0), 1, 2]);
  const { sizes } = await healthView(context);
  const sums = sizes.map(
    ({ days, bytes }) => days === null || days.reduce((a, b) => a + b) <= bytes,
  );
  expect(sums).toEqual(sizes.map(() => true));
});

test('what a person has seen of a lane is remembered, and what came since is shown', async () => {
  const diff = (...words: string[]) =>
    command(box, rows.repo, ['orchestrate', 'lane', 'diff', 'format', ...words], {
      now: rows.context.now(),
    });
  expect((await diff('--seen')).stdout).toContain('+format');
  expect((await diff('--unseen')).stdout).toBe(
    'Lane format has changed nothing since you marked it as seen\n',
  );
  expect((await json(diffView(context, { key: 'format', against: 'seen' }))).files).toEqual([]);
  expect((await json(diffView(context, { key: 'format', against: 'base' }))).files).toHaveLength(1);
});
