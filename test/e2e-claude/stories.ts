import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cliCommand, type DemoProject, hookCommand } from '../../scripts/demo/demo-project.ts';
import { runTurns, type TurnsRun } from './client.ts';
import type { ToolUse, Turn } from './messages-server.ts';

/** States one fact that has to hold; `detail` is shown if it does not. */
export type Check = (what: string, holds: boolean, detail?: string) => void;

export interface Story {
  readonly name: string;
  run(client: string, demo: DemoProject, check: Check): Promise<void>;
}

const FEATURE = 'port-config';
const SOURCE = 'src/port/port.js';
const PUSH = 'git push origin main';

export const STORIES: readonly Story[] = [
  {
    name: 'edit, push, verify, push',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
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
    },
  },
  {
    name: 'push through Monitor',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
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
    },
  },
  {
    name: 'waiving without a person',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
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
    name: 'edit by a shell command, stop, push in the next run',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
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
    },
  },
  {
    name: 'the Node that lanehold was installed with is gone, another is on PATH',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
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
      const start = await setUp(demo);
      await installWithNodeThatGoes(demo);
      await checkBroken(client, demo, check, { start, path: await pathWithoutNode(demo) });
    },
  },
  {
    name: 'the installed hook program is gone',
    run: async (client, demo, check) => {
      const start = await setUp(demo);
      await install(demo);
      const settings = join(demo.home, '.claude/settings.json');
      const installed = readFileSync(settings, 'utf8');
      const program = hookCommand('stop')[1] ?? '';
      writeFileSync(settings, installed.replaceAll(program, join(demo.root, 'moved/hook.cjs')));
      await checkBroken(client, demo, check, { start });
    },
  },
];

async function setUp(demo: DemoProject): Promise<string> {
  demo.write(SOURCE, 'export const port = 3000;\n');
  demo.write('package.json', '{ "name": "server", "private": true, "type": "module" }\n');
  const smoke = `node -e "import('./${SOURCE}').then(({ port }) => process.exit(port > 1023 ? 0 : 1))"`;
  const add = ['feature', 'add', FEATURE, '--files', 'src/port/**', '--smoke', smoke];
  await succeed(demo, 'lanehold', [...add, '--shared']);
  await demo.git('add', '--all');
  await demo.git('commit', '--quiet', '--message', 'Start');
  await demo.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return demo.git('rev-parse', 'HEAD');
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

async function succeed(demo: DemoProject, program: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await demo.run(program, args);
  if (code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
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

/** The model was shown a refusal that names the feature and the way out, before turn `turn`. */
function checkDenial(check: Check, { shown, remote }: TurnsRun, turn: number): void {
  const text = shown[turn] ?? '';
  check('the push is held', /\bh(eld|olds)\b/.test(text) && remote[turn] === remote[0], text);
  check('the denial names the feature', text.includes(FEATURE), text);
  check('the denial names the way out', text.includes('lanehold feature verify'), text);
}

/** The client wants a file read before it is edited. */
function editTurns(demo: DemoProject): Turn[] {
  const file_path = join(demo.project, SOURCE);
  return [use({ name: 'Read', input: { file_path } }), edit(demo, '3000', '4000')];
}

function edit(demo: DemoProject, from: string, to: string): Turn {
  const file_path = join(demo.project, SOURCE);
  return use({ name: 'Edit', input: { file_path, old_string: from, new_string: to } });
}

function bash(command: string): Turn {
  return use({ name: 'Bash', input: { command, description: 'run a command' } });
}

function use(call: ToolUse): Turn {
  return { use: [call] };
}
