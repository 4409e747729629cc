/**
 * How smoothly the page scrolls through much: 60 lanes, 10,000 events, a log of 50 MB, a diff of 20,000 lines. The
 * built page runs in Chromium against answers of this file; fails if script takes longer than a frame may.
 */
import { createReadStream } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launch, WIDE } from '../test/fronts/page/browser.ts';

const FOLDER = join(import.meta.dirname, '../dist/page');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
};
const LIMIT_MS = 50;

const NOW = Date.now();
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const NOTHING = { turns: 0, seconds: 0, tokens: 0, usd: 0 };
const STATES = [
  'asks',
  'failed',
  'conflict',
  'running',
  'running',
  'validating',
  'ready',
  'waiting',
  'verified',
  'integrated',
  'landed',
  'landed',
];

function lane(at: number) {
  const state = STATES[at % STATES.length] ?? 'ready';
  const key = `package-with-a-long-name-${at}`;
  const isLive = state === 'running' || state === 'validating';
  const attempt = {
    id: `a${at}`,
    n: 1,
    kind: 'work',
    state: isLive ? state : 'ended',
    agent: 'claude-code',
    model: null,
    endReason: isLive ? null : 'verified',
    endCause: null,
    endDetail: null,
    exitCode: null,
    startedAt: ago(3_600 - at * 30),
    endedAt: isLive ? null : ago(1_200 - at * 10),
    lastOutputAt: ago(5),
    usage: { turns: 9, tokens: 90_000, usd: 0.4, seconds: 60, toolCalls: 20 },
    times: { validating: ago(1_300 - at * 10) },
    validations: [],
    bytes: { stdout: LOG_BYTES, stderr: 0 },
  };
  return {
    id: `l${at}`,
    key,
    state,
    desc: `Move package ${at} to the new interface and its tests with it`,
    notes: '',
    branch: `refs/heads/lanehold/big/${key}`,
    worktree: `/home/ada/${key}`,
    headSha: 'a'.repeat(40),
    spec: {
      agent: 'claude-code',
      needs: at > 5 ? [`package-with-a-long-name-${at - 5}`] : [],
      touches: [`p${at}/**`],
      validate: 'npm test',
      budget: { usd: 2 },
    },
    live: isLive,
    since: ago(900 - at),
    attempts: [attempt],
    attempt,
    flags: [],
    rivals: [],
    questions: [],
    note: '',
    help: [],
    doing: isLive ? '→ Bash: npm test' : null,
    diff: { added: 9_000, removed: 1_000 },
    tests: { ran: 120, ranOnBase: 118, failed: [], removed: [] },
    used: { ...NOTHING, usd: 0.4 },
    reserved: NOTHING,
    refused: null,
    hindered: null,
    parked: null,
    blocked: null,
    pull: null,
    waitsFor: { needs: [], clashes: [] },
  };
}

const EVENTS = 10_000;
const DIFF_LINES = 20_000;
const LINE = `${JSON.stringify({ step: 'x'.repeat(84) })}\n`;
const LOG_BYTES = 50_000_000;
const PIECE_BYTES = 256 * 1_024;

const run = {
  id: 'r',
  name: 'big',
  goal: 'Move all packages to the new interface',
  intent: 'active',
  pauseReason: null,
  createdAt: ago(4_000),
  targetRef: 'refs/heads/main',
  policy: { parallel: 8 },
};
const lanes = Array.from({ length: 60 }, (_, at) => lane(at));
const budget = {
  used: { ...NOTHING, usd: 24 },
  reserved: NOTHING,
  cap: {},
  spentToday: NOTHING,
  dayCap: {},
};
const board = { run, lanes, budget, runOption: '', integration: null, seen: [], pull: null };
const runs = [{ id: 'r', name: 'big', goal: run.goal, intent: 'active', createdAt: run.createdAt }];

function patch(lines: number): string {
  const changed = Array.from(
    { length: lines / 2 },
    (_, at) => `-const before${at} = { value: ${at} };\n+const after${at} = { value: '${at}' };\n`,
  );
  return `@@ -1,${lines / 2} +1,${lines / 2} @@\n${changed.join('')}`;
}

const file = (path: string, lines: number) => ({
  path,
  added: lines / 2,
  removed: lines / 2,
  binary: false,
  patch: patch(lines),
});
const LINES_OF_FILE = 1_000;

