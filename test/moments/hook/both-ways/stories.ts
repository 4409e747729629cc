/** What is played both ways: every event of every agent, and what lanehold can answer to it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hooksFile } from '../../../../src/agents/opencode/install.ts';
import type { JsonObject } from '../../../../src/base/text/json.ts';
import { REGISTRY, type Said, type Sending, startLine, type Way, type World } from './world.ts';

export interface Story {
  readonly name: string;
  readonly agents: readonly string[];
  /** The resident process ends on the way, or is not asked. */
  readonly interrupted?: true;
  play(world: World): Promise<void>;
}

const FIXTURES = join(import.meta.dirname, '../../../fixtures');
const DAY_MS = 86_400_000;

const PUSH = 'git push origin main';

/** A session of Claude Code, or of Codex, which says the same but for the names of its tools. */
export function sessionOf(
  world: World,
  session: string,
  where: Sending & { agent?: string; nextWay?: () => Way } = {},
) {
  const { agent = 'claude-code', cwd = world.shop, nextWay, ...rest } = where;
  const send = (event: string, more: object, sending: Sending = {}): Promise<Said> =>
    world.send(
      agent,
      event,
      {
        session_id: session,
        transcript_path: '/dev/null',
        cwd,
        permission_mode: 'default',
        hook_event_name: event,
        ...more,
      },
      { cwd, ...rest, ...(nextWay && { way: nextWay() }), ...sending },
    );
  const call = (event: string, tool_name: string, tool_input: object, more: object = {}) =>
    send(event, { tool_name, tool_input, tool_use_id: 'toolu_1', ...more });
  const patch = (path: string) => ({
    command: `*** Begin Patch\n*** Update File: ${join(cwd, path)}\n@@\n-a\n+b\n*** End Patch\n`,
  });
  const edit = (path: string) => ({
    file_path: join(cwd, path),
    old_string: 'a',
    new_string: 'b',
  });
  const edited = (event: string, path: string, more: object) =>
    agent === 'codex'
      ? call(event, 'apply_patch', patch(path), more)
      : call(event, 'Edit', edit(path), more);
  return {
    send,
    call,
    start: (source = 'startup') => send('SessionStart', { source }),
    prompt: (prompt: string) => send('UserPromptSubmit', { prompt }),
    run: (command: string) => call('PreToolUse', 'Bash', { command }),
    failed: (command: string) =>
      call(
        'PostToolUseFailure',
        'Bash',
        { command },
        { error: 'Exit code 3', is_interrupt: false },
      ),
    beforeEdit: (path: string) => edited('PreToolUse', path, {}),
    afterEdit: (path: string) => edited('PostToolUse', path, { tool_response: { ok: true } }),
    stop: (more: object = {}) => send('Stop', { stop_hook_active: false, ...more }),
    compact: () => send('PreCompact', { trigger: 'auto', custom_instructions: null }),
    end: (reason = 'other') => send('SessionEnd', { reason }),
  };
}

export type Session = ReturnType<typeof sessionOf>;

/** The agent edits as its tool does: before, the file, after. */
export async function editFile(world: World, session: Session, path: string, text: string) {
  await session.beforeEdit(path);
  world.write(join(world.shop, path), text);
  await session.afterEdit(path);
}

/** All recorded payloads; else one of each tool at each event. */
const IS_LONG = process.env.LANEHOLD_LONG === '1';

const RECORDED = ['codex', 'gemini-cli', 'cursor', 'copilot-cli', 'antigravity', 'grok', 'kiro'];

/** Folders of payloads as agents send them, each with the agent whose settings start the hooks. */
const FOLDERS: readonly (readonly [folder: string, agent: string])[] = [
  ['payloads/claude-code', 'claude-code'],
  ...[...RECORDED, 'windsurf', 'vscode-copilot'].map(
    (name) => [`agents/payloads/${name}`, name] as const,
  ),
];

/** The order of a session; what is not named comes between. */
const ORDER = [/^sessionStart|^agentSpawn/i, /prompt|^beforeAgent|^preInvocation/i];
const LATE = [/^stop|^agentStop|^afterAgent/i, /^preCompact|^preCompress/i, /^sessionEnd/i];

