/**
 * A day of ten sessions through the hooks: what they are told in total, each, and at most at one moment;
 * and that nothing is told twice in a context. `lanehold recall stats` counts the same.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EventName } from '../../src/agents/types.ts';
import { tokensOf } from '../../src/recall/tokens.ts';
import { command } from '../support/command.ts';
import { promptSubmit, sessionStart } from '../support/payloads.ts';
import { type Sandbox, sandbox } from '../support/sandbox.ts';

interface Told {
  readonly session: number;
  readonly event: EventName;
  readonly text: string;
  readonly tokens: number;
}

/** A prompt with what is done for it, or what happens meanwhile. */
type Step =
  | { readonly ask: string; readonly edits?: readonly string[]; readonly says?: string }
  | 'compact';

const DAY: readonly (readonly Step[])[] = [
  [
    {
      ask: 'Add refunds to the payment service. Never touch src/legacy, and always run the linter.',
      edits: ['src/payment/refund.ts', 'src/payment/service.ts'],
      says: 'Refunds are added. We decided to keep amounts as integer cents instead of floats. Next: partial refunds.',
    },
    { ask: 'ok, go on' },
    {
      ask: 'Partial refunds must round down to whole cents',
      edits: ['src/payment/refund.ts'],
      says: 'Done. Careful: the ledger rejects a refund of zero cents.',
    },
  ],
  [
    {
      ask: 'Why does the login token expire so early?',
      edits: ['src/auth/token.ts'],
      says: 'It turned out that the expiry is compared in milliseconds. Still missing: a test of the refresh.',
    },
    { ask: 'thanks, looks good' },
  ],
  [
    {
      ask: 'Write the test of the token refresh',
      edits: ['test/auth/refresh.test.ts'],
      says: 'The test is there.',
    },
    { ask: 'How do refunds keep their amounts, integer cents or floats?', says: 'Integer cents.' },
  ],
  [
    {
      ask: 'Move the email templates of the shop to MJML',
      edits: ['src/mail/templates.ts'],
      says: 'Moved. We chose MJML instead of handlebars because clients differ.',
    },
    { ask: 'yes please' },
    'compact',
    { ask: 'Also the template of the refund email', edits: ['src/mail/refund.ts'], says: 'Done.' },
  ],
  [
    {
      ask: 'The search page is slow, profile the product query',
      edits: ['src/search/query.ts'],
      says: 'Found out that the index on product names was missing. Next: a migration for the index.',
    },
    {
      ask: 'Add the migration for the index on product names',
      edits: ['migrations/014_products.sql'],
      says: 'Added.',
    },
  ],
  [
    { ask: 'hi' },
    { ask: 'What is the weather like in Paris?', says: 'I cannot know that.' },
    { ask: 'go on' },
  ],
  [
    {
      ask: 'Refund emails show the amount in cents, they should show euros',
      edits: ['src/mail/refund.ts', 'src/payment/format.ts'],
      says: 'Fixed. Note that formatting lives in src/payment/format.ts only.',
    },
    'compact',
    { ask: 'And the invoice email?', edits: ['src/mail/invoice.ts'], says: 'Done as well.' },
  ],
  [
    {
      ask: 'Rotate the refresh token at each login',
      edits: ['src/auth/token.ts', 'src/auth/login.ts'],
      says: 'Rotated. We decided to revoke the whole family when an old token is used again.',
    },
    { ask: 'Which decision did we take about token expiry?', says: 'Seconds.' },
  ],
  [
    {
      ask: 'Publish version 2.1 of the client package',
      edits: ['client/package.json'],
      says: 'The version is raised. Still needs a tag.',
    },
    { ask: 'Tag the release of the client package', says: 'Tagged.' },
  ],
  [
    {
      ask: 'Clean up the payment service: remove dead code of the first refund flow',
      edits: ['src/payment/service.ts'],
      says: 'Removed.',
    },
    { ask: 'What is left to do on product search and its index?', says: 'Nothing.' },
    { ask: 'perfect' },
  ],
];

const NOTES: readonly (readonly string[])[] = [
  [
    'project/gotchas/expiry',
    'Token expiry is in seconds',
    '--kind',
    'gotcha',
    '--files',
    'src/auth/token.ts',
    '--body',
    '900, not 3600',
  ],
  [
    'project/decisions/money',
    'Amounts are integer cents everywhere',
    '--kind',
    'decision',
    '--files',
    'src/payment/**',
  ],
  [
    'project/gotchas/mail',
    'Outlook drops margins on table cells',
    '--kind',
    'gotcha',
    '--files',
    'src/mail/**',
  ],
  [
    'project/decisions/search',
    'Product search goes through Postgres, no Elasticsearch',
    '--kind',
    'decision',
  ],
  [
    'project/release',
    'Clients are published from main only',
    '--kind',
    'instruction',
    '--commands',
    'npm publish',
  ],
  ['global/style', 'Small commits with a test each', '--kind', 'preference'],
  [
    'project/facts/legacy',
    'src/legacy serves the shops in Norway',
    '--kind',
    'fact',
    '--files',
    'src/legacy/**',
  ],
];

type Send = (session: number, event: EventName, more: object) => Promise<void>;

const start = (send: Send, session: number, folder: string, source: string) =>
  send(session, 'session-start', sessionStart(folder, source));

