/** A run with a lane in each state that a board has to show, a held push, and features that are not verified. */
import { join } from 'node:path';
import { flagText } from '../../src/lanes/spec/flags.ts';
import { attemptStore } from '../../src/store/attempts.ts';
import { heldPushStore } from '../../src/store/held-pushes.ts';
import { integrationStore } from '../../src/store/integrations.ts';
import { laneEventStore } from '../../src/store/lane-events.ts';
import type { Lane } from '../../src/store/lanes.ts';
import { ledgerStore } from '../../src/store/ledger.ts';
import { type BoardRows, boardRows } from './board-rows.ts';
import type { Sandbox } from './sandbox.ts';

export const MAIL_QUESTION =
  'Which address sends order mails? The settings have orders@ and noreply@, and customers answer to one of them.';

export async function sixLanes(box: Sandbox): Promise<BoardRows> {
  const goal = 'Prices in three currencies, and what customers see of them';
  const rows = await boardRows(box, { name: 'currencies', goal });
  const { store, run, context } = rows;
  const money = (lane: Lane, usd: number, end: 'at work' | 'ended' = 'ended') => {
    const attemptId = attemptStore(store).ofLane(lane.id).at(-1)?.id ?? '';
    const ledger = ledgerStore(store);
    store.write(() => {
      const reservation = { attemptId, runId: run.id, laneId: lane.id, day: '2026-03-04' };
      ledger.reserve({ ...reservation, reserved: { usd: 2 } });
      ledger.use(attemptId, { turns: 4, tokens: 100_000, usd, seconds: 40 });
      if (end === 'ended') ledger.settle(attemptId);
    });
  };
  const features = {
    cart: { files: ['*.md'], smoke: ['true'] },
    checkout: { files: ['lanehold.json'], smoke: ['true'] },
    price: { files: ['price/**'], smoke: ['true'] },
  };
  box.write(join(rows.repo, 'lanehold.json'), JSON.stringify({ features }));
  const held = [{ name: 'checkout', fingerprint: 'unknown' }];
  const push = { remote: 'origin', source: 'refs/heads/main', destination: 'refs/heads/main' };
  for (let tries = 0; tries < 3; tries += 1) {
    const at = context.now();
    const { projectId } = run;
    store.write(() => heldPushStore(store).put({ projectId, ...push, features: held, at }));
    rows.later(10_000);
  }
  money(
    rows.verified('format', { desc: 'Let prices be shown in dollars, euros and pounds' }),
    0.31,
  );
  askedOf(box, rows);
  rows.later(20_000);
  const discount = rows.lane('discount', { desc: 'Give members a tenth off' });
  const { sha } = rows.work(discount);
  const removed = ['test/cart.test.js > a tenth', 'test/cart.test.js > no tenth'];
  const proved = rows.attempt(discount, {
    through: ['exited', 'validating'],
    note: { endSha: sha },
  });
  rows.validation(discount, proved, { flags: [flagText('tests_removed', removed)] });
  const ended = { state: 'ended', endReason: 'verified', endedAt: context.now() } as const;
  store.write(() => attemptStore(store).note(proved.id, 0, ended));
  const search = rows.lane('search', { desc: 'Search without accents' });
  rows.work(search);
  for (let tries = 0; tries < 2; tries += 1) {
    const note = { endReason: 'rejected', endCause: 'validation', endedAt: context.now() } as const;
    const failed = rows.attempt(search, { through: ['exited', 'validating', 'ended'], note });
    const newFailures = ['test/search.test.js > search ignores accents'];
    rows.validation(search, failed, { result: 'fail', exitCode: 1, newFailures });
    money(search, 0.5);
  }
  const { id: laneId, headSha } = rows.verified('receipt', { desc: 'Print prices on the receipt' });
  store.write(() => {
    const queue = integrationStore(store);
    const queued = { id: 'first', runId: run.id, laneId, laneSha: headSha ?? '' };
    const detail = { paths: ['receipt.txt'], with: ['format'] };
    queue.add(queued, context.now());
    queue.note({ id: 'first', epoch: 0 }, { state: 'conflict', detail: JSON.stringify(detail) });
    rows.event('integration.conflict', { id: laneId }, detail);
  });
  rows.later(60_000);
  const report = rows.lane('report', { desc: 'Monthly report' });
  const { id: attemptId, dir } = rows.attempt(report);
  store.write(() => {
    attemptStore(store).note(attemptId, 0, { state: 'running' });
    const event = { runId: run.id, laneId: report.id, attemptId, by: 'supervisor', data: {} };
    laneEventStore(store).add({ ...event, type: 'attempt.running' }, context.now());
  });
  const tests = { type: 'tool_use', name: 'Bash', input: { command: 'npm test -- report' } };
  box.write(join(dir, 'stdout.log'), `${JSON.stringify(tests)}\n`);
  money(report, 0, 'at work');
  rows.lane('billing-of-customers-late-fees-fix');
  rows.later(60_000);
  return rows;
}

function askedOf(box: Sandbox, rows: BoardRows): void {
  const mail = rows.lane('mail', { desc: 'Send a mail with each order' });
  const endedAt = rows.context.now();
  const note = { endReason: 'rejected', endCause: 'no-change', endedAt } as const;
  const asking = rows.attempt(mail, { through: ['exited', 'ended'], note });
  const read = { type: 'tool_use', name: 'Read', input: { file_path: 'src/mail/mail.js' } };
  const said = `There is no sender address in the settings.\n${JSON.stringify(read)}\n`;
  box.write(join(asking.dir, 'stdout.log'), said);
  rows.later(10_000);
  rows.ask(mail, MAIL_QUESTION, asking);
}