const rankOf = (event: string): number => {
  const [early, late] = [ORDER, LATE].map((all) => all.findIndex((it) => it.test(event)));
  if (early !== undefined && early !== -1) return early;
  return late === undefined || late === -1 ? ORDER.length : ORDER.length + 1 + late;
};

interface Payload {
  readonly event: string;
  readonly payload: JsonObject;
}

/** `PreToolUse.Bash.json`, and with the name of a form before it: `v2.preToolUse.json`. */
function payloadsIn(folder: string): readonly Payload[] {
  const files = readdirSync(join(FIXTURES, folder)).sort();
  const kindOf = (file: string): string =>
    /^(?:(?:v2|pascal)\.)?[^.]*\.[^.]*/.exec(file)?.[0] ?? file;
  const isFirst = (file: string, at: number): boolean =>
    files.findIndex((it) => kindOf(it) === kindOf(file)) === at;
  return files
    .filter((file, at) => IS_LONG || isFirst(file, at))
    .map((file) => ({
      event: file.replace(/^(v2|pascal)\./, '').split('.')[0] ?? '',
      payload: JSON.parse(readFileSync(join(FIXTURES, folder, file), 'utf8')) as JsonObject,
    }))
    .sort((one, other) => rankOf(one.event) - rankOf(other.event));
}

/** VS Code starts the hooks that its users have for Copilot, which have other names. */
const eventIn = (world: World, agent: string, event: string): string | undefined =>
  [event, event.charAt(0).toLowerCase() + event.slice(1)].find(
    (it) => world.linesAt(agent, it).length > 0,
  );

const recordedStory = (folder: string, agent: string): Story => ({
  name: `what ${agent} was recorded to send`,
  agents: [agent],
  async play(world) {
    world.write('shop/src/cart/add.ts', 'changed\n');
    world.commit(world.shop);
    const all = payloadsIn(folder);
    for (const { event, payload } of all) {
      const known = eventIn(world, agent, event);
      if (known !== undefined) await world.send(agent, known, payload);
    }
    await world.lanehold('shop', 'feature', 'verify', 'cart');
    for (const { event, payload } of all) {
      const known = eventIn(world, agent, event);
      if (known !== undefined && JSON.stringify(payload).includes('git push'))
        await world.send(agent, known, payload);
    }
  },
});

/** Some agents run the hooks that stand in the settings of Claude Code. */
const throughClaude = (folder: string, agent: string): Story => ({
  name: `what ${agent} sends through the hooks of Claude Code`,
  agents: ['claude-code'],
  async play(world) {
    world.write('shop/src/cart/add.ts', 'changed\n');
    world.commit(world.shop);
    for (const { event, payload } of payloadsIn(folder)) {
      const name = event.charAt(0).toUpperCase() + event.slice(1);
      if (world.linesAt('claude-code', name).length > 0)
        await world.send('claude-code', name, payload);
    }
  },
});

/** Loads the plugin of OpenCode as the client does, and plays recorded calls of its hooks. */
const PLAY_PLUGIN = `
const [file, directory, calls] = process.argv.slice(1);
const { Lanehold } = await import(file);
const hooks = await Lanehold({ directory });
for (const { hook, event, input, output } of JSON.parse(calls)) {
  let failure = '';
  const given = event === undefined ? input : { event };
  try {
    await hooks[hook]?.(given, output);
  } catch (error) {
    failure = String(error.message);
  }
  // Some moments are told to lanehold without waiting for it.
  while (process.getActiveResourcesInfo().includes('ProcessWrap'))
    await new Promise((done) => setTimeout(done, 5));
  console.log(JSON.stringify({ hook, failure, given, output }));
}`;

const OPENCODE_HOOKS = [
  ...['chat.message', 'event', 'experimental.chat.system.transform'],
  ...['experimental.session.compacting', 'tool.execute.after', 'tool.execute.before'],
];

