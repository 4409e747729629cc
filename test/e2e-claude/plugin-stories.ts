/** lanehold as a plugin that the client's own commands install and remove. */
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { cliCommand, type DemoProject } from '../../scripts/demo/demo-project.ts';
import { cloneFolder, PLUGIN_ID as ID, packageFolder } from '../e2e/plugin-folders.ts';
import { commit, FEATURE, PUSH, setUpProject, succeed } from '../e2e/project.ts';
import { checkDenial } from '../e2e/stories.ts';
import type { Check, Story } from '../e2e/story.ts';
import { runClient, runTurns } from './client.ts';
import { bash, edit, editTurns } from './turns.ts';

export const PLUGIN_STORIES: readonly Story[] = [
  {
    name: 'a plugin alone, from the package: held, verified, pushed, removed',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      const folder = packageFolder(demo);
      useLanehold(demo, folder);
      await installPlugin(client, demo, folder);
      await checkHolds(client, demo, check, start);
      const doctor = await demo.run('lanehold', ['doctor']);
      check('doctor is content', doctor.code === 0, doctor.stdout);
      await runClient(client, demo, ['plugin', 'uninstall', ID]);
      const after = await demo.run('lanehold', ['doctor']);
      const isSaid = /no hooks of lanehold any more.*its plugin was removed/.test(after.stdout);
      check('once it is removed, doctor says so', isSaid && after.code === 1, after.stdout);
    },
  },
  {
    name: 'a plugin from a clone, where nothing was built, starts the lanehold on PATH',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await installPlugin(client, demo, cloneFolder(demo));
      await checkHolds(client, demo, check, start);
      const doctor = await demo.run('lanehold', ['doctor']);
      check('doctor is content', doctor.code === 0, doctor.stdout);
    },
  },
  {
    name: 'a plugin beside the hooks in the settings: each event is judged once',
    run: async (client, demo, check) => {
      await setUpProject(demo);
      await installPlugin(client, demo, cloneFolder(demo));
      const [program, ...args] = cliCommand();
      const install = [...args, 'install', '--agent', 'claude-code', '--user', '--no-git-hook'];
      const said = await demo.run(program, install);
      const isSaid = (said.stdout + said.stderr).includes('lanehold twice');
      check('the installation says that there are both', isSaid, said.stdout + said.stderr);
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash(commit('Change the port')),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      checkDenial(check, ran, 4);
      const rows = decisions(demo);
      check('the push was judged once', rows === 1, `${rows} decisions`);
      const told = ran.shown[2]?.split('this edit touches').length;
      check('the first edit tells the model once', told === 2, ran.shown[2]);
      const removed = await succeed(demo, 'lanehold', ['uninstall', '--agent', 'claude-code']);
      const isNamed = removed.includes(`claude plugin uninstall ${ID}`);
      check('uninstall names what remains, and the command for it', isNamed, removed);
      const again = await runTurns(client, demo, [bash(PUSH), { say: 'Done.' }]);
      check(
        'the plugin alone holds then',
        (again.shown[1] ?? '').includes(FEATURE),
        again.shown[1],
      );
    },
  },
  {
    name: 'a plugin where there is no lanehold: what releases is refused, and the model is told',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      await installPlugin(client, demo, cloneFolder(demo));
      rmSync(join(demo.root, 'bin/lanehold'));
      const ran = await runTurns(client, demo, [
        ...editTurns(demo),
        bash(`${commit('Change the port')} && echo committed`),
        bash(PUSH),
        { say: 'Done.' },
      ]);
      const [opening = '', committed = '', denial = ''] = [0, 3, 4].map((turn) => ran.shown[turn]);
      const isTold = opening.includes('lanehold itself is not on PATH');
      check('the model is told what to do', isTold, opening);
      check('edits and commits go on', committed.includes('committed'), committed);
      check('the push is refused', ran.remote.at(-1) === start, denial);
      const isHelp = denial.includes('npm install -g lanehold');
      check('the refusal says what to do', isHelp, denial);
    },
  },
];

async function installPlugin(client: string, demo: DemoProject, folder: string): Promise<void> {
  await runClient(client, demo, ['plugin', 'marketplace', 'add', folder]);
  await runClient(client, demo, ['plugin', 'install', ID]);
}

async function checkHolds(
  client: string,
  demo: DemoProject,
  check: Check,
  start: string,
): Promise<void> {
  const ran = await runTurns(client, demo, [
    ...editTurns(demo),
    edit(demo, '4000', '5000'),
    bash(commit('Change the port')),
    bash(PUSH),
    bash('lanehold feature verify --pending'),
    bash(PUSH),
    { say: 'Done.' },
  ]);
  check('the client ends normally', ran.code === 0, ran.stderr);
  const opening = ran.shown[0] ?? '';
  check('the model is offered the skills', opening.includes('lanehold:lanehold-verify'), opening);
  checkDenial(check, ran, 5);
  check('nothing left before the verification', ran.remote[6] === start);
  const head = await demo.git('rev-parse', 'HEAD');
  check('then the push reaches the remote', ran.remote.at(-1) === head, ran.shown[7]);
}

function useLanehold(demo: DemoProject, folder: string): void {
  const program = join(demo.root, 'bin/lanehold');
  rmSync(program);
  symlinkSync(join(folder, 'bin/lanehold.js'), program);
}

/** How many boundaries were judged in the demo project. */
function decisions({ home }: DemoProject): number {
  const database = new Database(join(home, '.lanehold/lanehold.db'), { readonly: true });
  const row = database.prepare('SELECT count(*) AS count FROM decisions').get();
  database.close();
  return (row as { count: number }).count;
}
