/** A person and the page: a real browser at a real server of a project in which six lanes were played. */
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sandbox } from '../../support/sandbox.ts';
import {
  enter,
  launch,
  NARROW,
  noBrowser,
  picture,
  type Served,
  serve,
  violations,
  WIDE,
  withoutCommand,
} from './browser.ts';
import { boardLines, digestOf, PICTURES, recorded, shownIn } from './pictures.ts';
import { HOSTILE, type SixLanes, sixLanes } from './six-lanes.ts';

/** Addresses of all views that have something to show, with words that stand in each. */
const VIEWS: readonly (readonly [address: string, words: RegExp])[] = [
  ['#/needs', /things need you/],
  ['#/lanes', /Waits for you/],
  ['#/lanes?time', /Waited to begin/],
  ['#/lanes?graph', /No lane of this run needs another one/],
  ['#/lanes?about', /Merge queue/],
  ['#/lanes/search', /Search without case and accents/],
  ['#/lanes/mail', /Which address sends order mails/],
  ['#/lanes/discount', /What answers it/],
];

describe.skipIf(noBrowser !== undefined)('the page', { timeout: 120_000 }, () => {
  const atEnd: (() => void | Promise<void>)[] = [];
  let played: SixLanes;
  let server: Served;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    played = await sixLanes((remove) => atEnd.push(remove));
    server = await serve({ cwd: played.project.repo, env: played.project.env });
    atEnd.push(() => server.end());
    browser = await launch();
    atEnd.push(() => browser.close());
    context = await browser.newContext({ viewport: WIDE });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await enter(context, server);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (line) => {
      // Which answer it was is told by that answer.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load')) {
        faults.push(line.text());
      }
    });
    page.on('response', (it) => {
      if (it.status() >= 400)
        faults.push(`${it.status()} ${new URL(it.url()).pathname}${new URL(it.url()).search}`);
    });
  }, 240_000);

  afterAll(async () => {
    for (const end of atEnd.reverse()) await end();
  });

  const faults: string[] = [];
  const open = async (address: string) => {
    await page.goto(`http://127.0.0.1:${server.port}/${address}`);
    await page.locator('#main h1').waitFor();
  };
  const title = () => page.locator('#main h1').innerText();
  const stateOf = (lane: string) => played.run.states()[lane];
  const said = (words: RegExp) => page.locator('.said', { hasText: words }).waitFor();

  test('the pictures in the docs show what the views show, and were made with what is recorded', async () => {
    // After a change that is meant: npm run pictures:page
    const shown: Record<string, readonly string[]> = {
      'board.svg': await boardLines(played.project),
    };
    for (const { name, ...view } of PICTURES) shown[`${name}.png`] = await shownIn(page, view);
    for (const [name, { text, sha256 }] of Object.entries(recorded())) {
      expect([name, shown[name]]).toEqual([name, text]);
      expect([name, digestOf(name)]).toEqual([name, sha256]);
    }
    expect(Object.keys(recorded()).sort()).toEqual(Object.keys(shown).sort());
  });

  test('what needs a person is shown first, and in the title and the icon of the tab', async () => {
    await open('#/needs');
    await page.getByText('4 things need you').waitFor();
    expect(await page.locator('.item b').allInnerTexts()).toEqual([
      'mail',
      'discount',
      'receipt',
      'search',
    ]);
    await expect.poll(() => page.title()).toMatch(/^\(4\) Needs you/);
    const icon = await page.locator('link[rel="icon"]').getAttribute('href');
    expect(decodeURIComponent(icon ?? '')).toMatch(/^data:image\/svg\+xml,.*>4<\/text>/);
    expect(await page.locator('.detail .quote').innerText()).toMatch(
      /^Which address .* one of them\.$/,
    );
    const meanwhile = page.locator('#meanwhile');
    await meanwhile.getByText('5 of 5 features would hold a push of main').waitFor();
    expect((await meanwhile.locator('dd').allInnerTexts()).slice(0, 2)).toEqual([
      expect.stringMatching(/^report\s+running$/),
      expect.stringMatching(/^format\s+landed$/),
    ]);
    await page.locator('.item', { hasText: 'discount' }).click();
    await page.locator('.detail tr.gone', { hasText: 'total of an empty cart' }).waitFor();
    await page.locator('.detail .yours', { hasText: 'integrate --accept discount' }).waitFor();
    expect(await page.locator('.detail .yours [data-do]').count()).toBe(0);
    await page.locator('.item', { hasText: 'receipt' }).click();
    await page.locator('.detail .block', { hasText: 'format, landed' }).waitFor();
  });

  test('each view has an address that stays, also after it is loaded anew', async () => {
    for (const [address, words] of VIEWS) {
      await open(address);
      await page.getByText(words).first().waitFor();
      await page.reload();
      await page.getByText(words).first().waitFor();
      expect(await page.evaluate('location.hash')).toBe(address);
    }
    await open('#/lanes/no-such-lane');
    await page.getByRole('alert').waitFor();
  });

  test('everything is done by keys, and the bar and `?` say which', async () => {
    await open('#/needs');
    const selected = () => page.locator('.item[aria-current="true"] b').innerText();
    await page.keyboard.press('j');
    await expect.poll(selected).toBe('discount');
    await page.keyboard.press('k');
    await expect.poll(selected).toBe('mail');
    await page.keyboard.press('a');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    await page.keyboard.type('g l');
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(
      /^lanehold orchestrate answer mail/,
    );
    await page.keyboard.press('Enter');
    await expect.poll(title).toBe('mail');
    await page.locator('#changes').waitFor();
    await page.keyboard.press('c');
    await page.locator('.said', { hasText: 'Copied: lanehold orchestrate answer mail' }).waitFor();
    await page.keyboard.press('3');
    expect(await page.evaluate('document.activeElement?.id')).toBe('changes');
    await page.locator('nav .prog').waitFor();
    await page.keyboard.press(']');
    await expect.poll(title).not.toBe('mail');
    await page.keyboard.press('[');
    await expect.poll(title).toBe('mail');
    await page.keyboard.press('m');
    await expect.poll(() => page.evaluate('document.activeElement?.tagName')).toBe('TEXTAREA');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.locator('.board').waitFor();
    for (const mode of ['.tl', '.graph-frame', '#queue', '.board']) {
      await page.keyboard.press('t');
      await page.locator(mode).first().waitFor();
    }
    for (const [letter, view] of [
      ['h', 'hold'],
      ['s', 'sessions'],
      ['m', 'memory'],
      ['d', 'health'],
      ['l', 'lanes'],
      ['n', 'needs'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(letter);
      await expect.poll(() => page.evaluate('location.hash')).toMatch(new RegExp(`^#/${view}\\b`));
    }
    await page.keyboard.press('?');
    const keys = await page.locator('dialog dt').allInnerTexts();
    expect(keys).toEqual(expect.arrayContaining(['j k', 'a', '/', 'g n', 'ctrl ↵']));
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
  });

  test('axe finds nothing at both widths and in both schemes, nothing is wider than the window, all has a command', async () => {
    const found: unknown[] = [];
    for (const viewport of [WIDE, NARROW]) {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        for (const [address, words] of VIEWS) {
          await open(address);
          await page.getByText(words).first().waitFor();
          const where = `${address} ${viewport.width} ${colorScheme}`;
          found.push(...(await violations(page)).map((it) => [where, it]));
          const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
          if (width > viewport.width) found.push([where, `is ${width} wide`]);
          found.push(...(await withoutCommand(page)).map((it) => [where, `no command for ${it}`]));
          await picture(
            page,
            `${address.replaceAll(/\W+/g, '-').slice(1)}-${viewport.width}-${colorScheme}`,
          );
        }
      }
    }
    await page.setViewportSize(WIDE);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(found).toEqual([]);
  });

  test('nothing turns for whoever wants no motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await open('#/lanes');
    const animation = () =>
      page.evaluate("getComputedStyle(document.querySelector('.spin')).animationName");
    await page.locator('.spin').first().waitFor();
    expect(await animation()).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await animation()).not.toBe('none');
  });

  test('a log is read in a readable form and as it was printed, and grows as its worker writes', async () => {
    await open('#/lanes/report');
    await page.locator('.log', { hasText: 'I read how orders are stored first.' }).waitFor();
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.locator('.log.raw', { hasText: '"type":"assistant"' }).waitFor();
    await page.getByRole('button', { name: 'the tip' }).click();
    await expect.poll(() => page.evaluate('location.hash')).toBe('#/lanes/report?raw&against=tip');
    await page.reload();
    await page.locator('.log.raw', { hasText: '"type":"assistant"' }).waitFor();
    expect(await page.getByRole('button', { name: 'the tip' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
    await page.getByRole('button', { name: 'Readable' }).click();
    await page.locator('.log:not(.raw)', { hasText: 'Read' }).waitFor();
  });

  test('a person answers, writes, looks, and lets lanes go on: what the commands do', async () => {
    await open('#/needs');
    await page.locator('.item', { hasText: 'mail' }).click();
    await page.locator('.detail textarea').fill('orders@shop.example');
    await page.keyboard.press('Control+Enter');
    await said(/Answered the question/);
    await played.run.looksUntil('mail to be verified', () => stateOf('mail') === 'verified');

    await page.locator('.item', { hasText: 'search' }).click();
    await page.locator('.detail [data-do="retry"]').click();
    await played.run.looksUntil(
      'search to fail again',
      () => attempts(played, 'search') === 2 && stateOf('search') === 'failed',
    );
    await page.locator('.item', { hasText: 'attempt 2 failed' }).waitFor();
    await open('#/lanes/search');
    await page.getByText('2 attempts').waitFor();
    await page.locator('#messages', { hasText: 'Case is done, accents next' }).waitFor();
    await page.locator('#proof tr.hit', { hasText: 'search ignores accents' }).waitFor();

    await page.keyboard.press('m');
    await page.locator('textarea').fill('Fold accents with NFD');
    await page.keyboard.press('Control+Enter');
    await page.locator('#messages', { hasText: 'Fold accents with NFD' }).waitFor();

    await page.locator('#changes [data-line]').last().click();
    await page.locator('.diff-form textarea').fill('Not here');
    await page.keyboard.press('Control+Enter');
    await page.locator('#messages', { hasText: 'Not here' }).waitFor();

    await page.locator('[data-do="seen"]').click();
    await page.getByRole('button', { name: 'last look' }).click();
    await page.getByText('Nothing has changed since you looked.').waitFor();

    await open('#/lanes');
    await page.locator('[data-do="pause"]').click();
    await page.locator('.sum b', { hasText: 'paused' }).waitFor();
    await page.locator('[data-do="resume"]').click();
    await page.locator('[data-do="pause"]').waitFor();
    await open('#/lanes/mail');
    await page.locator('[data-do="integrate"]').click();
    await played.project.until(
      'mail to be integrated',
      () => stateOf('mail') === 'integrated',
      60_000,
    );
    await open('#/lanes');
    await page.locator('[data-do="land"]').click();
    await played.project.until('mail to land', () => stateOf('mail') === 'landed', 60_000);
    await page.locator('.col[aria-label="landed"]', { hasText: 'mail' }).waitFor();

    await open('#/lanes/receipt');
    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.locator('[data-do="cancel"]').click();
    await played.project.until('receipt to be cancelled', () => stateOf('receipt') === 'cancelled');
  });

  test('what a worker prints, asks and names is text, and nothing is fetched for it', async () => {
    const { key, desc } = HOSTILE;
    await played.run.orchestrate(
      'lane',
      'add',
      key,
      '--desc',
      desc,
      '--agent',
      'claude-code',
      '--validate',
      'true',
      '--touches',
      'src/odd/**',
      '--spawn',
    );
    await played.run.looksUntil('odd to ask', () => stateOf(key) === 'asks');
    const elsewhere: string[] = [];
    page.on('request', (it) => {
      if (new URL(it.url()).port !== String(server.port) && !it.url().startsWith('data:')) {
        elsewhere.push(it.url());
      }
    });
    const shown = async (): Promise<string> => {
      const made = 'script, img, iframe, [onmouseover], a[href^="javascript"]';
      expect(
        await page.evaluate(
          `[globalThis.pwned, document.querySelectorAll('#main :is(${made.replaceAll("'", '"')})').length]`,
        ),
      ).toEqual([undefined, 0]);
      return page.locator('#main').innerText();
    };
    await open('#/needs');
    await page.locator('.item', { hasText: key }).click();
    await page
      .locator('.detail .quote', { hasText: '[this](javascript:pwned=1) <script>' })
      .waitFor();
    const texts = [await shown()];
    for (const address of [
      '#/lanes',
      '#/lanes?time',
      '#/lanes?graph',
      '#/lanes?about',
      `#/lanes/${key}`,
    ]) {
      await open(address);
      await page.getByText(key, { exact: true }).first().waitFor();
      texts.push(await shown());
    }
    await page.locator('.log', { hasText: '<img src="x" onerror' }).waitFor();
    await page.locator('.diff-file', { hasText: '<img src=x onerror=pwned=1>.js' }).waitFor();
    texts.push(await shown());
    await page.getByRole('button', { name: 'Raw' }).click();
    await page.locator('.log.raw', { hasText: 'red' }).waitFor();
    texts.push(await shown());
    // Neither what commands a terminal nor what turns the order of letters around.
    for (const sign of ['\u001b', '\u0007', '\u202e']) expect(texts.join('')).not.toContain(sign);
    expect(elsewhere).toEqual([]);
  });

  test('two tabs show the same, and each change without being asked', async () => {
    const other = await context.newPage();
    onTestFinished(() => other.close());
    await other.goto(`http://127.0.0.1:${server.port}/#/lanes/report`);
    await other.locator('.log', { hasText: 'stored first' }).waitFor();
    await open('#/lanes');
    await page.locator('.col[aria-label="running"]', { hasText: 'report' }).waitFor();
    played.project.raise('report-goes-on');
    await other.locator('.log', { hasText: 'Months are summed as well.' }).waitFor();
    await other.locator('.log', { hasText: '= success' }).waitFor();
    await page
      .locator('.col[aria-label="verified"]', { hasText: 'report' })
      .waitFor({ timeout: 60_000 });
  });

  test('of tabs in the background all are current, and one has a stream: a browser has six connections', async () => {
    const tabs: Page[] = [];
    const streams = new Map<Request, Page>();
    const openStreams = () => [...streams.values()].filter((it) => !it.isClosed()).length;
    for (let count = 0; count < 8; count += 1) {
      const tab = await context.newPage();
      tabs.push(tab);
      onTestFinished(() => tab.close());
      tab.on('request', (it) => {
        if (it.url().includes('/changes')) streams.set(it, tab);
      });
      tab.on('requestfailed', (it) => streams.delete(it));
      tab.on('requestfinished', (it) => streams.delete(it));
      // A browser without a screen has nothing in the background.
      await tab.addInitScript(
        "Object.defineProperty(document, 'visibilityState', { get: () => globalThis.seen ?? 'hidden' })",
      );
      await tab.goto(`http://127.0.0.1:${server.port}/#/lanes`);
      await tab.locator('.board').waitFor();
      await tab.getByText('live', { exact: true }).waitFor();
    }
    expect(openStreams()).toBe(1);
    const [first, second, ...others] = tabs as [Page, Page, ...Page[]];
    const current = async (key: string, some: readonly Page[]) => {
      await played.run.add(key);
      for (const tab of some) await tab.locator('.board', { hasText: key }).waitFor();
    };
    await current('tabs-1', tabs);
    // Another one goes on when the one with the stream is closed, and whoever is looked at has its own.
    await first.close();
    await second.evaluate(
      "globalThis.seen = 'visible'; document.dispatchEvent(new Event('visibilitychange'))",
    );
    await current('tabs-2', [second, ...others]);
    await expect.poll(openStreams).toBe(2);
    await open('#/lanes');
    await page.locator('.board', { hasText: 'tabs-2' }).waitFor();
  });

  test('a page that was frozen, as with a laptop that slept, shows what has changed meanwhile', async () => {
    await open('#/lanes');
    await page.locator('.board').waitFor();
    const tab = await context.newCDPSession(page);
    await tab.send('Page.setWebLifecycleState', { state: 'frozen' });
    await played.run.add('later');
    await tab.send('Page.setWebLifecycleState', { state: 'active' });
    await page.locator('.col[aria-label="planned"]', { hasText: 'later' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  });

  test('a server that ends and starts again is said, and the page comes back by itself', async () => {
    await open('#/lanes');
    const landed = page.locator('.col[aria-label="landed"]', { hasText: 'format' });
    await landed.waitFor();
    await server.end();
    await page.getByText('not connected', { exact: true }).waitFor();
    expect(await page.title()).toMatch(/^× /);
    // What was known stays.
    expect(await landed.isVisible()).toBe(true);
    expect(await page.locator('[data-do]:enabled').count()).toBe(0);
    server = await serve({ cwd: played.project.repo, env: played.project.env }, server.port);
    await page.getByText('not let in', { exact: true }).waitFor();
    await page.goto(server.address);
    await page.getByText('live', { exact: true }).waitFor();
    expect(await page.evaluate('location.hash')).toBe('#/needs');
  });

  test('an address of a project that is not here says only that, and has nothing to be done by keys', async () => {
    await open('#/lanes?project=unknown');
    await page.getByText('no such project', { exact: true }).waitFor();
    expect(await page.getByRole('alert').allInnerTexts()).toEqual([
      'there is no such project here',
    ]);
    expect(await page.locator('footer.keys').innerText()).not.toContain('move');
  });

  test('where nothing is yet, each view says what to do', async () => {
    const box = sandbox();
    const cwd = box.repo();
    const empty = await serve({ cwd, env: box.env });
    onTestFinished(() => empty.end());
    const elsewhere = await browser.newContext({ viewport: WIDE });
    onTestFinished(() => elsewhere.close());
    const shown = await enter(elsewhere, empty);
    for (const [address, title, command] of [
      ['#/needs', '1 thing needs you', 'lanehold init'],
      ['#/lanes', 'No run is open', 'lanehold orchestrate init'],
    ] as const) {
      await shown.goto(`http://127.0.0.1:${empty.port}/${address}`);
      await shown.getByRole('heading', { name: title }).waitFor();
      await shown.locator('#main .cmd', { hasText: command }).waitFor();
      expect(await violations(shown)).toEqual([]);
    }
    await expect.poll(() => shown.title()).toMatch(/^\(1\) Lanes/);
  });

  test('a page of a session under an agent only shows things, and says why', async () => {
    const agents = await serve({
      cwd: played.project.repo,
      env: { ...played.project.env, CLAUDECODE: '1' },
    });
    onTestFinished(() => agents.end());
    const elsewhere = await browser.newContext();
    onTestFinished(() => elsewhere.close());
    const shown = await enter(elsewhere, agents);
    await shown.getByText('This page only shows things: claude-code has started it.').waitFor();
    await shown.goto(`http://127.0.0.1:${agents.port}/#/lanes`);
    const pause = shown.locator('[data-do="pause"]');
    await pause.waitFor();
    expect(await pause.isDisabled()).toBe(true);
  });

  test('with several runs each is chosen, and has its own addresses', async () => {
    await played.run.init('Another goal', '--name', 'another');
    await open('#/lanes');
    await expect.poll(title).toBe('Another goal');
    await page.getByText('The run has no lanes yet.').waitFor();
    await page.getByLabel('Run', { exact: true }).selectOption('currencies');
    await expect.poll(title).toMatch(/^Prices in three currencies/);
    await open('#/lanes/report?run=currencies');
    await page.locator('.log', { hasText: 'Months are summed as well.' }).waitFor();
    await page.getByText('live', { exact: true }).waitFor();
  });

  test('nothing was wrong in the console of the browser', () => {
    const expected = /^40[04] .*(?:no-such-lane|unknown)|^401 /;
    expect([...new Set(faults)].filter((it) => !expected.test(it))).toEqual([]);
  });
});

const attempts = ({ project }: SixLanes, lane: string): number => project.starts(lane).length;