async function edit(send: Send, session: number, file: string) {
  const tool = { tool_name: 'Write', tool_input: { file_path: file } };
  await send(session, 'before-tool', { hook_event_name: 'PreToolUse', ...tool });
  mkdirSync(dirname(file), { recursive: true });
  // A note is bound to it.
  if (!file.endsWith('token.ts')) writeFileSync(file, `// ${session}\n`);
  await send(session, 'after-tool', { hook_event_name: 'PostToolUse', ...tool });
}

async function take(send: Send, session: number, folder: string, step: Step) {
  if (step === 'compact') {
    await send(session, 'before-compact', { hook_event_name: 'PreCompact' });
    return start(send, session, folder, 'compact');
  }
  const { ask, edits = [], says } = step;
  await send(session, 'prompt-submit', { prompt: ask });
  for (const path of edits) await edit(send, session, join(folder, path));
  const said = says === undefined ? {} : { last_assistant_message: says };
  await send(session, 'stop', { hook_event_name: 'Stop', ...said });
}

async function play(box: Sandbox, folder: string): Promise<Told[]> {
  const told: Told[] = [];
  const send: Send = async (session, event, more) => {
    const id = { session_id: `session-${session}`, cwd: folder };
    const { stdout } = await box.hook(event, { ...promptSubmit(folder), ...more, ...id });
    if (stdout === '') return;
    const text = JSON.parse(stdout).hookSpecificOutput?.additionalContext;
    if (text !== undefined) told.push({ session, event, text, tokens: tokensOf(text) });
  };
  for (const [session, steps] of DAY.entries()) {
    await start(send, session, folder, 'startup');
    for (const step of steps) await take(send, session, folder, step);
    await send(session, 'session-end', { hook_event_name: 'SessionEnd', reason: 'other' });
  }
  return told;
}

describe('ten sessions', () => {
  let told: Told[] = [];
  let stats: {
    sessions: { tokens: number; most: number; told: number; used: number }[];
    tokens: number;
  };
  const isRecalled = (text: string) => text.includes('<lanehold-recall>');
  const sum = (some: readonly Told[]) => some.reduce((all, { tokens }) => all + tokens, 0);

  beforeAll(async () => {
    const box = sandbox(afterAll);
    const folder = box.repo('shop');
    for (const path of ['src/auth/token.ts', 'src/payment/service.ts', 'src/legacy/a.ts']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), 'export {};\n');
    }
    box.commit(folder);
    for (const note of NOTES) await command(box, folder, ['note', 'add', ...note]);
    told = await play(box, folder);
    const { stdout } = await command(box, folder, ['recall', 'stats', '--json']);
    stats = JSON.parse(stdout);
  });

  test('are told little: in total, each, and at one moment', () => {
    const each = DAY.map((_, at) => sum(told.filter(({ session }) => session === at)));
    expect(Math.max(...each)).toBeLessThanOrEqual(800);
    expect(sum(told)).toBeLessThanOrEqual(5_200);
    const most = (event: EventName) =>
      Math.max(0, ...told.filter((it) => it.event === event).map(({ tokens }) => tokens));
    expect(most('session-start')).toBeLessThanOrEqual(600);
    expect(most('prompt-submit')).toBeLessThanOrEqual(250);
    expect(most('before-tool')).toBeLessThanOrEqual(200);
  });

  test('are told nothing twice in one context', () => {
    const repeated = DAY.flatMap((_, session) => {
      const seen = new Set<string>();
      return told
        .filter((it) => it.session === session)
        .flatMap(({ event, text }) => {
          if (event === 'session-start') seen.clear();
          const lines = text.split('\n').filter((it) => it.startsWith('- '));
          const again = lines.filter((it) => seen.has(it) || seen.has(saying(it)));
          for (const it of lines) seen.add(it).add(saying(it));
          return again;
        });
    });
    expect(repeated).toEqual([]);
  });

  test('hear nothing at small talk', () => {
    const quiet = told.filter(({ session, event }) => session === 5 && event !== 'session-start');
    expect(quiet).toEqual([]);
  });

  test('hear of what earlier ones decided, of the notes about a file, and of the open request', () => {
    const texts = (session: number, event: EventName) =>
      told
        .filter((it) => it.session === session && it.event === event)
        .map(({ text }) => text)
        .join('\n');
    expect(texts(1, 'session-start')).toContain('integer cents instead of floats');
    expect(texts(1, 'session-start')).toContain('Token expiry is in seconds');
    expect(texts(3, 'session-start')).toContain('The user asked last: "Move the email templates');
    expect(texts(9, 'prompt-submit')).toContain('the index on product names was missing');
    expect(texts(0, 'before-tool')).toContain('Amounts are integer cents');
  });

  test('are counted by `recall stats`', () => {
    const recalled = told.filter(({ text }) => isRecalled(text));
    expect(stats.sessions).toHaveLength(10);
    // Without the brief after a compaction, which is no item.
    expect(stats.tokens).toBeLessThanOrEqual(sum(recalled));
    expect(stats.tokens).toBeGreaterThan(sum(recalled) * 0.7);
    expect(stats.sessions.some(({ used }) => used > 0)).toBe(true);
  });
});

/** What a line says, without where it comes from. */
const saying = (line: string): string => line.replace(/^- \[[^\]]*\]\s*/, '');