const VIEWS: Readonly<Record<string, (query: URLSearchParams) => unknown>> = {
  projects: () => ({
    projects: [{ key: 'p', name: 'big', folder: '/home/ada/big' }],
    readOnly: null,
  }),
  needs: () => ({
    at: ago(0),
    project: { name: 'big', root: '/home/ada/big' },
    needs: [],
    quiet: { atWork: 10, lanes: 60, runs: ['big'], held: 0 },
  }),
  lanes: () => ({ runs, board }),
  run: () => ({
    runs,
    run: {
      ...board,
      at: ago(0),
      graph: [],
      forecast: { conflicts: [], untried: [] },
      queue: [],
      handoff: '',
      burnt: lanes.map(({ key }, at) => ({
        at: ago(3_000 - at * 40),
        lane: key,
        attempt: 1,
        usage: null,
        usd: at * 0.4,
        tokens: 0,
      })),
      events: Array.from({ length: EVENTS }, (_, at) => ({
        seq: EVENTS - at,
        at: ago(at),
        type: 'attempt.running',
        lane: lanes[at % 60]?.key ?? null,
        by: 'x',
      })),
    },
  }),
  lane: () => ({
    at: ago(0),
    run: { name: 'big', goal: run.goal, intent: 'active', attempts: 2 },
    runOption: '',
    lane: lanes[3],
    attempts: lanes[3]?.attempts,
    revisions: [],
    conflicts: [],
    said: [],
    checkpoints: [],
    seen: null,
    proof: { base: null, lane: null, rows: [] },
  }),
  diff: () => ({
    lane: lanes[3]?.key,
    against: 'base',
    from: 'a',
    to: 'b',
    files: Array.from({ length: DIFF_LINES / LINES_OF_FILE }, (_, at) =>
      file(`src/package-${at}.ts`, LINES_OF_FILE),
    ),
  }),
  log(query) {
    const whole = Math.floor(LOG_BYTES / LINE.length) * LINE.length;
    const step = Math.floor(PIECE_BYTES / LINE.length) * LINE.length;
    const to = Number(query.get('before') ?? whole);
    const from = Math.max(0, to - step);
    const lines = Array.from({ length: (to - from) / LINE.length }, (_, at) => ({
      kind: 'text',
      at: null,
      text: `${from + at * LINE.length} ${LINE.trim()}`,
    }));
    return {
      lane: lanes[3]?.key,
      attempt: 1,
      of: 'stdout',
      live: true,
      from,
      to,
      size: whole,
      lines,
    };
  },
};

function viewOf(path: string): string {
  const [, , project = '', name = '', key, part] = path.split('/');
  if (project === 'projects') return 'projects';
  return part ?? (key === undefined ? name : 'lane');
}

function answer(url: URL, response: ServerResponse): void {
  if (url.pathname.endsWith('/changes')) {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
  } else if (url.pathname.startsWith('/api/')) {
    const view = VIEWS[viewOf(url.pathname)]?.(url.searchParams);
    response
      .writeHead(view ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(view ?? {}));
  } else {
    const file = join(FOLDER, url.pathname === '/' ? 'index.html' : url.pathname);
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file)
      .on('error', () => response.writeHead(404).end())
      .pipe(response);
  }
}

interface TraceEvent {
  readonly name: string;
  readonly dur?: number;
  /** Without what other programs of the machine took meanwhile. */
  readonly tdur?: number;
}

/** What is script in a trace. Drawing is the browser's own work. */
const SCRIPT = [
  'FunctionCall',
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'TimerFire',
  'RunMicrotasks',
];

/** The longest piece of script while the mouse wheel turns over a place. */
async function scrolled(browser: Browser, page: Page, selector: string): Promise<number> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not there`);
  await page.mouse.move(box.x + box.width / 2, Math.min(box.y + box.height / 2, 700));
  await browser.startTracing(page, { categories: ['devtools.timeline'] });
  for (let turn = 0; turn < 120; turn++) {
    await page.mouse.wheel(0, (turn < 80 ? 1 : -1) * 400);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  return Math.max(
    0,
    ...traceEvents
      .filter(({ name }) => SCRIPT.includes(name))
      .map(({ dur = 0, tdur = dur }) => tdur / 1_000),
  );
}

const server = createServer((request, response) =>
  answer(new URL(request.url ?? '/', 'http://x'), response),
);
await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const browser = await launch();
const page = await browser.newPage({ viewport: WIDE });
const key = lanes[3]?.key;

const CASES: readonly (readonly [
  name: string,
  address: string,
  scrolls: string,
  before?: () => Promise<void>,
])[] = [
  ['60 lanes on the board', '#/lanes', '.board'],
  ['60 lanes on the timeline', '#/lanes?time', '.tl'],
  ['60 lanes in the graph', '#/lanes?graph', 'svg.graph'],
  ['10,000 events', '#/lanes?about', '.events'],
  ['a diff of 20,000 lines', `#/lanes/${key}`, '.diff'],
  ['a log of 50 MB', `#/lanes/${key}`, '.log', wholeLog],
];

/** Takes in all of it, piece by piece, as somebody does who looks for its begin. */
async function wholeLog(): Promise<void> {
  const earlier = page.getByRole('button', { name: 'Earlier lines' });
  await earlier.waitFor();
  while ((await earlier.count()) > 0) {
    const before = await page.locator('.earlier span').innerText();
    await earlier.click();
    await page.waitForFunction(
      `document.querySelector('.earlier span')?.innerText !== ${JSON.stringify(before)}`,
    );
  }
}

for (const [name, address, selector, prepare] of CASES) {
  await page.goto('about:blank');
  await page.goto(base + address);
  await page.locator(selector).first().waitFor();
  await prepare?.();
  const longest = await scrolled(browser, page, selector);
  console.log(`${name}: the longest script takes ${longest.toFixed(1)} ms of ${LIMIT_MS} ms`);
  if (longest > LIMIT_MS) process.exitCode = 1;
}
await browser.close();
server.closeAllConnections();
server.close();
