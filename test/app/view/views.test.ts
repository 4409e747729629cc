/** What the page and the board are given: each view of one project, read without changing anything. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { healthView } from '../../../src/app/view/health.ts';
import { featureView, holdView } from '../../../src/app/view/hold.ts';
import { diffView, laneView, logView } from '../../../src/app/view/lane.ts';
import { lanesView, runView } from '../../../src/app/view/lanes.ts';
import { memoryView } from '../../../src/app/view/memory.ts';
import { needsView } from '../../../src/app/view/needs.ts';
import { sessionsView } from '../../../src/app/view/sessions.ts';
import { createContext } from '../../../src/fronts/cli/command.ts';
import { ledgerStore } from '../../../src/store/ledger.ts';
import { type BoardRows, boardRows } from '../../support/board-rows.ts';
import { bufferedHost } from '../../support/buffered-host.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

const SECRET = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyz'}`;

async function project() {
  const box = sandbox();
  const rows = await boardRows(box);
  return { box, rows, context: contextOf(box, rows) };
}

function contextOf(box: Sandbox, { repo, context }: BoardRows) {
  const { host } = bufferedHost([], { env: box.env, cwd: () => repo, now: context.now });
  const opened = createContext(host, {});
  onTestFinished(() => opened.close());
  return opened;
}

/** Every view of a run in which one lane asks, one is verified, and one is at work. */
async function allViews() {
  const { box, rows, context } = await project();
  const ended = { endReason: 'rejected', endCause: 'no-change' } as const;
  const mail = rows.lane('mail');
  rows.ask(
    mail,
    'Which address?',
    rows.attempt(mail, { through: ['exited', 'ended'], note: ended }),
  );
  rows.verified('api');
  const report = rows.lane('report');
  const { id: attemptId, dir } = rows.attempt(report, { through: ['running'] });
  const reserved = { attemptId, runId: rows.run.id, laneId: report.id, day: '2026-03-04' };
  rows.store.write(() => ledgerStore(rows.store).reserve({ ...reserved, reserved: { usd: 2 } }));
  box.write(join(dir, 'stdout.log'), `I begin with ${SECRET}.\nnot yet a line`);
  const features = { cart: { files: ['*.txt'], smoke: ['true'] } };
  box.write(join(rows.repo, 'lanehold.json'), JSON.stringify({ features }));
  const views = {
    needs: () => needsView(context),
    lanes: () => lanesView(context),
    lane: () => laneView(context, { key: 'api' }),
    diff: () => diffView(context, { key: 'api', against: 'base' }),
    log: () => logView(context, { key: 'report' }),
    run: () => runView(context),
    hold: () => holdView(context),
    feature: () => featureView(context, 'cart'),
    sessions: () => sessionsView(context),
    memory: () => memoryView(context, 'cart'),
    health: () => healthView(context),
  };
  return { box, rows, context, views };
}

test('a look changes nothing in the database', async () => {
  const { rows, views } = await allViews();
  const version = () => rows.store.db.pragma('data_version', { simple: true });
  for (const view of Object.values(views)) JSON.stringify(await view());
  const before = version();
  for (const [name, view] of Object.entries(views)) {
    await view();
    expect([name, version()]).toEqual([name, before]);
  }
});

test('a log comes in pieces, without secrets, and never in the middle of a line', async () => {
  const { context, views } = await allViews();
  const log = await views.log();
  expect(log.lines.map(({ kind, text }) => [kind, text])).toEqual([
    ['text', expect.stringMatching(/^I begin with \[redacted:.+\]\.$/)],
  ]);
  expect(log.to).toBe(log.size - 'not yet a line'.length);
  const earlier = await logView(context, { key: 'report', before: log.to });
  expect([earlier.lines, earlier.to]).toEqual([log.lines, log.to]);
});
