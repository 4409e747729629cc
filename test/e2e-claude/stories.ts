import { readFileSync, writeFileSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { cliCommand, hookCommand, type Stage } from '../../scripts/stage/stage.ts';
import { type Played, playTurns } from './client.ts';
import type { ToolUse, Turn } from './messages-server.ts';

/** States one fact that has to hold; `detail` is shown if it does not. */
export type Check = (what: string, holds: boolean, detail?: string) => void;

export interface Story {
  readonly name: string;
  play(client: string, stage: Stage, check: Check): Promise<void>;
}

const FEATURE = 'port-config';
const SOURCE = 'src/port/port.js';
const PUSH = 'git push origin main';

export const STORIES: readonly Story[] = [
  {
    name: 'edit, push, verify, push',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await install(stage);
      const played = await playTurns(client, stage, [
        ...editTurns(stage),
        edit(stage, '4000', '5000'),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(PUSH),
        bash('lanehold feature verify --pending'),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      check('the client ends normally', played.code === 0, played.stderr);
      const [first = '', second = ''] = played.shown.slice(2);
      check('the first edit tells the model of the feature', first.includes(FEATURE), first);
      check('the second does not', second !== '' && !second.includes(FEATURE), second);
      checkDenial(check, played, 5);
      const verified = played.shown[6] ?? '';
      check('the model verifies through its own shell', verified.includes(FEATURE), verified);
      check('nothing left before the verification', played.remote[6] === start);
      const head = await stage.git('rev-parse', 'HEAD');
      const moved = played.remote.at(-1) === head && head !== start;
      check('then the push reaches the remote', moved, played.shown[7]);
    },
  },
  {
    name: 'push through Monitor',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await install(stage);
      const played = await playTurns(client, stage, [
        ...editTurns(stage),
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
      checkDenial(check, played, 4);
      check('nothing reached the remote', played.remote.at(-1) === start);
    },
  },
  {
    name: 'waiving without a person',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await install(stage);
      const played = await playTurns(client, stage, [
        ...editTurns(stage),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(`lanehold feature waive ${FEATURE} --reason 'it is fine'`),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      const asked = played.shown[4] ?? '';
      check('the waiver is not carried out', !/^Waived/m.test(asked), asked);
      checkDenial(check, played, 5);
      check('nothing reached the remote', played.remote.at(-1) === start);
    },
  },
  {
    name: 'edit by a shell command, stop, push in the next run',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await install(stage);
      const sed = `sed -i.bak s/3000/4000/ ${SOURCE} && rm ${SOURCE}.bak`;
      const first = await playTurns(client, stage, [
        bash(`${sed} && git commit --quiet --all --message 'Change the port'`),
        { say: 'Done.' },
      ]);
      check('the first run ends normally', first.code === 0, first.stderr);
      const pending = await stage.run('lanehold', ['feature', 'pending']);
      const listed = pending.stdout + pending.stderr;
      check('the edit counts without any edit tool', listed.includes(FEATURE), listed);
      const again = { resume: first.session };
      const second = await playTurns(client, stage, [bash(PUSH), { say: 'Done.' }], again);
      const opening = second.shown[0] ?? '';
      check('the next run starts with what is held', opening.includes(FEATURE), opening);
      checkDenial(check, second, 1);
      check('nothing reached the remote', second.remote.at(-1) === start);
    },
  },
  {
    name: 'the Node that lanehold was installed with is gone, another is on PATH',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await installWithNodeThatGoes(stage);
      const played = await playTurns(client, stage, [
        ...editTurns(stage),
        bash("git commit --quiet --all --message 'Change the port'"),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      checkDenial(check, played, 4);
      check('nothing reached the remote', played.remote.at(-1) === start);
    },
  },
  {
    name: 'there is no Node left',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await installWithNodeThatGoes(stage);
      await checkBroken(client, stage, check, { start, path: await pathWithoutNode(stage) });
    },
  },
  {
    name: 'the installed hook program is gone',
    play: async (client, stage, check) => {
      const start = await setUp(stage);
      await install(stage);
      const settings = join(stage.home, '.claude/settings.json');
      const installed = readFileSync(settings, 'utf8');
      const program = hookCommand('stop')[1] ?? '';
      writeFileSync(settings, installed.replaceAll(program, join(stage.root, 'moved/hook.cjs')));
      await checkBroken(client, stage, check, { start });
    },
  },
];

async function setUp(stage: Stage): Promise<string> {
  stage.write(SOURCE, 'export const port = 3000;\n');
  stage.write('package.json', '{ "name": "server", "private": true, "type": "module" }\n');
  const smoke = `node -e "import('./${SOURCE}').then(({ port }) => process.exit(port > 1023 ? 0 : 1))"`;
  const add = ['feature', 'add', FEATURE, '--files', 'src/port/**', '--smoke', smoke];
  await succeed(stage, 'lanehold', [...add, '--shared']);
  await stage.git('add', '--all');
  await stage.git('commit', '--quiet', '--message', 'Start');
  await stage.git('push', '--quiet', '--set-upstream', 'origin', 'main');
  return stage.git('rev-parse', 'HEAD');
}

/** Installs for the user, with the given Node in place of this one. */
async function install(stage: Stage, node?: string): Promise<void> {
  const [program, ...args] = cliCommand(node);
  await succeed(stage, program, [...args, 'install', '--agent', 'claude-code', '--user']);
}

async function installWithNodeThatGoes(stage: Stage): Promise<void> {
  const node = join(stage.root, 'other-node/bin/node');
  await mkdir(join(node, '..'), { recursive: true });
  // A link to the same file is another path all the same; it cannot cross file systems.
  await link(process.execPath, node).catch(() => copyFile(process.execPath, node));
  await install(stage, node);
  await rm(node);
}

/** Returns a PATH that has all programs of the present one but `node`. */
async function pathWithoutNode(stage: Stage): Promise<string> {
  const bin = join(stage.root, 'bin-without-node');
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

async function succeed(stage: Stage, program: string, args: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await stage.run(program, args);
  if (code !== 0)
    throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
}

/** With its runtime gone, lanehold refuses what releases and stays out of the way of all else. */
async function checkBroken(
  client: string,
  stage: Stage,
  check: Check,
  { start, path }: { readonly start: string; readonly path?: string },
): Promise<void> {
  const turns = [
    bash('git status --short --branch'),
    ...editTurns(stage),
    bash("git commit --quiet --all --message 'Change the port' && echo committed"),
    bash(PUSH),
    { say: 'Done.' },
  ];
  const played = await playTurns(client, stage, turns, path === undefined ? {} : { path });
  const [status = '', committed = '', denial = ''] = [1, 4, 5].map((turn) => played.shown[turn]);
  check('a harmless command runs', status.includes('## main'), status);
  check('edits and commits go on', committed.includes('committed'), committed);
  check('the push is refused', played.remote[5] === start, denial);
  // Anything but lanehold's own sentence comes from the client, which shows what crashed.
  const own = !/blocking because|Cannot find module|not found/.test(denial);
  check('the refusal says how to repair it', own && /install|doctor/.test(denial), denial);
  check('nothing reached the remote', played.remote.at(-1) === start);
}

/** The model was shown a refusal that names the feature and the way out, before turn `turn`. */
function checkDenial(check: Check, { shown, remote }: Played, turn: number): void {
  const text = shown[turn] ?? '';
  check('the push is held', /\bh(eld|olds)\b/.test(text) && remote[turn] === remote[0], text);
  check('the denial names the feature', text.includes(FEATURE), text);
  check('the denial names the way out', text.includes('lanehold feature verify'), text);
}

/** The client wants a file read before it is edited. */
function editTurns(stage: Stage): Turn[] {
  const file_path = join(stage.project, SOURCE);
  return [use({ name: 'Read', input: { file_path } }), edit(stage, '3000', '4000')];
}

function edit(stage: Stage, from: string, to: string): Turn {
  const file_path = join(stage.project, SOURCE);
  return use({ name: 'Edit', input: { file_path, old_string: from, new_string: to } });
}

function bash(command: string): Turn {
  return use({ name: 'Bash', input: { command, description: 'run a command' } });
}

function use(call: ToolUse): Turn {
  return { use: [call] };
}
