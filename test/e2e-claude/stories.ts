import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile, cp, link, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cliCommand, type DemoProject, hookCommand } from '../../scripts/demo/demo-project.ts';
import { leavingStories } from '../e2e/leaving-stories.ts';
import type { ToolUse, Turn } from '../e2e/model.ts';
import { FEATURE, PUSH, publish, SOURCE, setUpProject, succeed } from '../e2e/project.ts';
import { recallStory } from '../e2e/recall-story.ts';
import { checkDenial } from '../e2e/stories.ts';
import type { Check, Story } from '../e2e/story.ts';
import { runTurns, vitestFolder } from './client.ts';
import { PLUGIN_STORIES } from './plugin-stories.ts';
import { CLAUDE } from './speaking.ts';
import { bash, edit, editTurns, use } from './turns.ts';

export const STORIES: readonly Story[] = [
  ...PLUGIN_STORIES,
  recallStory(CLAUDE),
  ...leavingStories(CLAUDE, {
    play: (client, demo, turns) => runTurns(client, demo, turns),
    install,
  }),
  {
    name: 'edit, push, verify, push',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        edit(demo, '4000', '5000'),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(PUSH),
        bash('lanehold feature verify --pending'),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      check('the client ends normally', ran.code === 0, ran.stderr);
      const [first = '', second = ''] = ran.shown.slice(2);
      check('the first edit tells the model of the feature', first.includes(FEATURE), first);
      check('the second does not', second !== '' && !second.includes(FEATURE), second);
      checkDenial(check, ran, 5);
      const verified = ran.shown[6] ?? '';
      check('the model verifies through its own shell', verified.includes(FEATURE), verified);
      check('nothing left before the verification', ran.remote[6] === start);
      const head = await demo.git('rev-parse', 'HEAD');
      const moved = ran.remote.at(-1) === head && head !== start;
      check('then the push reaches the remote', moved, ran.shown[7]);
      await checkNoGaps(demo, check);
    },
  },
  {
    name: 'push through Monitor',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash("git commit --quiet --all --message 'Change the port'"),
        {
          use: [
            {
              name: 'Monitor',
              input: { description: 'push', command: PUSH, timeout_ms: 5000, persistent: false },
            },
          ],
        },
        { say: 'Done.' },
      ]);
      checkDenial(check, ran, 4);
      check('nothing reached the remote', ran.remote.at(-1) === start);
      await checkNoGaps(demo, check);
    },
  },
  {
    name: 'waiving without a person',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(`lanehold feature waive ${FEATURE} --reason 'it is fine'`),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      const asked = ran.shown[4] ?? '';
      check('the waiver is not carried out', !/^Waived/m.test(asked), asked);
      checkDenial(check, ran, 5);
      check('nothing reached the remote', ran.remote.at(-1) === start);
    },
  },
  {
    name: 'over MCP: status, verify, push',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const ran = await runTurns(
        client,
        demo,
        [
          ...editTurns(demo),
          bash("git commit --quiet --all --message 'Change the port'"),
          use({ name: 'ToolSearch', input: { query: 'select:mcp__lanehold__verify' } }),
          served('status', {}),
          bash(PUSH),
          served('verify', { features: ['no-such'] }),
          served('verify', {}),
          bash(PUSH),
          { say: 'Done.' },
        ],
        { servers: { lanehold: { command: 'lanehold', args: ['mcp'] } } },
      );
      check('the client ends normally', ran.code === 0, ran.stderr);
      const [status = '', , unknown = '', verified = ''] = ran.shown.slice(5);
      check('status names what is held', status.includes(FEATURE), status);
      check('nothing left before the verification', ran.remote[6] === start);
      check('an error says what to do', unknown.includes('no feature named'), unknown);
      check('verify runs the tests', /verified/i.test(verified), verified);
      check('then the push reaches the remote', ran.remote.at(-1) !== start, ran.shown.at(-1));
      const kept = await demo.run('lanehold', ['feature', 'history', FEATURE, '--json']);
      const actors = JSON.parse(kept.stdout).records.map((it: { actor: string }) => it.actor);
      const isOwn = String(actors) === 'agent claude-code';
      check('recorded as the agent’s', isOwn, kept.stdout);
      await checkNoGaps(demo, check);
    },
  },
  {
    name: 'edit by a shell command, stop, push in the next run',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const sed = `sed -i.bak s/3000/4000/ ${SOURCE} && rm ${SOURCE}.bak`;
      const first = await runTurns(client, demo, [
        bash(`${sed} && git commit --quiet --all --message 'Change the port'`),
        { say: 'Done.' },
      ]);
      check('the first run ends normally', first.code === 0, first.stderr);
      const pending = await demo.run('lanehold', ['feature', 'pending']);
      const listed = pending.stdout + pending.stderr;
      check('the edit counts without any edit tool', listed.includes(FEATURE), listed);
      const again = { resume: first.session };
      const second = await runTurns(client, demo, [bash(PUSH), { say: 'Done.' }], again);
      const opening = second.shown[0] ?? '';
      check('the next run starts with what is held', opening.includes(FEATURE), opening);
      checkDenial(check, second, 1);
      check('nothing reached the remote', second.remote.at(-1) === start);
      await checkNoGaps(demo, check);
    },
  },
  {
    name: 'the Node that lanehold was installed with is gone, another is on PATH',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await installWithNodeThatGoes(demo);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      checkDenial(check, ran, 4);
      check('nothing reached the remote', ran.remote.at(-1) === start);
    },
  },
  {
    name: 'there is no Node left',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await installWithNodeThatGoes(demo);
      await checkBroken(client, demo, check, { start, path: await pathWithoutNode(demo) });
    },
  },
  {
    name: 'the installed hook program is gone',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await install(demo);
      const settings = join(demo.home, '.claude/settings.json');
      const installed = readFileSync(settings, 'utf8');
      const program = hookCommand('stop')[1] ?? '';
      writeFileSync(settings, installed.replaceAll(program, join(demo.root, 'moved/hook.cjs')));
      await checkBroken(client, demo, check, { start });
    },
  },
  {
    name: 'a vitest project, an older Node on PATH: held, one command, through',
    run: async (client, demo, check) => {
      const start = await setUpVitest(demo);
      await install(demo);
      const older = await olderNode(demo);
      if (older === undefined)
        check('(no other Node is installed here: the present one is used)', true);
      const ran = await runTurns(
        client,
        demo,
        [
          use({ name: 'Read', input: { file_path: join(demo.project, CART) } }),
          use({
            name: 'Edit',
            input: {
              file_path: join(demo.project, CART),
              old_string: 'a + b',
              new_string: 'b + a',
            },
          }),
          bash("git commit --quiet --all --message 'Add the other way round' && echo committed"),
          bash(PUSH),
          theWayOut,
          bash(
            `git switch --quiet --create topic && sed -i.bak 's/b + a/b + 0 + a/' ${CART} && rm ${CART}.bak`,
          ),
          bash(
            "git commit --quiet --all --message 'Add nothing' && git switch --quiet main && echo back",
          ),
          bash('git push origin topic'),
          theWayOut,
          bash(
            `sed -i.bak 's/b + a/a + b/' ${CART} && rm ${CART}.bak && git commit --quiet --all --message 'As before' && echo '// later' > src/cart/later.js`,
          ),
          bash(PUSH),
          bash('git stash --quiet --include-untracked && echo stashed'),
          bash(`lanehold feature verify cart && ${PUSH}`),
          { say: 'Done.' },
        ],
        older === undefined ? {} : { path: older },
      );
      check('the client ends normally', ran.code === 0, ran.stderr);
      const [denied = '', passed = '', topic = '', topicPassed = ''] = [4, 5, 8, 9].map(
        (turn) => ran.shown[turn],
      );
      check('the push is held', denied.includes('cart') && ran.remote[4] === start, denied);
      check(
        'the command that the denial names runs the tests and pushes',
        ran.remote[5] !== start,
        passed,
      );
      check(
        'the push of another branch is held, and its commit named',
        topic.includes(' --at '),
        topic,
      );
      const oids = await demo.git('ls-remote', 'origin', 'refs/heads/topic');
      const head = await demo.git('rev-parse', 'topic');
      check(
        'that is verified in a checkout of its own, with its packages',
        oids.startsWith(head),
        topicPassed,
      );
      const untracked = ran.shown[11] ?? '';
      check(
        'a file that is not committed is named',
        untracked.includes('src/cart/later.js'),
        untracked,
      );
      const last = await demo.git('rev-parse', 'main');
      check(
        'without it, one command verifies and pushes',
        ran.remote.at(-1) === last,
        ran.shown[12],
      );
    },
  },
  {
    name: 'a held push that verifies by itself',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      const [program, ...args] = cliCommand();
      await succeed(demo, program, [...args, 'install', '--user', '--on-hold', 'verify']);
      // What the last runs took is known.
      await succeed(demo, 'lanehold', ['feature', 'verify', FEATURE]);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(PUSH),
        edit(demo, '4000', '80'),
        bash("git commit --quiet --all --message 'Take a port that is not free'"),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      const [pushed = '', refused = ''] = [ran.shown[4], ran.shown[7]];
      check('the push goes through, after its tests', ran.remote[4] !== start, pushed);
      check('the agent sees that they ran', pushed.includes('Verified 1 of 1'), pushed);
      check('a failing test keeps the next one here', ran.remote.at(-1) === ran.remote[4], refused);
      check('the agent sees the failure', refused.includes('Not verified: 1 of 1'), refused);
      await checkNoGaps(demo, check);
    },
  },
  {
    name: 'hooks that no longer run are noticed: a matcher too narrow, a switch',
    run: async (client, demo, check) => {
      await setUpProject(demo);
      await install(demo);
      const settings = join(demo.home, '.claude/settings.json');
      const installed = readFileSync(settings, 'utf8');
      const change = (edit: (it: { hooks: { PreToolUse: { matcher: string }[] } }) => void) => {
        const parsed = JSON.parse(installed);
        edit(parsed);
        writeFileSync(settings, JSON.stringify(parsed));
      };
      change(({ hooks: { PreToolUse } }) => {
        for (const group of PreToolUse) group.matcher = '^(Edit|Write)$';
      });
      const turns = [bash('echo ready'), bash(PUSH), { say: 'Done.' }];
      const first = await runTurns(client, demo, turns);
      const unseen = await gapsOf(demo);
      const [push] = unseen;
      check('the end of the turn finds the push', push?.kind === 'unseen', JSON.stringify(unseen));
      check('and nothing else', unseen.length === 1 && push?.fact.includes(PUSH) === true);
      const second = await runTurns(client, demo, [{ say: 'Hm.' }], { resume: first.session });
      const told = second.shown[0] ?? '';
      check('the next run is told', told.includes('did not start its hook before'), told);

      change((it) => Object.assign(it, { disableAllHooks: true }));
      await runTurns(client, demo, [bash('echo unseen'), { say: 'Done.' }]);
      const off = (await gapsOf(demo)).map(({ kind }) => kind).toSorted();
      check(
        'a switch is seen, and the session',
        off.includes('off') && off.includes('silent'),
        String(off),
      );
      writeFileSync(settings, installed);
      const last = await runTurns(client, demo, [bash(PUSH), { say: 'Done.' }]);
      const opening = last.shown[0] ?? '';
      check(
        'the next session is told',
        opening.includes('no hook of Claude Code ran in 1 session'),
        opening,
      );
      const left = await gapsOf(demo);
      check('whose look at a push ends it', left.length === 0, JSON.stringify(left));
    },
  },
];