const opencodeStory: Story = {
  name: 'what opencode calls its plugin with',
  agents: ['opencode'],
  async play(world) {
    world.write('shop/src/cart/add.ts', 'changed\n');
    world.commit(world.shop);
    const folder = join(FIXTURES, 'agents/payloads/opencode');
    const calls = readdirSync(folder)
      .sort()
      .flatMap((name) => {
        const hook = OPENCODE_HOOKS.find((it) => name.startsWith(`${it}.`));
        const text = readFileSync(join(folder, name), 'utf8');
        const here = text.replaceAll('/home/dev/project', world.shop);
        return hook === undefined ? [] : [{ hook, ...JSON.parse(here) }];
      });
    const file = hooksFile('user', { env: world.env, cwd: world.shop });
    for (const round of ['held', 'verified']) {
      const args = ['--input-type=module', '--eval', PLAY_PLUGIN, file, world.shop];
      const said = execFileSync(process.execPath, [...args, JSON.stringify(calls)], {
        cwd: world.shop,
        env: world.envOf('opencode', {}),
        encoding: 'utf8',
      });
      world.note(`opencode, ${round}`, said);
      await world.lanehold('shop', 'feature', 'verify', 'cart');
    }
  },
};

/** Both agents with settings of the same form. */
const BOTH = ['claude-code', 'codex'];

