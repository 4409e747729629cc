/** A run from its goal to a pull request, and lanes that a person verifies, resumes and cancels, with the page open. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';
import { forgeIsMissing, type StandInForge, standInForge } from '../../support/stand-in-forge.ts';
import { enter, launch, noBrowser, picture, serve, WIDE } from './browser.ts';
import { sixLanes } from './six-lanes.ts';

const missing = await forgeIsMissing();
if (missing !== undefined) process.stderr.write(`pull requests are not tested: ${missing}\n`);

describe.skipIf(noBrowser !== undefined)('a run with the page open', { timeout: 240_000 }, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser?.close());

  async function openPage({ repo, env }: LaneProject): Promise<Page> {
    const server = await serve({ cwd: repo, env });
    onTestFinished(() => server.end());
    const context = await browser.newContext({ viewport: WIDE });
    onTestFinished(() => context.close());
    const page = await enter(context, server);
    await page.goto(`http://127.0.0.1:${server.port}/#/lanes`);
    return page;
  }
  const go = (page: Page, address: string) => page.evaluate(`location.hash = '${address}'`);
  const inColumn = (page: Page, state: string, lane: string) =>
    page.locator(`.col[aria-label="${state}"]`, { hasText: lane }).waitFor({ timeout: 60_000 });

  test.skipIf(missing !== undefined)(
    'from a goal to a pull request with its checks, the page shows each step by itself',
    async () => {
      let forge: StandInForge | undefined;
      let opened: Page | undefined;
      const { project, run } = await sixLanes(onTestFinished, async (begun) => {
        const registry = readFileSync(join(begun.repo, 'lanehold.json'), 'utf8');
        begun.box.write(join(begun.repo, 'lanehold.json'), registry.replace('"false"', '"true"'));
        begun.box.commit(begun.repo, 'Let the checkout be verified');
        const settings = join(begun.box.laneholdHome, 'config.json');
        const { lanes } = JSON.parse(readFileSync(settings, 'utf8'));
        begun.box.write(settings, JSON.stringify({ lanes: { ...lanes, pullEvery: 0.3 } }));
        forge = await standInForge(begun.box, begun.repo);
        Object.assign(begun.env, forge.env);
        opened = await openPage(begun);
        await opened.getByRole('heading', { name: 'No run is open' }).waitFor();
        await picture(opened, 'run-1-nothing');
      });
      if (opened === undefined || forge === undefined) throw new Error('nothing was begun');
      const page = opened;
      for (const [state, lane] of [
        ['landed', 'format'],
        ['asks', 'mail'],
        ['running', 'report'],
        ['failed', 'search'],
      ] as const) {
        await inColumn(page, state, lane);
      }
      await picture(page, 'run-2-six-lanes');

      await go(page, '#/lanes/mail');
      await page.locator('.writes textarea').fill('orders@shop.example');
      await page.locator('[data-do="answer"]').click();
      await go(page, '#/lanes');
      project.raise('report-goes-on');
      await run.looksUntil('both to be verified', () =>
        ['mail', 'report'].every((key) => run.states()[key] === 'verified'),
      );
      await inColumn(page, 'verified', 'report');
      await page.locator('[data-do="integrate"]').click();
      await inColumn(page, 'integrated', 'mail');
      await inColumn(page, 'integrated', 'report');

      const land = async () => (await project.lanehold('orchestrate', 'land', '--pr')).stdout;
      const [, verify = ''] = / feature verify (.*)/.exec(await land()) ?? [];
      await project.lanehold('feature', 'verify', ...verify.split(' '));
      expect(await land()).toContain('Opened draft #1');
      const pull = page.locator('#pull');
      await pull.getByText('Pull request #1').waitFor();
      await page.locator('.sum', { hasText: 'pull request #1 open' }).waitFor();
      const check = (tone: string) =>
        pull.locator(`[aria-label="Checks"] .state.${tone}`, { hasText: 'tests' }).waitFor();
      for (const [conclusion, tone] of [
        [null, 'move'],
        ['FAILURE', 'bad'],
        ['SUCCESS', 'good'],
      ] as const) {
        forge.check(1, 'tests', conclusion);
        await check(tone);
      }
      await picture(page, 'run-3-pull-request');

      forge.merge(1, 'merge');
      await inColumn(page, 'landed', 'mail');
      await inColumn(page, 'landed', 'report');
      await page.locator('.sum', { hasText: 'pull request #1 merged' }).waitFor();
      await picture(page, 'run-4-landed');
    },
  );

  test('a lane is verified again, a parked one goes on, and one at work is cancelled', async () => {
    const write = (name: string) => ({ write: { [`${name}.txt`]: 'one\n' } });
    const project = laneProject({
      scenario: {
        lanes: {
          stale: [[write('stale')]],
          parked: [[{ quota: {} }], [write('parked')]],
          busy: [[write('busy'), { waitFor: 'never' }]],
        },
      },
    });
    const run = laneRun(project);
    await run.init();
    const page = await openPage(project);
    for (const key of ['stale', 'parked', 'busy']) await run.add(key);
    await run.spawn('stale', 'busy');
    await inColumn(page, 'verified', 'stale');
    await inColumn(page, 'running', 'busy');
    // Its account is used up: whatever is not at work by then waits, too.
    await run.spawn('parked');
    await inColumn(page, 'parked', 'parked');

    await run.orchestrate('lane', 'edit', 'stale', '--validate', 'test -e stale.txt');
    await go(page, '#/lanes/stale');
    await page.locator('[data-do="verify"]').click();
    await page.locator('.said', { hasText: 'stale' }).waitFor({ timeout: 60_000 });
    await go(page, '#/lanes');
    await inColumn(page, 'verified', 'stale');

    await go(page, '#/lanes/parked');
    await page.locator('[data-do="resume"]').click();
    await go(page, '#/lanes');
    await inColumn(page, 'verified', 'parked');
    expect(project.starts('parked')).toHaveLength(2);

    await go(page, '#/lanes/busy');
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.locator('[data-do="cancel"]').click();
    await run.reaches('busy', 'cancelled');
    await go(page, '#/lanes');
    await page.locator('#main', { hasText: 'busy' }).waitFor();
    await project.until('its worker to be gone', () => project.processesLeft().length === 0);

    const refs = project.git('for-each-ref', '--format=%(refname)', 'refs/heads');
    const branch = refs.split('\n').find((it) => it.endsWith('/stale')) ?? '';
    project.git('update-ref', '-d', branch);
    await page.reload();
    await page.locator('#amiss', { hasText: 'lane stale' }).waitFor();
    await picture(page, 'run-5-amiss');

    await go(page, '#/lanes?about');
    const giveUp = page.locator('#give-up');
    await giveUp.getByRole('button', { name: 'Cancel…' }).click();
    await giveUp.locator('[data-do="cancel"]').click();
    await run.reaches('parked', 'cancelled');
  });
});
