/** A real browser at a real server of the page; what they are is ended with the test that began them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { definedOnly } from '../../../src/base/environment.ts';
import { CLI_PROGRAM } from '../../support/sandbox.ts';

const CHROMIUM = process.env.LANEHOLD_CHROMIUM ?? '/usr/bin/chromium';

/** Why stories in a browser are left out here; `undefined` where there is one. */
export const noBrowser = existsSync(CHROMIUM)
  ? undefined
  : `no browser at ${CHROMIUM}: stories of the page are left out`;

if (noBrowser !== undefined) process.stderr.write(`${noBrowser}\n`);

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

export interface Served {
  /** As it was printed, with the token. */
  readonly address: string;
  readonly port: number;
  /** Ends it as Ctrl-C does, and waits until it is gone. */
  end(): Promise<void>;
}

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts `lanehold ui`. @param port by default one that is free. */
export async function serve({ cwd, env }: Place, port?: number): Promise<Served> {
  const wish = port === undefined ? [] : ['--port', String(port)];
  const args = [CLI_PROGRAM, 'ui', '--no-open', '--json', ...wish];
  const child = spawn(process.execPath, args, {
    cwd,
    env: definedOnly(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { address, port: taken } = await firstAnswer(child);
  return {
    address,
    port: taken,
    async end() {
      if (child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT');
      await gone;
    },
  };
}

async function firstAnswer(child: ChildProcess): Promise<{ address: string; port: number }> {
  let said = '';
  const { promise, resolve, reject } = Promise.withResolvers<{ address: string; port: number }>();
  child.stderr?.on('data', (piece) => {
    said += piece;
  });
  let printed = '';
  child.stdout?.on('data', (piece) => {
    printed += piece;
    try {
      const answer = JSON.parse(printed);
      if (answer.address === undefined) reject(new Error(`lanehold ui: ${printed}${said}`));
      else resolve(answer);
    } catch {
      // The rest of it is still to come.
    }
  });
  child.once('exit', (code) =>
    reject(new Error(`lanehold ui ended with ${code}: ${said}${printed}`)),
  );
  return await promise;
}

export const WIDE = { width: 1_440, height: 960 };
export const NARROW = { width: 320, height: 640 };

/** Lets the browser in, as a person does who opens the address that was printed. */
export async function enter(context: BrowserContext, { address }: Served): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByText('live', { exact: true }).waitFor();
  return page;
}

/** Where pictures of the views are kept; only if somebody wants to see them. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.LANEHOLD_PICTURES;
  if (folder === undefined) return;
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  // A browser draws no picture of a long change.
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: height < 12_000 });
}

/** Sections of a view from which no command can be copied. */
export const withoutCommand = (page: Page): Promise<string[]> =>
  page.locator('#main .sect:not(:has([data-copy])) > h2').allInnerTexts();

/** What axe finds in the page as it is now. */
export async function violations(page: Page): Promise<unknown[]> {
  await page.evaluate(`${axe.source}; undefined`);
  return await page.evaluate(async () => {
    // biome-ignore lint/suspicious/noExplicitAny: axe comes without types for a page
    const { violations: all } = await (globalThis as any).axe.run();
    return all.map((it: { id: string; nodes: { html: string }[] }) => [
      it.id,
      ...it.nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)),
    ]);
  });
}
