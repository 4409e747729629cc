/** The views of features, sessions, notes and health, and large changes, in a real browser at a real server. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
import { LARGE, OLD_EVENTS, type PlayedShop, PROMPT, playedShop } from './played-shop.ts';

describe.skipIf(noBrowser !== undefined)('views of the page', { timeout: 120_000 }, () => {
  const atEnd: (() => void | Promise<void>)[] = [];
  const faults: string[] = [];
  let shop: PlayedShop;
  let server: Served;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    shop = await playedShop((remove) => atEnd.push(remove));
    server = await serve({ cwd: shop.project.repo, env: shop.project.env });
    atEnd.push(() => server.end());
    browser = await launch();
    atEnd.push(() => browser.close());
    const context = await browser.newContext({ viewport: WIDE });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    page = await enter(context, server);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('dialog', (dialog) => faults.push(dialog.message()));
  }, 240_000);

  afterAll(async () => {
    for (const end of atEnd.reverse()) await end();
  });

  const open = async (address: string) => {
    await page.goto(`http://127.0.0.1:${server.port}/${address}`);
    await page.locator('#main h1').waitFor();
  };
  const hash = () => page.evaluate('location.hash');
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  const row = (selector: string, words: string) => page.locator(selector, { hasText: words });

  test('what would not leave stands before the wall, with the line that lets it through', async () => {
    await open('#/hold');
    await expect.poll(() => page.locator('#main h1').innerText()).toMatch(/^4 of 4 features/);
    const [working, pushed] = [page.locator('.gate').first(), page.locator('.gate').last()];
    expect(await working.locator('.held-row').allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringMatching(/^mail never verified/)]),
    );
    await row('.gate', 'origin/main').locator('.there', { hasText: 'tried 2 times' }).waitFor();
    expect(await pushed.locator('.held-row', { hasText: 'mail' }).count()).toBe(0);
    expect(await pushed.locator('.cmd code').innerText()).toMatch(
      /^lanehold feature verify cart checkout price --at \w+ && git push origin main$/,
    );
  });

  test('features are a map that keys go through; the chosen one has its states and its evidence', async () => {
    await open('#/hold/checkout');
    await page.locator('.graph .edge').nth(2).waitFor({ state: 'attached' });
    expect(await page.locator('.graph a').count()).toBe(4);
    expect(await page.locator('.graph a[aria-current="true"]').textContent()).toMatch(/^checkout/);
    await row('#evidence li', 'failed').locator('pre', { hasText: 'shipping' }).waitFor();
    await row('#evidence li', 'exit code 1').first().waitFor();
    await page.keyboard.press('j');
    await expect.poll(hash).not.toBe('#/hold/checkout');
    await row('.graph a', 'mail').click();
    await expect.poll(hash).toBe('#/hold/mail');
    await page.getByText('Nobody has verified it yet.').waitFor();
    expect(await page.locator('.states li').allInnerTexts()).toEqual([
      expect.stringMatching(/^Working tree never verified/),
      expect.stringMatching(/^HEAD, \w{8} not verified/),
      expect.stringMatching(/^Push of main → origin not verified/),
    ]);
    await page.keyboard.press('c');
    expect(await copied()).toBe('lanehold feature verify mail');
    await row('.feature .yours', 'lanehold feature waive mail').waitFor();
    await page.getByRole('button', { name: 'Copy as command: lanehold feature history' }).click();
    expect(await copied()).toBe('lanehold feature history mail');
  });

  test('the gate says why; files of no feature are text, whatever they are called', async () => {
    await open('#/hold');
    const answer = page.locator('.answers li').first();
    await answer.locator('summary').click();
    await answer.locator('.pre', { hasText: 'lanehold holds `git push`' }).waitFor();
    await row('.answers .cmd', "gate --explain --command 'git push origin main'").first().waitFor();
    await row('.answers pre', '1. boundary, certain: git push').waitFor();
    expect(await answer.locator('pre').innerText()).toContain('checkout: `echo');
    expect(await page.locator('.files').innerText()).toContain('docs/<b>bold</b> & more.md');
    expect(await page.locator('.files b').count()).toBe(0);
  });

  test('a session is one line of time: asked, edited, told, held with the reason, compacted', async () => {
    await open('#/sessions');
    await row('.item.session', 'Add shipping').click();
    await page.locator('.timeline .step.held').nth(1).waitFor();
    const display = "getComputedStyle(document.querySelector('.split')).display";
    expect(await page.evaluate(display)).toBe('grid');
    const held = page.locator('.step.held').first();
    expect(await held.innerText()).toMatch(
      /Held git push origin main[\s\S]*checkout: never verified/,
    );
    await row('.step .prompt', '<script>alert(1)</script>').waitFor();
    // What is told at the start is drawn after it, though it is noted before.
    expect(await page.locator('.step').first().innerText()).toContain('Session began');
    await row('.step', 'Told').first().locator('.k', { hasText: 'tokens' }).waitFor();
    await row('.step.break', 'Compaction').waitFor();
    await page.keyboard.press('c');
    expect(await copied()).toMatch(/^lanehold session show /);
    await page.getByRole('button', { name: 'held', exact: true }).click();
    await expect.poll(() => page.locator('.step').count()).toBe(2);
    const address = await hash();
    expect(address).toMatch(/\?held$/);
    await page.reload();
    await expect.poll(() => page.locator('.step').count()).toBe(2);
    await page.keyboard.press('[');
    await expect.poll(hash).not.toBe(address);
    await page.keyboard.press(']');
    await expect.poll(hash).toBe(String(address).replace('?held', ''));
    await page.keyboard.press('f');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('SELECT');
  });

  test('sessions are filtered by agent, feature and file, each by an address that stays', async () => {
    const listed = () => page.locator('.item.session .request').allInnerTexts();
    await open('#/sessions');
    await page.getByLabel('Agent').selectOption('claude-code');
    await expect.poll(async () => (await listed()).length).toBe(2);
    await open('#/sessions?feature=mail');
    await expect.poll(listed).toEqual(['Remember: never use var.']);
    await page.getByLabel('File').fill('src/checkout/total.js');
    await page.getByLabel('Feature').selectOption('');
    await page.getByLabel('File').press('Enter');
    await expect.poll(listed).toEqual([PROMPT.split('\n').join(' ')]);
    expect(await hash()).toContain('file=src%2Fcheckout%2Ftotal.js');
    await open('#/sessions/all?agent=claude-code');
    await expect.poll(() => page.locator('.whose').count()).toBe(2);
    const edited = () => page.locator('.step .mono').allInnerTexts();
    await open('#/sessions?agent=claude-code&feature=checkout&edits');
    await expect.poll(edited).toEqual(['src/checkout/total.js']);
    await page.getByText('Edits of other files are left out.').waitFor();
    await page.getByLabel('Feature').selectOption('price');
    await page.getByRole('button', { name: 'edits', exact: true }).click();
    await row('.item.session', 'Add shipping').click();
    await expect.poll(edited).toContain('src/price/format.js');
    expect(await edited()).not.toContain('src/checkout/total.js');
  });

  test('notes are found as a session would find them, with the reason, and are confirmed by a key', async () => {
    await open('#/memory');
    await page.locator('.tree').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('receipt');
    await page.keyboard.press('Enter');
    await row('.hits li', 'The receipt is read by the tax office').waitFor();
    expect(await page.locator('.hits .why').first().innerText()).toMatch(/^has receipt/);
    await expect.poll(hash).toBe('#/memory?q=receipt');
    await row('.tree a', 'Mails are sent').click();
    await row('.note', 'changed since: src/mail/mail.js').waitFor();
    await row('#told li', 'claude-code').first().waitFor();
    await page.keyboard.press('y');
    await row('.note .state', 'true').waitFor();
    await row('.said', 'Confirmed project/facts/mail').waitFor();
    await row('#decisions a', 'never use var').click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await row('.tree a', 'never use var').waitFor();
    await row('.tree a', 'SQLite, one file').click();
    await row('.note', 'superseded by SQLite with a log written ahead').waitFor();
    await row('#guards li', 'lanehold guard remove').waitFor();
    expect(await page.locator('#guards [data-do]').count()).toBe(0);
  });

  test('what was proposed is applied or put aside there; what a feature consists of is typed', async () => {
    await open('#/needs/proposals');
    await page.getByRole('link', { name: 'Decide in Memory' }).click();
    await row('#decisions a', 'A rule about files: three sessions').click();
    await expect.poll(hash).toBe('#/memory/dp-00000001');
    await row('.note .quote', 'Ask before you change <b>a table</b>').waitFor();
    await row('.note pre', '+ before edits of db/**').waitFor();
    await page.keyboard.press('c');
    expect(await copied()).toBe('lanehold dream show dp-00000001');
    await page.keyboard.press('y');
    await row('.said', 'Applied dp-00000001').waitFor();
    await row('#guards li', 'Ask before a table is changed').waitFor();
    await open('#/memory/dp-00000002');
    await row('.note .yours', 'lanehold dream apply dp-00000002').waitFor();
    expect(await page.locator('[data-do="apply-proposal"]').count()).toBe(0);
    await page.keyboard.press('x');
    await row('.said', 'Rejected dp-00000002').waitFor();
    await row('#decisions a', 'Files of a feature').waitFor({ state: 'detached' });
  });

  test('health has what is broken first, with its command, and asks again only when told to', async () => {
    await open('#/health');
    const command = 'lanehold install --agent claude-code';
    await row('#amiss li', command).waitFor({ timeout: 60_000 });
    expect(await page.locator('#main h1').innerText()).toMatch(/broken$/);
    expect(await page.locator('#amiss .cmd code').first().innerText()).toBe(command);
    await row('.sizes li', 'Output of workers and tests').first().waitFor();
    const grown = row('.grown li', 'Events in the database');
    expect(await grown.locator('.num').innerText()).toMatch(/^10,0\d\d$/);
    expect(await grown.locator('rect').count()).toBe(2);
    const old = row('#free li', 'Events older than they are kept');
    expect(await old.locator('.num').innerText()).toBe(String(OLD_EVENTS));
    expect(await page.locator('#free .cmd code').allInnerTexts()).toEqual([
      'lanehold orchestrate gc --dry-run',
      'lanehold prune',
    ]);
    await page.keyboard.press('c');
    expect(await copied()).toBe(command);
    const asked = page.waitForRequest(/\/health$/);
    await page.keyboard.press('r');
    await asked;
    await page.getByRole('button', { name: /Check again/ }).waitFor({ timeout: 60_000 });
    await open('#/health?project=unknown');
    await page.getByRole('alert').waitFor();
    expect(await page.locator('.sizes').count()).toBe(0);
  });

  test('changes are shown by file with colours; a comment on a line goes to the worker', async () => {
    await open('#/lanes/large');
    const diff = page.locator('section.diff');
    await diff.locator('[class^="hljs-"]').first().waitFor();
    expect(await diff.locator('ins').first().innerText()).toContain('<script>alert(1)</script>');
    const head = row('.diff-file button', 'src/<img src=x onerror=alert(1)>.js');
    await head.click();
    expect(await head.getAttribute('aria-expanded')).toBe('false');
    await row('.diff-file button', 'src/made/file-0.js').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await diff.locator('textarea').fill('Why so many?');
    await picture(page, 'changes-1440-light');
    // What was begun is there again after the line was out of sight.
    await page.evaluate('scrollTo(0, 9_000)');
    await diff.locator('textarea').waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    expect(await diff.locator('textarea').inputValue()).toBe('Why so many?');
    await page.keyboard.press('Control+Enter');
    await row('.said', 'large').waitFor();
    await row('#messages', 'src/made/file-0.js:1').waitFor();
    await expect.poll(() => diff.locator('textarea').count()).toBe(0);
  });

  test('of 20,000 changed lines and 10,000 events only those in sight are drawn, wherever it is scrolled', async () => {
    await open('#/lanes/large');
    await page.locator('[class^="hljs-"]').first().waitFor();
    const lines = LARGE.files * LARGE.linesOfEach;
    await page.evaluate('scrollBy(0, 24_000)');
    await page.locator('.diff-line').first().waitFor();
    expect(await page.locator('.diff-line').count()).toBeLessThan(lines / 50);
    await open('#/sessions?agent=codex');
    await page.locator('.timeline .step').nth(20).waitFor();
    await page.evaluate('scrollBy(0, 24_000)');
    await page.locator('.step').first().waitFor();
    expect(await page.locator('.step').count()).toBeLessThan(500);
  });

  test('axe finds nothing at both widths and in both schemes, nothing is wider than the window, all has a command', async () => {
    const views = [
      ['#/hold/checkout', '#evidence li'],
      ['#/sessions', '.item.session'],
      ['#/sessions/all?agent=claude-code', '.step.break'],
      ['#/memory?q=receipt', '.hits li'],
      ['#/memory/project%2Fgotchas%2Freceipt', '.note .facts'],
      ['#/health', '.sizes'],
      ['#/lanes/large', '[class^="hljs-"]'],
    ] as const;
    const found: unknown[] = [];
    for (const viewport of [WIDE, NARROW]) {
      await page.setViewportSize(viewport);
      for (const [address, part] of views) {
        await open(address);
        await page.locator(part).first().waitFor({ timeout: 60_000 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
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
    expect(found).toEqual([]);
    // On a phone the map is a list, and what is chosen takes the place of the list.
    await open('#/hold');
    await page.locator('.graph-list li').nth(3).waitFor();
    await open('#/sessions');
    await row('.item.session', 'Add shipping').click();
    await page.locator('.step.held').first().waitFor();
    expect(await page.locator('.item.session').first().isVisible()).toBe(false);
    await page.getByText('All sessions').click();
    await page.locator('.item.session').first().waitFor();
  });

  test('each key that the bar shows does something, and `?` lists it', async () => {
    const names: Readonly<Record<string, string>> = { esc: 'Escape' };
    const shown = async () => {
      const all = await page.locator('footer.keys kbd').allInnerTexts();
      // What the browser itself does with a link is no work of the page.
      return all.filter((it) => it !== '↵');
    };
    const taken = async (address: string, part: string, key: string) => {
      await page.evaluate(`location.hash = '${address}'`);
      await page.locator(part).first().waitFor({ timeout: 60_000 });
      await page.evaluate('document.activeElement?.blur()');
      await page.keyboard.press(names[key] ?? key);
      return await page.evaluate('globalThis.taken');
    };
    const found: unknown[] = [];
    for (const [address, part] of [
      ['#/needs', '.item'],
      ['#/lanes', '.board'],
      ['#/lanes/large', '[class^="hljs-"]'],
      ['#/hold/checkout', '#evidence li'],
      ['#/sessions', '.item.session'],
      ['#/sessions/all?agent=claude-code', '.step.break'],
      ['#/memory/project%2Fgotchas%2Freceipt', '.note .facts'],
      ['#/health', '.sizes'],
    ] as const) {
      await open(address);
      await page.locator(part).first().waitFor({ timeout: 60_000 });
      await page.evaluate(
        "addEventListener('keydown', (it) => { globalThis.taken = [it.key, it.defaultPrevented].join(' '); })",
      );
      const keys = await shown();
      for (const key of keys.flatMap((it) => it.split(/[ –]/))) {
        const said = await taken(address, part, key);
        if (said !== `${names[key] ?? key} true`) found.push([address, key, said]);
        if (key !== '?') await page.keyboard.press('Escape');
      }
      await page.locator('dialog[open]').waitFor();
      const listed = await page.locator('dialog dt').allInnerTexts();
      found.push(
        ...keys.filter((it) => !listed.includes(it)).map((it) => [address, 'not listed', it]),
      );
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
    expect(found).toEqual([]);
  });

  test('where nothing is yet, each view says what to do', async () => {
    const repo = shop.project.box.repo('empty');
    shop.project.box.commit(repo, 'first');
    const other = await serve({ cwd: repo, env: shop.project.env });
    atEnd.push(() => other.end());
    const context = await browser.newContext({ viewport: WIDE });
    const empty = await enter(context, other);
    for (const [view, command] of [
      ['needs', 'lanehold init'],
      ['hold', 'lanehold init'],
      ['sessions', 'lanehold init'],
      ['memory', 'lanehold note add project/decisions/db'],
    ] as const) {
      await empty.goto(`http://127.0.0.1:${other.port}/#/${view}`);
      await empty.locator('.empty .cmd', { hasText: command }).waitFor();
    }
    await empty.goto(`http://127.0.0.1:${other.port}/#/needs`);
    // The field of the view before would have the key.
    await empty.locator('.empty .cmd', { hasText: 'lanehold init' }).waitFor();
    await empty.keyboard.press('/');
    const field = empty.locator('input[type="search"]:focus');
    await field.waitFor();
    await empty.keyboard.type('cart');
    expect(await field.inputValue()).toBe('cart');
    await context.close();
  });

  test('nothing of an agent, of git or of a log was taken for markup or script', () => {
    expect(faults).toEqual([]);
  });
});