interface Gap {
  readonly kind: string;
  readonly fact: string;
}

/** Hooks that lanehold takes for dead. */
async function gapsOf(demo: DemoProject): Promise<Gap[]> {
  return JSON.parse((await demo.run('lanehold', ['status', '--json'])).stdout).gaps;
}

async function checkNoGaps(demo: DemoProject, check: Check): Promise<void> {
  const gaps = await gapsOf(demo);
  check('no hook is taken for dead', gaps.length === 0, JSON.stringify(gaps));
}

const CART = 'src/cart/total.js';

/** Runs the command that the denial which the model was just shown names. */
function theWayOut(shown: string): Turn {
  return bash(/^Verify: (.*)$/m.exec(shown)?.[1] ?? 'echo no way out is named');
}

async function setUpVitest(demo: DemoProject): Promise<string> {
  const packages = await vitestFolder();
  for (const name of ['package.json', 'package-lock.json', 'node_modules']) {
    await cp(join(packages, name), join(demo.project, name), {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  demo.write('.gitignore', 'node_modules/\n');
  demo.write(CART, 'export const total = (a, b) => a + b;\n');
  demo.write(
    'src/cart/total.test.js',
    [
      "import { expect, test } from 'vitest';",
      "import { total } from './total.js';",
      "test('adds', () => expect(total(1, 2)).toBe(3));",
      '',
    ].join('\n'),
  );
  const add = [
    'feature',
    'add',
    'cart',
    '--files',
    'src/cart/**',
    '--smoke',
    'npx vitest run src/cart',
  ];
  return publish(demo, [...add, '--shared']);
}

/** A PATH on which the Node of another version comes first, if this machine has one. */
async function olderNode({ env, root, run }: DemoProject): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const node = join(folder, 'node');
    const version = await run(node, ['--version']).catch(() => undefined);
    if (version === undefined || version.stdout.trim() === process.version) continue;
    const bin = join(root, 'older-node');
    await mkdir(bin);
    await symlink(node, join(bin, 'node'));
    return [bin, env.PATH].join(delimiter);
  }
  return undefined;
}

/** Installs for the user, with the given Node in place of this one. */
async function install(demo: DemoProject, node?: string): Promise<void> {
  const [program, ...args] = cliCommand(node);
  await succeed(demo, program, [...args, 'install', '--agent', 'claude-code', '--user']);
}

async function installWithNodeThatGoes(demo: DemoProject): Promise<void> {
  const node = join(demo.root, 'other-node/bin/node');
  await mkdir(join(node, '..'), { recursive: true });
  // A link to the same file is another path all the same; it cannot cross file systems.
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  await install(demo, node);
  await rm(node);
}

/** Returns a PATH that has all programs of the present one but `node`. */
async function pathWithoutNode(demo: DemoProject): Promise<string> {
  const bin = join(demo.root, 'bin-without-node');
  await mkdir(bin);
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const programs = await readdir(folder).catch(() => []);
    for (const program of programs.filter((name) => name !== 'node')) {
      // What comes first on PATH wins; the rest of that name is not wanted.
      await symlink(join(folder, program), join(bin, program)).catch(() => undefined);
    }
  }
  return bin;
}

