/** A shop in which agents have worked: what its page shows of features, sessions and notes, and of a large change. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { EventName } from '../../../src/agents/types.ts';
import { homeOf } from '../../../src/base/files/home.ts';
import { EMPTY_OBSERVATION } from '../../../src/recall/actions.ts';
import { observationStore } from '../../../src/store/observations.ts';
import { openStore, type Store } from '../../../src/store/open.ts';
import { proposalStore } from '../../../src/store/proposals.ts';
import type { Files } from '../../support/fake-worker.ts';
import { type LaneProject, laneProject } from '../../support/lane-project.ts';
import { laneRun } from '../../support/lane-run.ts';

const FEATURES = {
  price: { files: ['src/price/**'], smoke: ['true'] },
  cart: { files: ['src/cart/**'], smoke: ['true'], dependsOn: ['price'] },
  checkout: {
    files: ['src/checkout/**'],
    smoke: ['echo "due includes shipping"; false'],
    dependsOn: ['cart', 'price'],
  },
  mail: { files: ['src/mail/**'], smoke: ['true'], description: 'Order mails' },
};

const FILES: Files = {
  'lanehold.json': `${JSON.stringify({ features: FEATURES }, undefined, 2)}\n`,
  'src/price/format.js': 'export const format = (cents) => (cents / 100).toFixed(2);\n',
  'src/cart/cart.js': 'export const total = (items) => items.length;\n',
  'src/checkout/total.js': 'export const due = (items) => items.length + 4;\n',
  'src/checkout/receipt.js': "export const receipt = (due) => 'paid ' + due;\n",
  'src/mail/mail.js': "export const sender = () => '';\n",
  'docs/<b>bold</b> & more.md': 'Not markup\n',
};

export const LARGE = { files: 42, linesOfEach: 500 };

/** As the lane `large` leaves it, with a name that a page must not take for markup. */
const CHANGED: Files = {
  'src/price/format.js': "export const format = (cents) => '$' + (cents / 100).toFixed(2);\n",
  'src/<img src=x onerror=alert(1)>.js': "export const text = '<script>alert(1)</script>';\n",
  ...Object.fromEntries(
    Array.from({ length: LARGE.files }, (_, file) => [
      `src/made/file-${file}.js`,
      Array.from(
        { length: LARGE.linesOfEach },
        (_, line) =>
          `export const value${line} = make(${line}, 'of file ${file}', { deep: true }); // ${'long '.repeat(line % 30)}\n`,
      ).join(''),
    ]),
  ),
};

export const PROMPT =
  'Add shipping to what a customer pays\nand never write <script>alert(1)</script>.';
export const MANY_EVENTS = 10_000;
export const OLD_EVENTS = 3;

export interface PlayedShop {
  readonly project: LaneProject;
  readonly remote: string;
}

export async function playedShop(
  cleanUp: (remove: () => void) => void = onTestFinished,
): Promise<PlayedShop> {
  const project = laneProject({
    files: FILES,
    name: 'shop',
    scenario: { lanes: { large: [[{ write: CHANGED }, { result: { usd: 0.1, turns: 2 } }]] } },
    cleanUp,
  });
  const { box, git } = project;
  const remote = box.repo('remote.git', '--bare');
  git('remote', 'add', 'origin', remote);
  git('push', '--quiet', '--set-upstream', 'origin', 'main');
  await project.lanehold('feature', 'verify', 'price', 'cart');
  await writeNotes(project);
  await playSessions(project);
  await addManyEvents(project);
  const run = laneRun(project);
  await run.init('Change much', '--name', 'large');
  await run.add('large', { validate: 'true', touches: ['src/**'] });
  await run.spawn();
  await run.settled();
  return { project, remote };
}

async function writeNotes({ lanehold }: LaneProject): Promise<void> {
  const note = (path: string, title: string, ...more: string[]) =>
    lanehold('note', 'add', `project/${path}`, title, ...more);
  await note('decisions/db', 'SQLite, one file for everything', '--files', 'src/cart/cart.js');
  await note(
    'decisions/wal',
    'SQLite with a log written ahead',
    '--supersedes',
    'project/decisions/db',
  );
  await note(
    'gotchas/receipt',
    'The receipt is read by the tax office',
    '--files',
    'src/checkout/receipt.js',
  );
  await note('facts/mail', 'Mails are sent by the queue', '--files', 'src/mail/mail.js');
  await lanehold('guard', 'add', 'LICENSE', 'Only the lawyers change it', '--deny');
}

