/** What is told, and refused, before a tool: notes about files and commands, rules, companions of a file. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agentsWith } from '../../src/agents/registry.ts';
import type { EventName } from '../../src/agents/types.ts';
import { importDocuments } from '../../src/app/recall/recall.ts';
import { homeOf } from '../../src/base/files/home.ts';
import { openStore } from '../../src/store/open.ts';
import { command } from '../support/command.ts';
import {
  afterEdit,
  beforeCommand,
  beforeEdit,
  promptSubmit,
  sessionStart,
} from '../support/payloads.ts';
import { sandbox } from '../support/sandbox.ts';

function project(kind: 'git' | 'plain' = 'git') {
  const box = sandbox();
  const folder = kind === 'git' ? box.repo('shop') : join(box.root, 'shop');
  mkdirSync(join(folder, 'src/auth'), { recursive: true });
  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 900;\n');
  const run = (...argv: string[]) => command(box, folder, argv);
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  type Payload = { hook_event_name: string; prompt?: string };
  const hook = async (payload: Payload, session = 'session-1') => {
    const event = EVENTS[payload.hook_event_name] ?? 'before-tool';
    const { stdout } = await box.hook(event, { ...payload, session_id: session });
    const { hookSpecificOutput: said = {} } = stdout === '' ? {} : JSON.parse(stdout);
    return said.permissionDecision === 'deny'
      ? `DENIED ${said.permissionDecisionReason}`
      : (said.additionalContext ?? '');
  };
  const edited = (file: string, session?: string) =>
    hook(beforeEdit(folder, join(folder, file)), session);
  const ran = (line: string, session?: string) => hook(beforeCommand(folder, line), session);
  const ranShell = (line: string, session?: string) =>
    hook({ ...beforeCommand(folder, line), hook_event_name: 'PostToolUse' }, session);
  const prompted = (session?: string) =>
    hook({ ...promptSubmit(folder), prompt: 'Go on' }, session);
  const ended = (session?: string) =>
    hook({ ...promptSubmit(folder), hook_event_name: 'Stop' }, session);
  return { box, folder, run, json, hook, edited, ran, ranShell, prompted, ended };
}

const EVENTS: Record<string, EventName> = {
  SessionStart: 'session-start',
  UserPromptSubmit: 'prompt-submit',
  PostToolUse: 'after-tool',
  PostToolUseFailure: 'after-tool-failure',
  Stop: 'stop',
};

test('a note is told once before an edit of its files or a command that it names', async () => {
  const { folder, run, edited, ran, hook } = project();
  const note = ['note', 'add'];
  await run(...note, 'project/token', 'Expiry is in seconds', '--files', 'src/token.ts');
  await run(...note, 'project/auth', 'Tokens are hashed', '--files', 'src/auth/**');
  await run(...note, 'project/release', 'Publish from main', '--commands', 'npm publish');
  await run(...note, 'project/tags', 'Tags are signed', '--commands', 'git tag * v*');

  expect(await edited('src/other.ts')).toBe('');
  const told = await edited('src/token.ts');
  expect(told).toContain('Expiry is in seconds');
  expect(told).toContain('no instruction');
  expect(told).not.toContain('hashed');
  expect(await edited('src/token.ts')).toBe('');
  expect(await edited('src/auth/new.ts')).toContain('Tokens are hashed');
  expect(await edited('src/auth/more.ts')).toBe('');

  for (const line of ['npm publisher', 'npm test', 'git tag v1', 'echo npm publish']) {
    expect(await ran(line), line).toBe('');
  }
  expect(await ran('cd . && npm publish --dry-run')).toContain('Publish from main');
  expect(await ran('npm publish --dry-run')).toBe('');
  expect(await ran('git tag --annotate v1')).toContain('Tags are signed');

  await hook(sessionStart(folder, 'compact'));
  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 1;\n');
  const doubt = await edited('src/token.ts', 'session-2');
  expect(doubt).toMatch(
    /src\/token\.ts no longer says what note lh-\w+ was written about: "Expiry/,
  );
  expect(doubt).not.toContain('<lanehold-recall>');
});

test.each([
  ['asks', 'git config core.hooksPath /dev/null'],
  ['holds', 'npm publish'],
])('a note on a command is told where the gate %s, too, once', async (answer, line) => {
  const { box, folder, run } = project();
  await run('feature', 'add', 'token', '--files', 'src/**', '--smoke', 'true');
  box.commit(folder);
  await run('note', 'add', 'project/ben', 'Ask Ben first', '--commands', line);
  const said = async () =>
    JSON.parse((await box.hook('before-tool', beforeCommand(folder, line))).stdout)
      .hookSpecificOutput.permissionDecisionReason;
  expect(await said()).toMatch(new RegExp(`^lanehold ${answer}[\\s\\S]*Ask Ben first`));
  const again = await said();
  expect(again).toMatch(new RegExp(`^lanehold ${answer}`));
  expect(again).not.toContain('Ben');
});

test('a note holds while its lines stand, wherever they are, and is asked about once when they change', async () => {
  const { box, folder, run, json, hook, edited } = project();
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  const after = (path: string) => hook(afterEdit(folder, join(folder, path)));
  const lines = (from: number) =>
    Array.from({ length: 20 }, (_, at) => `export const other${from + at} = ${at};\n`).join('');
  const said = 'export const expirySeconds = 900;\n';
  write('src/token.ts', lines(0) + said + lines(20));
  box.commit(folder);
  const note = ['note', 'add', 'project/token', 'expirySeconds is 900, not 3600'];
  const { id } = JSON.parse((await run(...note, '--files', 'src/token.ts', '--json')).stdout);

  // Lines above and far below say nothing of it.
  write('src/token.ts', `// A new head.\n\n${lines(0)}${said}${lines(20)}// The end.\n`);
  expect(await after('src/token.ts')).toBe('');
  expect((await json('note', 'list')).notes[0].outdated).toEqual({ changed: [], gone: [] });
  box.git(folder, 'mv', 'src/token.ts', 'src/session.ts');
  box.commit(folder);
  await run('recall', 'refresh');
  expect(await edited('src/session.ts')).toContain('expirySeconds is 900');

  write('src/session.ts', lines(0) + said.replace('900', '60') + lines(20));
  expect(await after('src/session.ts')).toMatch(
    new RegExp(`note ${id} was written about: "expirySeconds.*note confirm ${id}`),
  );
  expect(await after('src/session.ts')).toBe('');
  expect(await edited('src/session.ts', 'session-2')).toContain(`note confirm ${id}`);
  expect(await edited('src/session.ts', 'session-2')).toBe('');
  expect(await edited('src/session.ts', 'session-3')).toBe('');
  await run('note', 'confirm', id);
  expect(await edited('src/session.ts', 'session-2')).toContain('expirySeconds is 900');
  write('src/session.ts', lines(0) + lines(20));
  expect(await after('src/session.ts')).toContain(`note confirm ${id}`);
  // What corrects it takes its place at once.
  await run('note', 'edit', id, '--title', 'expirySeconds is set by the server');
  await run(
    'note',
    'add',
    'project/other',
    'Nobody sets expirySeconds',
    '--supersedes',
    'project/token',
  );
  expect(await edited('src/session.ts', 'session-3')).toBe('');
});

test('a file that a shell removes has its notes asked about, in this session and in one later one', async () => {
  const { box, folder, run, json, hook, edited, prompted, ranShell } = project();
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  write('src/session.ts', 'export const sessionDays = 30;\n');
  box.commit(folder);
  const note = ['note', 'add', 'project/session', 'sessionDays counts working days'];
  const { id } = JSON.parse((await run(...note, '--files', 'src/session.ts', '--json')).stdout);
  const question = `note ${id} is about src/session.ts, which is gone: "sessionDays`;

  expect(await prompted('one')).toBe('');
  box.git(folder, 'mv', 'src/session.ts', 'src/days.ts');
  expect(await ranShell('git mv src/session.ts src/days.ts', 'one')).toBe('');
  box.git(folder, 'mv', 'src/days.ts', 'src/session.ts');
  expect(await ranShell('git mv src/days.ts src/session.ts', 'one')).toBe('');
  rmSync(join(folder, 'src/session.ts'));
  // A prompt looks at no file: what a person removes is seen after the next command, or the turn.
  expect(await prompted('one')).toBe('');
  expect(await ranShell('rm src/session.ts', 'one')).toContain(question);
  expect(await prompted('one')).toBe('');
  expect(await hook(sessionStart(folder), 'two')).toContain(`${question}`);
  expect(await prompted('two')).toBe('');
  expect(await prompted('three')).toBe('');

  expect((await run('recall', 'show', id)).stdout).toContain('src/session.ts is gone. Still true?');

  // What is confirmed holds without the file.
  await run('note', 'confirm', id);
  const [confirmed] = (await json('note', 'list')).notes;
  expect(confirmed).toMatchObject({ files: [], outdated: { gone: [] } });
  expect((await json('recall', 'search', 'sessionDays')).told).toEqual([id]);

  // Lines that change again are asked about again.
  write('src/days.ts', 'export const sessionDays = 30;\n');
  const more = ['note', 'add', 'project/days', 'sessionDays is 30', '--files', 'src/days.ts'];
  await run(...more);
  for (const [days, asks] of [
    [20, true],
    [20, false],
    [10, true],
  ] as const) {
    write('src/days.ts', `export const sessionDays = ${days};\n`);
    expect((await edited('src/days.ts', 'four')).includes('no longer says'), `${days}`).toBe(asks);
  }
});

test('lines that a command changes are asked about after it, or at the next prompt', async () => {
  const { box, folder, run, ran, ranShell, prompted, ended, hook } = project();
  const write = (seconds: number) =>
    writeFileSync(join(folder, 'src/token.ts'), `export const expiry = ${seconds};\n`);
  box.commit(folder);
  const note = ['note', 'add', 'project/token', 'The expiry is in seconds'];
  const { id } = JSON.parse((await run(...note, '--files', 'src/token.ts', '--json')).stdout);
  await run('note', 'add', 'project/newer', 'Nothing of this is about a file');
  const question = `src/token.ts no longer says what note ${id} was written about: "The expiry`;

  const sed = 'sed -i s/900/60/ src/token.ts';
  expect(await ranShell('ls', 'one')).toBe('');
  write(60);
  expect(await ranShell(sed, 'one')).toContain(question);
  expect(await ranShell('ls', 'one')).toBe('');
  box.git(folder, 'checkout', '--', '.');
  expect(await ranShell('git checkout -- .', 'one')).toBe('');

  // An agent that takes no text after a tool, or reports no tool that has run, is asked at the next prompt.
  await ran('make format', 'two');
  write(30);
  expect(await ended('two')).toBe('');
  expect(await prompted('two')).toContain(question);
  expect(await prompted('two')).toBe('');
  expect(await hook(sessionStart(folder), 'three')).toContain(question);
  expect(await hook(sessionStart(folder), 'four')).not.toContain(question);
  await run('note', 'confirm', id);
  write(20);
  expect(await hook(sessionStart(folder), 'five')).toContain(question);

  // Nobody is asked about a note that was corrected, whatever happens to its file then.
  const edit = ['note', 'edit', id, '--title', 'The expiry is in minutes', '--json'];
  const { id: corrected } = JSON.parse((await run(...edit)).stdout);
  write(10);
  const asked = await hook(sessionStart(folder), 'six');
  expect(asked).toContain(`note ${corrected} was written about`);
  expect(asked).not.toContain(question);
});

test('a note moves with a file that is moved without git, by its lines', async () => {
  const { folder, box, run, json, ranShell, edited } = project();
  const place = (path: string) => join(folder, path);
  const text = 'export function refresh() {\n  return 1;\n}\n';
  writeFileSync(place('src/auth/refresh.ts'), text);
  writeFileSync(place('src/draft.md'), 'Nobody has committed this.\n');
  box.commit(folder);
  writeFileSync(place('src/untracked.ts'), 'export const untracked = true;\n');
  const note = (name: string, title: string, file: string) =>
    run('note', 'add', `project/${name}`, title, '--files', file);
  await note('refresh', 'refresh is called twice', 'src/auth/refresh.ts');
  await note('draft', 'A draft', 'src/draft.md');
  await note('untracked', 'untracked is on for Ben', 'src/untracked.ts');

  mkdirSync(place('lib'));
  renameSync(place('src/auth/refresh.ts'), place('lib/again.ts'));
  writeFileSync(place('lib/again.ts'), `// Moved.\n\n\n\n\n${text}`);
  renameSync(place('src/draft.md'), place('lib/draft.md'));
  renameSync(place('src/untracked.ts'), place('lib/untracked.ts'));
  expect(await ranShell('mv src/auth/refresh.ts lib/again.ts; mv src/*.md lib')).toBe('');
  await run('recall', 'refresh');
  const { notes } = await json('note', 'list');
  expect(notes.flatMap(({ files }: { files: string[] }) => files).sort()).toEqual([
    'lib/again.ts',
    'lib/draft.md',
    'lib/untracked.ts',
  ]);
  expect(await edited('lib/again.ts')).toContain('refresh is called twice');

  // What undoes it, or a branch without it, has the file where it was.
  box.git(folder, 'checkout', '--', '.');
  rmSync(place('lib'), { recursive: true });
  const asked = await ranShell('git checkout -- . && rm -r lib');
  expect(asked).toContain('lib/untracked.ts, which is gone');
  expect(asked).not.toContain('again.ts');
  await run('recall', 'refresh');
  const back = (await json('note', 'list')).notes.map(({ files }: { files: string[] }) => files[0]);
  expect(back.sort()).toEqual(['lib/untracked.ts', 'src/auth/refresh.ts', 'src/draft.md']);
});

test('what an interrupted turn changed is asked about at the next prompt, and is looked at once', async () => {
  const { box, folder, run, ran, prompted } = project();
  box.commit(folder);
  const note = ['note', 'add', 'project/token', 'The expiry is in seconds'];
  const { id } = JSON.parse((await run(...note, '--files', 'src/token.ts', '--json')).stdout);
  await ran('sed -i s/900/60/ src/token.ts', 'one');
  writeFileSync(join(folder, 'src/token.ts'), 'export const expiry = 60;\n');
  // Esc: there is no end of this turn.
  expect(await prompted('one')).toContain(`no longer says what note ${id} was written about`);
  expect(await prompted('one')).toBe('');
});

test('a note comes back with a file whose new name is undone, also one in other letters', async () => {
  const { box, folder, run, json, ranShell } = project();
  const filesOf = async () =>
    (await json('note', 'list')).notes.flatMap(({ files }: { files: string[] }) => files);
  writeFileSync(join(folder, 'src/Session.ts'), 'export const sessionDays = 30;\n');
  box.commit(folder);
  await run('note', 'add', 'project/session', 'sessionDays is 30', '--files', 'src/Session.ts');
  for (const name of ['src/session.ts', 'src/days.ts', 'src/auth/session.ts']) {
    box.git(folder, 'mv', 'src/Session.ts', name);
    expect(await ranShell('git mv', name)).toBe('');
    await run('recall', 'refresh');
    expect(await filesOf()).toEqual([name]);
    box.git(folder, 'mv', name, 'src/Session.ts');
    expect(await ranShell('git mv', `${name} back`)).toBe('');
    await run('recall', 'refresh');
    expect(await filesOf()).toEqual(['src/Session.ts']);
  }
});

test('in a folder without git a note moves with its file, and one about a removed file is asked about', async () => {
  const { box, run, json, ranShell } = project('plain');
  const note = (name: string, title: string, file: string) =>
    run('note', 'add', `project/${name}`, title, '--files', file);
  box.write('shop/src/session.ts', 'export const sessionDays = 30;\n');
  box.write('shop/src/draft.md', 'Nobody has read this.\n');
  box.write('shop/src/other.md', 'Nobody has read that.\n');
  await note('session', 'sessionDays is 30', 'src/session.ts');
  await note('draft', 'Still a draft', 'src/draft.md');
  mkdirSync(join(box.root, 'shop/lib'));
  renameSync(join(box.root, 'shop/src/session.ts'), join(box.root, 'shop/lib/days.ts'));
  rmSync(join(box.root, 'shop/src/draft.md'));
  const said = await ranShell('mv src/session.ts lib/days.ts; rm src/draft.md');
  expect(said).toContain('src/draft.md, which is gone');
  expect(said).not.toContain('session.ts');
  await run('recall', 'refresh');
  expect((await json('note', 'list')).notes).toMatchObject([
    { files: ['src/draft.md'], outdated: { gone: ['src/draft.md'] } },
    { files: ['lib/days.ts'], outdated: { gone: [] } },
  ]);
});

test('without git, a file of a subfolder belongs to the folder of the session', async () => {
  const { box, folder, run, edited, hook } = project('plain');
  await run('note', 'add', 'project/expiry', 'Expiry is in seconds', '--files', 'src/token.ts');
  expect(await edited('src/token.ts')).toContain('Expiry is in seconds');
  box.write('shop/src/token.ts', 'export const expiry = 60;\n');
  const after = afterEdit(folder, join(folder, 'src/token.ts'));
  expect(await hook(after)).toContain('no longer says what note');
});

test('a condition fires in prompts, at edits of what a file is about, and at commands', async () => {
  const { box, folder, run, edited, ran } = project();
  const note = ['note', 'add'];
  await run(...note, 'project/jwt', 'Keys rotate daily', '--when', 'working on auth, tokens');
  await run(
    ...note,
    'project/limits',
    'Limits are per partner',
    '--when',
    'rate limit, db/**/*.sql',
  );
  await run(...note, 'project/days', 'Days are working days', '--when', 'Lieferzeit');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('src/mail.ts', "import { send } from './relay.ts';\nconst author = 1;\n");
  write('src/jwt.ts', 'export function signToken() {}\n');
  write('src/login.ts', "import { check } from './auth.ts';\n");
  write('src/proxy.ts', 'export const port = 1;\n');
  box.commit(folder, 'Answer 429 above the rate limit');
  await run('index');

  const prompts = [
    ['refresh the token', 'Keys rotate daily'],
    ['auth again', 'Keys rotate daily'],
    ['why is the rate limit so low?', 'Limits are per partner'],
    ['limited by which rates?', 'Limits are per partner'],
    ['Lieferzeiten sind falsch', 'Days are working days'],
  ] as const;
  for (const [at, [prompt, note]] of prompts.entries()) {
    const payload = { ...promptSubmit(folder), prompt, session_id: `prompt-${at}` };
    const { stdout } = await box.hook('prompt-submit', payload);
    expect(stdout, prompt).toContain(note);
    const { told } = JSON.parse((await run('recall', 'search', prompt, '--json')).stdout);
    expect(told, prompt).toHaveLength(1);
  }
  const others = [
    'who is the author?',
    'at which rate?',
    'fix the limit',
    'the tokenizer is broken',
  ];
  for (const prompt of others) {
    const payload = { ...promptSubmit(folder), prompt, session_id: 'others' };
    expect((await box.hook('prompt-submit', payload)).stdout, prompt).toBe('');
  }
  expect(await edited('src/jwt.ts', 'a')).toContain('Keys rotate daily');
  expect(await edited('src/jwt.ts', 'a')).toBe('');
  expect(await edited('src/login.ts', 'b')).toContain('Keys rotate daily');
  expect(await edited('db/migrations/1.sql', 'c')).toContain('Limits are per partner');
  expect(await edited('src/proxy.ts', 'd')).toContain('Limits are per partner');
  expect(await ran('git commit -m "Sign tokens with the new key"', 'e')).toContain('Keys rotate');
  expect(await ran('npm test', 'e')).toBe('');
});