/** With its runtime gone, lanehold refuses what releases and stays out of the way of all else. */
async function checkBroken(
  client: string,
  demo: DemoProject,
  check: Check,
  { start, path }: { readonly start: string; readonly path?: string },
): Promise<void> {
  const turns = [
    bash('git status --short --branch'),
    ...editTurns(demo),
    bash("git commit --quiet --all --message 'Change the port' && echo committed"),
    bash(PUSH),
    { say: 'Done.' },
  ];
  const ran = await runTurns(client, demo, turns, path === undefined ? {} : { path });
  const [status = '', committed = '', denial = ''] = [1, 4, 5].map((turn) => ran.shown[turn]);
  check('a harmless command runs', status.includes('## main'), status);
  check('edits and commits go on', committed.includes('committed'), committed);
  check('the push is refused', ran.remote[5] === start, denial);
  // Anything but lanehold's own sentence comes from the client, which shows what crashed.
  const own = !/blocking because|Cannot find module|not found/.test(denial);
  check('the refusal says how to repair it', own && /install|doctor/.test(denial), denial);
  check('nothing reached the remote', ran.remote.at(-1) === start);
}

/** A call of a tool of lanehold's server. */
function served(tool: string, input: ToolUse['input']): Turn {
  return use({ name: `mcp__lanehold__${tool}`, input });
}