async function playSessions(project: LaneProject): Promise<void> {
  const { box, repo, git } = project;
  const session = (id: string) => (event: EventName, name: string, more: object) =>
    box.hook(
      event,
      {
        session_id: id,
        transcript_path: '/dev/null',
        permission_mode: 'default',
        cwd: repo,
        hook_event_name: name,
        ...more,
      },
      { cwd: repo, env: project.env },
    );
  const edit = async (say: ReturnType<typeof session>, path: string, text: string) => {
    const input = { file_path: join(repo, path), old_string: 'a', new_string: 'b' };
    await say('before-tool', 'PreToolUse', { tool_name: 'Edit', tool_input: input });
    box.write(join(repo, path), text);
    const done = { tool_name: 'Edit', tool_input: input, tool_response: { filePath: path } };
    await say('after-tool', 'PostToolUse', done);
  };
  const shell = (say: ReturnType<typeof session>, command: string) =>
    say('before-tool', 'PreToolUse', { tool_name: 'Bash', tool_input: { command } });

  const one = session('session-one');
  await one('session-start', 'SessionStart', { source: 'startup' });
  await one('prompt-submit', 'UserPromptSubmit', { prompt: PROMPT });
  await edit(one, 'src/price/format.js', "export const format = (cents) => cents + ' EUR';\n");
  await edit(one, 'src/checkout/total.js', 'export const due = (items) => items.length + 5;\n');
  git('commit', '--quiet', '--all', '--message', 'Charge shipping');
  await shell(one, 'git push origin main');
  await one('before-compact', 'PreCompact', { trigger: 'auto', custom_instructions: null });
  await one('session-start', 'SessionStart', { source: 'compact' });
  await shell(one, 'git push origin main');
  await one('stop', 'Stop', { stop_hook_active: false });
  await project.lanehold('feature', 'verify', 'checkout');
  // After the push: the working tree holds one more feature than what was pushed.
  const two = session('session-two');
  await two('session-start', 'SessionStart', { source: 'startup' });
  await two('prompt-submit', 'UserPromptSubmit', { prompt: 'Remember: never use var.' });
  await edit(two, 'src/mail/mail.js', "export const sender = () => 'orders@shop.example';\n");
  await two('stop', 'Stop', { stop_hook_active: false });
  await two('session-end', 'SessionEnd', { reason: 'other' });
}

/** A session of an agent that worked for days. */
async function addManyEvents({ env, lanehold }: LaneProject): Promise<void> {
  const shown = JSON.parse((await lanehold('session', 'list', '--json')).stdout);
  const store = await openStore(homeOf(env));
  const began = Date.parse(shown.sessions[0].began) - 86_400_000;
  const seen = { name: null, category: null, text: null, rules: null, outputBytes: null };
  store.write(() => {
    const projectId = Number(store.db.prepare('SELECT max(id) FROM projects').pluck().get());
    const observations = observationStore(store);
    for (let event = 0; event < MANY_EVENTS; event += 1) {
      const isPrompt = event % 50 === 0;
      observations.add({
        ...seen,
        projectId,
        agent: 'codex',
        session: 'session-long',
        source: null,
        kind: isPrompt ? 'prompt' : 'edit',
        at: new Date(began + event * 1_000),
        text: isPrompt ? `Prompt ${event} ${'with many words '.repeat(event % 9)}` : null,
        files: isPrompt ? [] : [`src/price/part-${event}.js`],
        outcome: isPrompt ? null : 'passed',
      });
    }
  });
  addOldEvents(store, began);
  addProposals(store, began);
  store.close();
}

/** Older than events are kept. */
function addOldEvents(store: Store, began: number): void {
  const projectId = Number(store.db.prepare('SELECT max(id) FROM projects').pluck().get());
  store.write(() => {
    for (let event = 0; event < OLD_EVENTS; event += 1) {
      observationStore(store).add({
        ...EMPTY_OBSERVATION,
        projectId,
        agent: 'codex',
        session: 'session-old',
        source: null,
        kind: 'stop',
        at: new Date(began - 100 * 86_400_000),
      });
    }
  });
}

/** As `lanehold dream` would make them after some sessions. */
function addProposals(store: Store, began: number): void {
  const projectId = Number(store.db.prepare('SELECT max(id) FROM projects').pluck().get());
  const proposal = {
    projectId,
    source: 'rules',
    status: 'waiting',
    at: new Date(began),
    decidedAt: null,
  } as const;
  const proposals = proposalStore(store);
  store.write(() => {
    proposals.add({
      ...proposal,
      uid: 'dp-00000001',
      operation: {
        op: 'guard',
        files: 'db/**',
        rule: 'Ask before a table is changed',
        deny: false,
      },
      why: 'three sessions were told so',
      evidence: [{ session: 'session-long', quote: 'Ask before you change <b>a table</b>' }],
      diff: ['+ before edits of db/**:', '+ Ask before a table is changed'],
    });
    proposals.add({
      ...proposal,
      uid: 'dp-00000002',
      operation: { op: 'feature', name: 'docs', files: ['docs/**'], smoke: ['true'] },
      why: 'these files were edited together',
      evidence: [],
      diff: ['+ feature docs', '+   docs/**', '+   verified by: true'],
    });
  });
}