test('a rule about files is told, or refuses the edit, until a person removes it', async () => {
  const { box, folder, run, json, edited, hook } = project();
  const told = await json('guard', 'add', 'src/token.ts', 'Keep the public names');
  const denying = await json(
    ...['guard', 'add', 'migrations/**', 'Released migrations\nare not edited', '--deny'],
    ...['--reason', 'they have run'],
  );
  expect(await edited('src/token.ts')).toContain('Keep the public names');
  expect(await edited('src/token.ts')).toBe('');
  const refused = await edited('migrations/001.sql');
  expect(refused).toContain('DENIED lanehold holds this edit');
  expect(refused).toContain('Released migrations\\nare not edited (they have run)');
  expect(await edited('migrations/001.sql')).toBe(refused);
  expect(await edited('src/auth/a.ts')).toBe('');

  // An agent that takes no text before a tool is refused once instead.
  const payload = {
    ...{ agent_action_name: 'pre_write_code', trajectory_id: 't1', execution_id: 'e1' },
    ...{ timestamp: '2026-11-23T10:00:00Z', model_name: 'm' },
    tool_info: { file_path: join(folder, 'src/token.ts'), edits: [] },
  };
  const answers = [];
  for (let i = 0; i < 2; i += 1) {
    answers.push(await box.hook('before-tool', payload, { agent: 'windsurf', cwd: folder }));
  }
  expect(answers.map(({ exitCode }) => exitCode)).toEqual([2, 0]);
  expect(answers[0]?.stderr).toContain('this is told once');

  expect((await run('guard', 'list')).stdout).toContain('refuses');
  const agent = { env: { LANEHOLD_AGENT: 'helper' } };
  const denies = ['guard', 'add', 'src/**', 'Keep', '--deny'];
  expect((await command(box, folder, denies, agent)).stderr).toContain(
    'no person was asked about exactly this rule',
  );
  const asAgent = await command(box, folder, ['guard', 'remove', denying.id], agent);
  expect(asAgent.stderr).toContain('an agent does not remove it');
  expect((await run('guard', 'remove', denying.id)).exitCode).toBe(0);
  expect(await edited('migrations/001.sql')).toBe('');
  expect((await run('guard', 'remove', told.id)).exitCode).toBe(0);
  expect(await hook(afterEdit(folder, join(folder, 'src/token.ts')))).toBe('');
  for (const files of ['../x', '/etc/passwd', 'a[b', '']) {
    expect((await run('guard', 'add', files, 'x')).stderr, files).toContain('names no files');
  }
});