/** What lanehold can answer, by sessions of two agents. */
export const STORIES: readonly Story[] = [
  {
    name: 'a push is held, verified, let through',
    agents: BOTH,
    async play(world) {
      for (const agent of BOTH) {
        const it = sessionOf(world, `of-${agent}`, { agent });
        await it.start();
        await it.prompt('Change the cart and the checkout');
        await editFile(world, it, 'src/cart/add.ts', `${agent}\n`);
        await editFile(world, it, 'src/checkout/pay.ts', `${agent}\n`);
        await it.run(PUSH);
        world.commit(world.shop, `by ${agent}`);
        await it.run(PUSH);
        await world.lanehold('shop', 'feature', 'verify', 'cart');
        await it.run(PUSH);
        await it.stop();
        await it.stop({ stop_hook_active: true });
        await world.lanehold('shop', 'feature', 'verify', 'checkout');
        await it.run(PUSH);
        world.git(world.shop, 'push', '--quiet', 'origin', 'main');
        await it.run(PUSH);
        await it.prompt('And now?');
        await it.end();
      }
    },
  },
  {
    name: 'commands that release, that may, and that do not',
    agents: BOTH,
    async play(world) {
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      world.write('shop/package.json', '{"name": "shop", "scripts": {"ship": "git push"}}');
      world.write('shop/ship.sh', 'git push origin main\n');
      const commands = [
        ...['ls', 'git status --short', 'npm test | tail', 'echo "git push"', 'git log -1'],
        ...['git push --dry-run', 'git push origin HEAD:refs/heads/other', 'git push --no-verify'],
        ...[`cd ${world.other} && git push`, `git -C ${world.other} push`, 'npm publish'],
        ...['gh pr create --fill', 'npm run ship', 'sh ship.sh', '$(cat what)', 'eval "$X"'],
        ...['git commit -am x && git push', 'git pull && git push', 'git push origin main:nope'],
        ...['git push origin --delete main', 'git push --tags', 'git push --force origin main'],
        ...['rm -rf .git/hooks', 'lanehold uninstall', 'LANEHOLD_DISABLE=1 git push'],
        ...['docker push x', "bash -c 'git push'", 'git stash && git push; git stash pop'],
      ];
      for (const agent of BOTH) {
        const it = sessionOf(world, `of-${agent}`, { agent });
        await it.start();
        for (const command of commands) await it.run(command);
      }
    },
  },
  {
    name: 'what a person is asked, and what is waived',
    agents: BOTH,
    async play(world) {
      world.register(world.shop, { ...REGISTRY, gate: { kinds: { push: 'ask' } } });
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      const it = sessionOf(world, 'one');
      const codex = sessionOf(world, 'two', { agent: 'codex' });
      await it.start();
      await it.run(PUSH);
      await codex.run(PUSH);
      await it.run("lanehold feature waive cart --reason 'no time'");
      await codex.run("lanehold feature waive cart --reason 'no time'");
      await world.lanehold('shop', 'feature', 'waive', 'cart', '--reason', 'no time');
      await it.run(PUSH);
      world.register(world.shop, { ...REGISTRY, gate: { kinds: { push: 'off' } } });
      await it.run(PUSH);
      world.commit(world.shop);
      await it.run(PUSH);
      await it.stop();
    },
  },
  {
    name: 'what is remembered is told, once for each session',
    agents: BOTH,
    async play(world) {
      const add = (...words: readonly string[]) => world.lanehold('shop', 'note', 'add', ...words);
      await add('project/gotchas/cents', 'Refund amounts are in cents', '--when', 'refunds');
      await add('project/gotchas/cart', 'The cart is cached', '--files', 'src/cart/add.ts');
      await add('project/gotchas/release', 'Publish from main only', '--commands', 'npm test');
      await add('global/style', 'Short sentences', '--kind', 'preference');
      for (const [session, agent] of [
        ['one', 'claude-code'],
        ['two', 'codex'],
        ['three', 'claude-code'],
      ] as const) {
        const it = sessionOf(world, session, { agent });
        await it.start();
        for (const prompt of [
          'Are the refunds in cents or in dollars?',
          'Are the refunds in cents or in dollars?',
          'Thanks!',
          'Look at src/cart/add.ts',
        ])
          await it.prompt(prompt);
        await it.run('npm test');
        await it.run('npm test');
        await it.beforeEdit('src/cart/add.ts');
        await it.afterEdit('src/cart/add.ts');
        await it.beforeEdit('src/cart/add.ts');
        await it.stop({ last_assistant_message: 'The refunds are in cents.' });
        await it.compact();
        await it.start('compact');
        await it.prompt('Are the refunds in cents or in dollars?');
        await it.end();
      }
      await world.lanehold('shop', 'note', 'add', 'project/gotchas/late', 'Late is too late');
      const last = sessionOf(world, 'four');
      await last.start();
      await last.start('resume');
      await last.prompt('What about the refunds?');
      const silent = sessionOf(world, 'five', { env: { LANEHOLD_RECALL: 'off' } });
      await silent.start();
      await silent.prompt('What about the refunds?');
      await silent.stop();
    },
  },
  {
    name: 'rules about files are told, and refuse edits',
    agents: BOTH,
    async play(world) {
      const guard = (...words: readonly string[]) => world.lanehold('shop', 'guard', ...words);
      await guard('add', 'src/cart/**', 'Keep it small');
      await guard('add', 'migrations/**', 'Released migrations stay', '--deny', '--reason', 'x');
      for (const agent of BOTH) {
        const it = sessionOf(world, agent, { agent });
        await it.start();
        for (const path of [
          'src/cart/add.ts',
          'src/cart/add.ts',
          'migrations/1.sql',
          'README.md',
        ]) {
          await it.beforeEdit(path);
          await it.afterEdit(path);
        }
        await it.run('sed -i s/a/b/ migrations/1.sql');
        await it.run('echo x > .git/hooks/pre-push');
        for (const path of ['.claude/settings.json', '.git/config', '.codex/hooks.json'])
          await it.beforeEdit(path);
        await guard('add', 'README.md', 'In English', '--deny');
        await it.beforeEdit('README.md');
        await it.end();
      }
    },
  },
  {
    name: 'a session that works in a lane',
    agents: BOTH,
    async play(world) {
      const tree = join(world.root, 'tree');
      await world.lanehold('shop', 'orchestrate', 'init', 'Move billing');
      world.git(world.shop, 'worktree', 'add', '--quiet', '-b', 'spike', tree);
      await world.lanehold(
        'shop',
        ...['orchestrate', 'lane', 'adopt', 'spike', '--worktree', tree, '--desc', 'Spike'],
        ...['--validate', 'true', '--touches', 'src/cart/**'],
      );
      // It runs in the background.
      while (world.count('SELECT count(*) FROM validations') === 0) await pause(20);
      for (const agent of BOTH) {
        const it = sessionOf(world, `in-${agent}`, { agent, cwd: tree });
        await it.start();
        for (const command of [
          ...['git status', 'git stash', PUSH, 'npm publish', 'git switch main', 'npm test'],
          ...[`echo x > ${world.shop}/README.md`, 'git commit -am x', 'git reset --hard HEAD~1'],
        ])
          await it.run(command);
        await it.beforeEdit('src/cart/add.ts');
        world.write(join(tree, 'src/cart/add.ts'), `${agent}\n`);
        await it.afterEdit('src/cart/add.ts');
        await it.beforeEdit('src/checkout/pay.ts');
        await it.beforeEdit('.git');
        await it.stop();
        const coordinator = sessionOf(world, `over-${agent}`, { agent });
        await coordinator.start();
        await coordinator.prompt('How far is it?');
        await coordinator.run('git push origin spike');
        await coordinator.compact();
        await coordinator.start('compact');
      }
      const id = '01a1fff5-601c-7b92-ae16-4a68d7abf29f';
      const marks = { LANEHOLD_ATTEMPT: id, LANEHOLD_LANE: id, LANEHOLD_WORKTREE: tree };
      const unknown = sessionOf(world, 'unknown', { cwd: tree, env: marks });
      await unknown.run('git stash');
      await unknown.beforeEdit('src/cart/add.ts');
    },
  },
  {
    name: 'a list of tasks outlives a compaction',
    agents: BOTH,
    async play(world) {
      const it = sessionOf(world, 'one');
      const task = (task_id: string, task_subject: string) => ({ task_id, task_subject });
      await it.start();
      await it.send('TaskCreated', task('1', 'Verify login'));
      await it.send('TaskCreated', task('2', 'Write the page'));
      await it.call('PostToolUse', 'TaskUpdate', { taskId: '1', status: 'in_progress' });
      await it.send('TaskCompleted', task('1', 'Verify login'));
      await it.compact();
      await it.start('compact');
      await it.compact();
      await it.prompt('Go on.');
      const todos = [
        { content: 'a', status: 'completed', activeForm: 'a' },
        { content: 'b', status: 'in_progress', activeForm: 'b' },
      ];
      await it.call('PostToolUse', 'TodoWrite', { todos });
      await it.compact();
      await it.afterEdit('src/cart/add.ts');
      await it.stop();
      const codex = sessionOf(world, 'two', { agent: 'codex' });
      await codex.start();
      await codex.compact();
      await codex.prompt('Go on.');
    },
  },
  {
    name: 'git itself asks before a push',
    agents: ['claude-code'],
    async play(world) {
      await world.lanehold('shop', 'git-hook', 'install');
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      await world.push('shop', ['origin', 'main']);
      const it = sessionOf(world, 'one');
      await it.run('git pull --rebase && git push');
      await it.run('git push --no-verify');
      await world.lanehold('shop', 'feature', 'verify', 'cart');
      await world.push('shop', ['origin', 'main', 'HEAD:refs/heads/second']);
      world.write('shop/src/checkout/pay.ts', 'two\n');
      world.commit(world.shop);
      await world.push('shop', ['origin', 'main']);
      await world.push('shop', ['origin', ':second']);
      await it.start();
      await it.stop();
    },
  },
  {
    name: 'others change features, their registry and commits',
    agents: BOTH,
    async play(world) {
      const it = sessionOf(world, 'one');
      await it.start();
      await editFile(world, it, 'src/cart/add.ts', 'two\n');
      world.register(world.shop, { features: { basket: { files: ['src/**'], smoke: ['true'] } } });
      await it.afterEdit('src/cart/add.ts');
      await it.run(PUSH);
      world.commit(world.shop);
      await it.run(PUSH);
      world.write('shop/lanehold.json', '{"features": 1}');
      await it.run(PUSH);
      await it.afterEdit('src/cart/add.ts');
      world.write('shop/lanehold.json', 'no json');
      world.commit(world.shop);
      await it.run(PUSH);
      await it.prompt('Go on.');
      world.register(world.shop, REGISTRY);
      world.commit(world.shop);
      await it.run(PUSH);
      await world.lanehold(
        'shop',
        'feature',
        'add',
        'mine',
        '--files',
        'README.md',
        '--smoke',
        'true',
      );
      await editFile(world, it, 'README.md', 'two\n');
      await it.stop();
      world.git(world.shop, 'stash');
      await it.stop();
      await it.run(PUSH);
      world.git(world.shop, 'stash', 'pop');
      await it.run(PUSH);
      world.commit(world.shop);
      world.git(world.shop, 'checkout', '--quiet', '-b', 'side', 'HEAD~2');
      await it.run('git push origin side');
      world.git(world.shop, 'merge', '--quiet', 'main');
      await it.run('git push origin side');
      world.git(world.shop, 'reset', '--quiet', '--hard', 'HEAD~1');
      await it.run('git push origin side');
      await world.lanehold('shop', 'feature', 'remove', 'mine');
      await it.start('resume');
      await it.end();
    },
  },
  {
    name: 'the clock is set back, and forward',
    agents: BOTH,
    async play(world) {
      const it = sessionOf(world, 'one');
      await it.start();
      await it.prompt('Change the cart');
      await editFile(world, it, 'src/cart/add.ts', 'two\n');
      world.setClockBack(2 * DAY_MS);
      await it.afterEdit('src/cart/add.ts');
      await it.stop();
      const other = sessionOf(world, 'two', { agent: 'codex' });
      await other.start();
      world.commit(world.shop);
      await it.run(PUSH);
      await world.lanehold('shop', 'feature', 'verify', 'cart');
      world.setClockBack(-3 * DAY_MS);
      await it.run(PUSH);
      await other.prompt('Go on.');
      await it.start('resume');
      await it.end();
    },
  },
  {
    name: 'a command that fails again and again, a file that is edited again and again',
    agents: BOTH,
    async play(world) {
      for (const agent of BOTH) {
        const it = sessionOf(world, agent, { agent });
        await it.start();
        for (let left = 4; left > 0; left -= 1) {
          await it.run('npm test');
          if (agent === 'claude-code') await it.failed('npm test');
        }
        for (let left = 13; left > 0; left -= 1)
          await editFile(world, it, 'src/cart/add.ts', `${agent} ${left}\n`);
        await it.stop();
      }
    },
  },
  {
    name: 'sub-agents, and folders that are none',
    agents: BOTH,
    async play(world) {
      const it = sessionOf(world, 'one');
      const sub = { agent_id: 'a1', agent_type: 'general-purpose' };
      await it.start();
      await it.call('PreToolUse', 'Bash', { command: PUSH }, sub);
      world.write('shop/src/cart/add.ts', 'two\n');
      const edit = {
        file_path: join(world.shop, 'src/cart/add.ts'),
        old_string: '',
        new_string: '',
      };
      await it.call('PostToolUse', 'Edit', edit, { ...sub, tool_response: {} });
      await it.call('PostToolUse', 'Edit', edit, { tool_response: {} });
      const outside = join(world.root, 'outside');
      mkdirSync(outside);
      for (const cwd of [outside, join(world.shop, 'src'), '/', join(world.root, 'gone')]) {
        const there = sessionOf(world, `at ${cwd.length}`, {
          cwd: cwd.endsWith('gone') ? '/' : cwd,
        });
        await there.send('SessionStart', { source: 'startup', cwd });
        await there.send('UserPromptSubmit', { prompt: 'Hello', cwd });
        await there.send('PreToolUse', { tool_name: 'Bash', tool_input: { command: PUSH }, cwd });
        await there.send('Stop', { stop_hook_active: false, cwd });
      }
      const blank = sessionOf(world, '');
      await blank.start();
      await blank.run(PUSH);
      await blank.stop();
    },
  },
  {
    name: 'payloads that are cut, empty, or something else',
    agents: [...BOTH, 'cursor', 'antigravity'],
    async play(world) {
      const text = JSON.stringify({
        ...{ session_id: 's', cwd: world.shop, hook_event_name: 'PreToolUse', tool_name: 'Bash' },
        tool_input: { command: PUSH },
      });
      const harmless = text.replace(PUSH, 'ls -la');
      const inputs = [
        ...[text, harmless, '', ' ', '\n', '{', '[]', 'null', '"git push"', `\uFEFF${text}`],
        ...[text.slice(0, -1), text.slice(0, text.indexOf('push') + 4), harmless.slice(0, -1)],
        ...[`${text}${text}`, `${text}\0`, text.replace('git', 'gi\0t'), `${harmless}\n\n`],
        ...[text.replace('git', 'g\\u0069t'), text.replace(`"${PUSH}"`, '["git","push"]')],
      ].map((it) => Buffer.from(it));
      inputs.push(Buffer.from(text.replace('main', '\u00ff'), 'latin1'));
      for (const [agent, event] of [
        ['claude-code', 'PreToolUse'],
        ['codex', 'PreToolUse'],
        ['cursor', 'beforeShellExecution'],
        ['antigravity', 'PreToolUse'],
      ] as const)
        for (const input of inputs) await world.send(agent, event, input);
      for (const event of ['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop'])
        for (const input of ['', '{', '[]', text]) await world.send('claude-code', event, input);
    },
  },
  {
    name: 'lanehold is switched off, and settings of a person',
    interrupted: true,
    agents: ['claude-code'],
    async play(world) {
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      const off = sessionOf(world, 'off', { env: { LANEHOLD_DISABLE: '1' } });
      await off.start();
      await off.run(PUSH);
      await off.stop();
      const it = sessionOf(world, 'one');
      await world.lanehold('shop', 'config', 'set', 'recall.enabled', 'false');
      await it.start();
      await it.prompt('Change the cart');
      await it.run(PUSH);
      const bare = sessionOf(world, 'bare', { env: { PATH: '/nowhere' } });
      await bare.run(PUSH);
      await bare.run('ls');
      const elsewhere = join(world.home, 'second');
      const second = sessionOf(world, 'second', { env: { LANEHOLD_HOME: elsewhere } });
      await second.start();
      await second.run(PUSH);
      const odd = { 'A B': 'c', QUOTED: `"'$(x)\n\\`, EMPTY: '', 'BASH_FUNC_ls%%': '() { exit; }' };
      const strange = sessionOf(world, 'strange', { env: odd });
      await strange.start();
      await strange.run(PUSH);
    },
  },
  {
    name: 'a database that is damaged, and one that is gone',
    interrupted: true,
    agents: ['claude-code'],
    async play(world) {
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      const it = sessionOf(world, 'one');
      await it.start();
      const file = join(world.laneholdHome, 'lanehold.db');
      const all = async () => {
        await it.run(PUSH);
        await it.run('ls');
        await it.prompt('Go on.');
        await it.stop();
      };
      const take = () => {
        for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
      };
      take();
      world.write(file, 'no database'.repeat(1_000));
      chmodSync(file, 0o600);
      await all();
      take();
      await all();
    },
  },
  {
    name: 'the plugin of Claude Code beside its settings, and alone',
    agents: ['claude-code'],
    async play(world) {
      world.write('shop/src/cart/add.ts', 'two\n');
      world.commit(world.shop);
      const root = join(world.root, '../package');
      const { hooks } = JSON.parse(readFileSync(join(root, 'hooks/hooks.json'), 'utf8'));
      const lineOf = (event: string): string => hooks[event][0].hooks[0].command;
      for (const round of ['beside', 'alone']) {
        for (const [event, more] of [
          ['SessionStart', { source: 'startup' }],
          ['UserPromptSubmit', { prompt: 'Change the cart' }],
          ['PreToolUse', { tool_name: 'Bash', tool_input: { command: PUSH } }],
          ['PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }],
          ['Stop', { stop_hook_active: false }],
        ] as const) {
          world.step();
          const sent = { session_id: round, cwd: world.shop, hook_event_name: event, ...more };
          const said = await startLine(lineOf(event), {
            cwd: world.shop,
            env: { ...world.envOf('claude-code', {}), CLAUDE_PLUGIN_ROOT: root },
            input: world.asSent(sent, world.shop),
            through: 'socket',
          });
          world.note(`plugin, ${round} ${event}`, said);
        }
        rmSync(join(world.home, '.claude/settings.json'));
        mkdirSync(join(world.home, '.claude'), { recursive: true });
        world.write(join(world.home, '.claude/settings.json'), '{}');
      }
    },
  },
];

/** What each agent was recorded to send. */
export const RECORDED_STORIES: readonly Story[] = [
  ...FOLDERS.map(([folder, agent]) => recordedStory(folder, agent)),
  ...['cursor', 'grok', 'copilot-cli', 'vscode-copilot'].map((agent) =>
    throughClaude(`agents/payloads/${agent}`, agent),
  ),
  opencodeStory,
];

/** Those that `npm test` plays; `npm run test:long` plays the others. */
const IN_SHORT = [
  /claude-code was recorded/,
  /codex was recorded/,
  /a push is held/,
  /commands that release/,
  /rules about files/,
  /works in a lane/,
  /git itself asks/,
  /that are cut, empty/,
  /database that is damaged/,
];

export function inShort({ name }: Story): boolean {
  return IN_SHORT.some((it) => it.test(name));
}
