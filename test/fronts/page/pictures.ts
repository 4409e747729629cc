/**
 * The pictures of the docs: which views they are of, and what each shows. A screenshot has other bytes on each machine,
 * so that beside it is recorded what can be read in it; that is compared with what the views show now.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { AppContext } from '../../../src/app/context.ts';
import { storeOnDemand } from '../../../src/app/store-on-demand.ts';
import { watchFirst } from '../../../src/app/view/first.ts';
import { firstLines } from '../../../src/fronts/words/first-view.ts';
import type { LaneProject } from '../../support/lane-project.ts';

export const FOLDER = join(import.meta.dirname, '../../../docs/pictures');
export const RECORD = join(FOLDER, 'shown.json');

export const PICTURES = [
  { name: 'page-needs', address: '#/needs', last: '#meanwhile .link', scheme: 'light' },
  { name: 'page-lanes', address: '#/lanes', last: 'text=Conflicts seen', scheme: 'dark' },
  { name: 'page-lane', address: '#/lanes/discount', last: '.diff .no', scheme: 'light' },
] as const;

/** What is recorded of each picture: its text, and the digest of the file that was made with it. */
export type Recorded = Readonly<Record<string, { text: readonly string[]; sha256: string }>>;

export const recorded = (): Recorded => JSON.parse(readFileSync(RECORD, 'utf8'));

export const digestOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(FOLDER, name)))
    .digest('hex');

type Picture = Pick<(typeof PICTURES)[number], 'address' | 'last'>;

/** Opens a view and returns what can be read in it. @param last what is drawn last. */
export async function shownIn(page: Page, { address, last }: Picture): Promise<string[]> {
  await page.goto(`${new URL('/', page.url())}${address}`);
  await page.locator(last).first().waitFor();
  const text = await page.locator('#main').innerText();
  return text.split('\n').map(withoutChance).filter(Boolean);
}

/** Times and ids differ in each run, and how much of a worker at work is counted. */
const withoutChance = (line: string): string =>
  line
    .replaceAll(/\b(?:\d+(?:\.\d+)?\s?(?:ms|s|min|h)\b ?)+|\bnow\b/g, 'TIME ')
    .replaceAll(/\b[\d.]+K tokens/g, 'TOKENS')
    .replaceAll(/\S*\/lanehold-test-\w+/g, '/tmp')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'ID')
    .replaceAll(/\s+/g, ' ')
    .trim();

const COLUMNS = 80;
const ROWS = 30;
const plain = (text: string): string => text;

/** The first view as a terminal of 80 columns shows it, two minutes after the run was begun. */
export async function boardLines({ env, repo }: LaneProject): Promise<string[]> {
  const { store, close } = storeOnDemand(env);
  const context: AppContext = {
    env,
    cwd: repo,
    store,
    progress: () => undefined,
    now: () => new Date(Date.now() + 120_000),
  };
  try {
    const first = await watchFirst(context, {});
    const paint = {
      good: plain,
      bad: plain,
      warn: plain,
      hint: plain,
      faint: plain,
      strong: plain,
    };
    const screen = { width: COLUMNS, rows: ROWS, isPlain: false, paint };
    const lines = firstLines(await first.look(), screen, undefined, []);
    first.end();
    return lines.map((line) => line.replaceAll(/\b[1-9] min\b/g, '2 min').trimEnd());
  } finally {
    await close();
  }
}
