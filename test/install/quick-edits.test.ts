/** Edits that the script in LANEHOLD_HOME answers without Node, and what becomes of them. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageRoot } from '../../src/base/files/package.ts';
import { realPath } from '../../src/base/files/real-path.ts';
import { CONFIGURED_HOOK } from '../../src/base/text/git-hook.ts';
import { guardedFiles } from '../../src/moments/lifecycle/guarded-files.ts';
import { command } from '../support/command.ts';
import { installedScript, SHELLS } from '../support/installed-script.ts';
import { quickAnswers } from '../support/quick-shell.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { shop } from '../support/shop.ts';

type Shell = (typeof SHELLS)[number];

/** What a file that says more was changed before. */
const LONG_AGO = new Date('2026-01-01');

function session(shell?: Shell) {
  const box = sandbox();
  const project = shop(box);
  const { repo } = project;
  const script = installedScript(box, repo, shell);
  const { event } = script;
  /** The hook program itself. */
  const real: typeof script.real = (name, input, env) =>
    script.real(name, input, { LANEHOLD_TRACE: '/dev/null', ...env });
  const file = join(repo, 'src/cart/add.ts');
  const edit = (path = file, more: object = {}) => ({
    ...more,
    tool_name: 'Edit',
    tool_input: { file_path: path, old_string: 'say "a" \\', new_string: 'git push' },
  });
  const edited = (path = file, more: object = {}) => ({
    ...edit(path, more),
    tool_response: { filePath: path, originalFile: 'x'.repeat(50), userModified: false },
    tool_use_id: 'toolu_1',
  });
  const home = (name: string) => join(box.laneholdHome, name);
  /** All that was changed so far was changed long ago. */
  const settle = () => {
    const names = ['recall-projects', 'recall-files', 'local-features', 'config.json', 'settled'];
    for (const it of [join(repo, 'lanehold.json'), ...names.map(home)]) {
      if (statSync(it, { throwIfNoEntry: false })) utimesSync(it, LONG_AGO, LONG_AGO);
    }
  };
  /** By the hook program: the session begins, and edits the file for the first time. */
  const begin = (path = file) => {
    box.write(home('recall-projects'), `${repo}/.git\n`);
    settle();
    real('session-start', { hook_event_name: 'SessionStart', source: 'startup' });
    box.write(path, 'export const changed = true;\n');
    real('prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt: 'edit it' });
    real('before-tool', edit(path));
    return real('after-tool', edited(path));
  };
  const pending = async () => {
    const { stdout } = await command(box, repo, ['status', '--quick', '--json']);
    return JSON.parse(stdout).pending.map((it: object) => ({ ...it, firstAt: '', lastAt: '' }));
  };
  const timeline = async () => {
    const { stdout } = await command(box, repo, ['session', 'show', 'one', '--json']);
    return JSON.parse(stdout).timeline.map((it: object) => ({ ...it, at: '' }));
  };
  return {
    script,
    ...project,
    box,
    event,
    real,
    file,
    edit,
    edited,
    begin,
    settle,
    home,
    pending,
    timeline,
  };
}

describe.each(SHELLS.map((it) => [it.join(' '), it] as const))('%s', (_, shell) => {
  test('a further edit starts no Node, and is noted like others', async () => {
    const quick = session(shell);
    const usual = session();
    expect(quick.begin()).toContain('cart');
    expect(usual.begin()).toContain('cart');
    for (const { event, edit, edited } of [quick]) {
      for (let left = 3; left > 0; left -= 1) {
        expect(event('before-tool', edit())).toBe('');
        expect(event('after-tool', edited())).toBe('');
      }
    }
    for (const { real, edit, edited } of [usual]) {
      for (let left = 3; left > 0; left -= 1) {
        expect(real('before-tool', edit())).toBe('');
        expect(real('after-tool', edited())).toBe('');
      }
    }
    for (const { real } of [quick, usual]) {
      expect(real('stop', { hook_event_name: 'Stop', stop_hook_active: false })).toBe('');
    }
    const withRoot = (text: unknown, root: string) => JSON.stringify(text).replaceAll(root, '');
    expect(withRoot(await quick.pending(), quick.box.root)).toBe(
      withRoot(await usual.pending(), usual.box.root),
    );
    expect((await quick.pending())[0]).toMatchObject({ feature: 'cart', edits: 4 });
    const size = (it: { outputBytes?: number }) => ({ ...it, outputBytes: it.outputBytes && 0 });
    expect((await quick.timeline()).map(size)).toEqual((await usual.timeline()).map(size));
  });

  test('a long payload is read to its head only', () => {
    const { event, edited, begin, file } = session(shell);
    begin();
    const long = {
      ...edited(),
      tool_response: { filePath: file, originalFile: 'x"\n'.repeat(90_000) },
    };
    expect(event('after-tool', long)).toBe('');
  });

  test('the twelfth edit of a file is told of', () => {
    const { script, edited, begin } = session(shell);
    begin();
    const said = Array.from({ length: 12 }, () => script.real('after-tool', edited()));
    expect(said.map((it) => it.includes('12 times'))).toEqual(said.map((_, at) => at === 10));
  });

  test('what is kept does not grow without end', () => {
    const { event, edited, begin, home } = session(shell);
    begin();
    const spool = home('spool/claude-code-one.jsonl');
    const activity = home('sessions/claude-code-one');
    for (const it of [spool, activity]) truncateSync(it, 5_000_000);
    expect(event('after-tool', edited())).toBe('');
    expect([spool, activity].map((it) => statSync(it).size)).toEqual([5_000_000, 5_000_000]);
    expect(statSync(home('sessions/claude-code-one.edits')).isDirectory()).toBe(true);
  });

  test('what may be said, the hook program says', () => {
    const { event, real, edit, edited, begin, settle, home, box, repo, file } = session(shell);
    begin();
    const asks = (input: object, env: object = {}) => [
      event('before-tool', input, env),
      event('after-tool', { ...input, tool_response: {}, tool_use_id: 'toolu_1' }, env),
    ];
    const none = ['', ''];
    const both = ['handed\n', 'handed\n'];
    expect(asks(edit())).toEqual(none);
    expect(asks(edit(), { LANEHOLD_ATTEMPT: 'x' })).toEqual(['node\n', 'node\n']);
    for (const it of ['src/cart/other.ts', 'src/cart/../cart/add.ts', 'src//cart/add.ts'])
      expect(asks(edit(`${repo}/${it}`)), it).toEqual(both);
    expect(asks(edit('src/cart/add.ts'))).toEqual(both);
    expect(asks(edit(file, { session_id: 'two' }))).toEqual(both);
    expect(asks(edit(file, { agent_id: 'a1', agent_type: 'x' }))).toEqual(both);
    expect(asks({ ...edit(), tool_name: 'Edit2' })).toEqual(both);
    expect(asks({ ...edit(), tool_name: 'NotebookEdit' })).toEqual(both);
    expect(asks({ ...edit(), tool_input: { old_string: '', file_path: file } })).toEqual(both);
    // A lane may be in a linked worktree.
    box.git(repo, 'worktree', 'add', '--quiet', '../lane');
    expect(asks(edit(file, { cwd: join(box.root, 'lane') }))).toEqual(both);
    expect(asks(edit())).toEqual(none);
    // The file is another one now.
    renameSync(file, `${file}.real`);
    symlinkSync(join(box.root, 'elsewhere'), file);
    expect(asks(edit())).toEqual(both);
    renameSync(`${file}.real`, file);
    renameSync(join(repo, 'src/cart'), join(repo, 'src/basket'));
    symlinkSync('basket', join(repo, 'src/cart'));
    expect(asks(edit())).toEqual(both);
    renameSync(join(repo, 'src/cart'), join(repo, 'src/link'));
    renameSync(join(repo, 'src/basket'), join(repo, 'src/cart'));
    expect(asks(edit())).toEqual(none);
    for (const it of [
      'recall-projects',
      'recall-files',
      'local-features',
      'config.json',
      'settled',
    ]) {
      appendFileSync(home(it), it === 'config.json' ? '{}' : '\n');
      expect(asks(edit()), it).toEqual(both);
      settle();
      expect(asks(edit()), it).toEqual(none);
    }
    const later = new Date(Date.now() + 1);
    utimesSync(join(repo, 'lanehold.json'), later, later);
    expect(asks(edit())).toEqual(both);
    settle();
    real('before-compact', { hook_event_name: 'PreCompact', trigger: 'auto' });
    expect(event('after-tool', edited())).toBe('handed\n');
  });
});

test('what a feature, a rule or a note makes new is told at the next edit', async () => {
  const { event, real, edit, edited, begin, settle, box, repo, register } = session();
  const lanehold = async (...args: string[]) =>
    expect(await command(box, repo, args)).toMatchObject({ exitCode: 0 });
  begin();
  expect(event('after-tool', edited())).toBe('');

  await lanehold('feature', 'verify', 'cart');
  expect(event('after-tool', edited())).toBe('handed\n');
  settle();
  real('after-tool', edited());
  expect(event('after-tool', edited())).toBe('');

  register({ basket: { files: ['src/cart/**'], smoke: ['true'] } });
  expect(real('after-tool', edited())).toContain('basket');
  settle();
  real('after-tool', edited());
  expect(event('before-tool', edit())).toBe('');

  await lanehold('guard', 'add', 'src/cart/**', 'keep it small');
  expect(event('before-tool', edit())).toBe('handed\n');
  expect(real('before-tool', edit())).toContain('keep it small');
  real('after-tool', edited());
  // A rule can refuse the next edit as well.
  expect(event('before-tool', edit())).toBe('handed\n');
});

test('an edit that makes something pending after all is told of at the next prompt', async () => {
  const { event, real, edited, begin, register, settle, pending } = session();
  begin();
  register({ basket: { files: ['src/cart/**'], smoke: ['true'] } });
  // An older file was put in its place.
  settle();
  expect(event('after-tool', edited())).toBe('');
  real('stop', { hook_event_name: 'Stop', stop_hook_active: false });
  expect((await pending()).map((it: { feature: string }) => it.feature)).toContain('basket');
  expect(real('prompt-submit', { hook_event_name: 'UserPromptSubmit', prompt: 'go on' })).toContain(
    'basket',
  );
});

test('of a file that may become a guarded one nothing is noted', () => {
  const { begin, home, repo } = session();
  mkdirSync(join(repo, 'hooks'));
  begin(join(repo, 'hooks/pre-push'));
  begin(join(repo, 'git/config'));
  expect(statSync(home('sessions/claude-code-one.all-told'), { throwIfNoEntry: false })).toBe(
    undefined,
  );
});

describe('before the first edit of a file', () => {
  test('no Node is started where nothing is remembered', () => {
    const { event, edit, edited, home, box, repo, file } = session();
    expect(event('before-tool', edit())).toBe('');
    expect(event('after-tool', edited())).toBe('handed\n');
    expect(event('before-tool', edit(join(repo, 'src/gone/new.ts')))).toBe('handed\n');
    box.write(home('recall-projects'), `/elsewhere/.git\n`);
    expect(event('before-tool', edit())).toBe('');
    for (const it of [`/elsewhere/.git\n${repo}/.git\n`, '*\n']) {
      box.write(home('recall-projects'), it);
      expect(event('before-tool', edit())).toBe('handed\n');
    }
    box.write(home('recall-projects'), '');
    expect(event('before-tool', edit(file, { cwd: box.root }))).toBe('handed\n');
    expect(event('before-tool', edit(), { CLAUDE_CONFIG_DIR: repo })).toBe('handed\n');
  });

  test.each(SHELLS.map((it) => [it.join(' '), it] as const))(
    '%s: it is no file that holds depend on',
    (_, shell) => {
      const { box, edit, repo, home } = session();
      const config = box.write('home/conf/git/config', '');
      for (const it of [
        '_agents',
        '.claude',
        '.codex',
        '.git/hooks',
        'hooks',
        '.husky',
        'deep/.grok/hooks',
      ])
        mkdirSync(join(repo, it), { recursive: true });
      symlinkSync(join(repo, '.claude'), join(repo, 'deep/link'));
      symlinkSync(home(''), join(repo, 'deep/home'));
      symlinkSync(join(repo, '.claude/settings.json'), join(repo, 'linked.json'));
      for (const it of ['hooks', '.husky', '.git/hooks'])
        writeFileSync(join(repo, it, 'pre-push'), 'lanehold\n');
      writeFileSync(home(CONFIGURED_HOOK), '');
      const env = { ...box.env, GIT_CONFIG_GLOBAL: config };
      const folders = [
        ...[repo, box.root, home(''), join(box.home, '.config'), join(box.home, 'conf')],
        ...[packageRoot(), '/etc', '/etc/claude-code', '/tmp'],
      ];
      const parts = [
        ...[
          '.',
          '..',
          'src',
          'src/cart',
          'deep',
          'link',
          'home',
          '.claude',
          '.codex',
          '_agents',
          '.git',
        ],
        ...['.husky', 'hooks', 'deep/.grok/hooks', 'git', 'dist', 'bin', 'sessions', ''],
      ];
      const names = [
        ...['add.ts', 'settings.json', 'hooks.json', 'config.toml', 'config', 'pre-push', 'x.json'],
        ...['lanehold-hook.cjs', 'lanehold.db', '.gitconfig', 'linked.json', 'a b.ts', 'CLAUDE.md'],
      ];
      const next = seededRandom(11);
      const any = (of: readonly string[]) => of[Math.floor(next() * of.length)] ?? '';
      const files = Array.from({ length: 1_500 }, () =>
        [
          any(folders),
          ...Array.from({ length: Math.floor(next() * 3) }, () => any(parts)),
          any(names),
        ].join('/'),
      );
      const payloads = files.map((it) =>
        JSON.stringify({ session_id: 'one', cwd: repo, ...edit(it) }),
      );
      const answers = quickAnswers(shell, payloads, 'before-tool', env);
      const taken = files.filter((_, at) => answers[at]);
      expect(taken.length).toBeGreaterThan(10);
      const guarded = guardedFiles(env);
      expect(taken.filter((it) => guarded(it, 'file') !== undefined)).toEqual([]);
      expect(taken.filter((it) => resolve(it) !== realPath(it))).toEqual([]);
    },
  );
});

test('files of the session are private, and go with it', () => {
  const { begin, event, edited, real, home } = session();
  begin();
  event('after-tool', edited());
  const own = () => readdirSync(home('sessions')).filter((it) => it.startsWith('claude-code-one'));
  for (const it of own()) expect(statSync(home(`sessions/${it}`)).mode & 0o077).toBe(0);
  expect(readFileSync(home('sessions/claude-code-one'), 'utf8')).toContain('/src/cart/add.ts\n');
  real('session-end', { hook_event_name: 'SessionEnd', reason: 'other' });
  expect(own()).toEqual([]);
});