test('files that are usually changed together are named once', async () => {
  const { box, folder, edited } = project();
  const commits = Array.from({ length: 6 }, (_, at) => ({
    ...{ id: `c${at}`, kind: 'commit', title: `Change ${at}`, text: '', time: 1_700_000_000 + at },
    files: at === 0 ? ['src/token.ts'] : ['src/token.ts', 'src/token.md', `src/${at}.ts`],
  }));
  const input = commits.map((it) => JSON.stringify(it)).join('\n');
  const { env } = box;
  const store = await openStore(homeOf(env));
  onTestFinished(() => store.close());
  const context = { env, cwd: folder, now: () => new Date(), store: async () => store };
  await importDocuments({ ...context, progress: () => undefined }, input);
  expect(await edited('src/token.ts')).toBe(
    'lanehold: src/token.ts has usually been changed together with src/token.md (5 of 6 commits).',
  );
  expect(await edited('src/token.ts')).toBe('');
  expect(await edited('src/1.ts')).toBe('');
});

test('a command that fails again and again, and a file that is edited over and over, are noticed once', async () => {
  const { box, folder, hook } = project();
  const failed = (line: string) =>
    hook({
      ...beforeCommand(folder, line),
      ...{ hook_event_name: 'PostToolUseFailure', error: 'Exit code 1' },
    });
  const several = async (times: number, step: () => Promise<string>) => {
    const said = [];
    for (let at = 0; at < times; at += 1) said.push(await step());
    return said.map((it, at) => (it === '' ? '' : `${at + 1}: ${it}`)).join('');
  };
  const edited = () => hook(afterEdit(folder, join(folder, 'src/token.ts')));
  expect(await several(4, () => failed('npm test'))).toMatch(
    /^3: lanehold: this command has failed 3 times with no edit between\./,
  );
  expect(await failed('npm run build')).toBe('');
  const between = async () => `${await edited()}${await failed('API_KEY=hunter2 npm run lint')}`;
  expect(await several(8, between)).toMatch(/^6: lanehold: this command has failed 6 times\. /);
  expect(await several(6, edited)).toMatch(
    /^4: lanehold: this session has edited token.ts 12 times/,
  );
  const file = join(box.laneholdHome, 'sessions/claude-code-session-1.loops');
  expect(readFileSync(file, 'utf8')).not.toContain('hunter2');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('every agent that takes text before a tool is told before a command', async () => {
  const { box, folder, run } = project();
  await run('note', 'add', 'project/status', 'The status is slow here', '--commands', 'git status');
  const told = new Set<string>();
  const able = new Set<string>();
  for (const { name, hooks, install } of agentsWith('hooks')) {
    for (const { as, payload, env } of (await install?.())?.samples(folder) ?? []) {
      if (as !== 'before-tool' || !JSON.stringify(payload).includes('git status')) continue;
      if (hooks.capabilities.takesContext.includes(as)) able.add(name);
      const { stdout } = await box.hook(
        as,
        { ...payload },
        { agent: name, cwd: folder, ...(env && { env }) },
      );
      if (stdout.includes('The status is slow here')) told.add(name);
    }
  }
  expect(told).toEqual(able);
  expect(told.size).toBeGreaterThanOrEqual(6);
});
