/** Work leaves in other ways than by a plain push from the project's folder: each is held, and its harmless twin is not. */
import { spawnSync } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Speaking } from './driver.ts';
import type { PreparedTurn, Turn } from './model.ts';
import { commit, FEATURE, PUSH, SOURCE, setUpProject, succeed } from './project.ts';
import type { Check, Story } from './story.ts';

/** Plays turns in one run of the client. */
type Play = (
  client: string,
  demo: DemoProject,
  turns: readonly PreparedTurn[],
) => Promise<{ readonly shown: readonly string[] }>;

interface Tools {
  readonly play: Play;
  readonly install: (demo: DemoProject) => Promise<void>;
}

const HELD = /\bh(?:eld|olds)\b|lanehold denies|cannot tell/;
const CHANGED = `sed -i s/3000/4000/ ${SOURCE} && ${commit('Change the port')}`;

/** The line that a denial says to run. */
const lineOf = (shown: string): string =>
  /^Verify[^:\n]*: (.+)$/m.exec(shown)?.[1] ?? 'echo no way out is named';

export function leavingStories(speaking: Speaking, { play, install }: Tools): readonly Story[] {
  const shell = (command: string): Turn => ({ use: [speaking.shell(command)] });
  const done: Turn = { say: 'Done.' };
  const refOf = (demo: DemoProject, ref: string): string =>
    spawnSync('git', ['--git-dir', demo.remote, 'rev-parse', '--verify', '--quiet', ref], {
      encoding: 'utf8',
    }).stdout.trim();
  const checkHeld = (check: Check, what: string, shown = ''): void =>
    check(what, HELD.test(shown) && shown.includes(FEATURE), shown);

  return [
    {
      name: 'a folder of the project that becomes a repository is pushed',
      run: async (client, demo, check) => {
        await setUpProject(demo);
        await install(demo);
        const author = '-c user.name=Agent -c user.email=agent@example.com';
        const made = `git init -q && git add -A && git ${author} commit -qm pages`;
        const filled = `mkdir -p dist && cp ${SOURCE} dist/ && cd dist`;
        const push = `git push -f ${demo.remote} HEAD:refs/heads/pages`;
        const ran = await play(client, demo, [
          shell(CHANGED),
          shell(`${filled} && ${made} && ${push}`),
          shell(`(${filled} && ${made})`),
          shell(`cd ${demo.project}/dist && ${push}`),
          (shown) => shell(lineOf(shown)),
          shell(`cd ${demo.project}/dist && ${push}`),
          done,
        ]);
        checkHeld(check, 'in one command: held', ran.shown[2]);
        checkHeld(check, 'made before, then pushed: held', ran.shown[4]);
        check('verified, it leaves', refOf(demo, 'refs/heads/pages') !== '', ran.shown[6]);
      },
    },
    {
      name: 'a test that passed with a file that does not leave',
      run: async (client, demo, check) => {
        await setUpProject(demo);
        await install(demo);
        const test =
          "import { port } from '../src/port/port.js'; import '../helper.js'; process.exit(port > 1 ? 0 : 1);";
        demo.write('test/port.mjs', `${test}\n`);
        demo.write('helper.js', 'export const helper = 1;\n');
        const feature = { files: ['src/**', 'test/**'], smoke: ['node test/port.mjs'] };
        demo.write('lanehold.json', JSON.stringify({ features: { [FEATURE]: feature } }));
        demo.write(SOURCE, 'export const port = 4000;\n');
        await demo.git('add', 'src', 'test', 'lanehold.json');
        await demo.git('commit', '-qm', 'Change the port');
        await succeed(demo, 'lanehold', ['feature', 'verify', FEATURE]);
        const ran = await play(client, demo, [
          shell(PUSH),
          (shown) => shell(lineOf(shown)),
          shell("git add helper.js && git commit -qm 'Add the helper'"),
          shell(PUSH),
          (shown) => shell(lineOf(shown)),
          done,
        ]);
        checkHeld(check, 'it passes here, and its push is held', ran.shown[1]);
        check(
          'the denial names the commit as what to verify',
          /--at/.test(ran.shown[1] ?? ''),
          ran.shown[1],
        );
        check('which fails there', /fail/i.test(ran.shown[2] ?? ''), ran.shown[2]);
        const head = await demo.git('rev-parse', 'HEAD');
        check('with the file it leaves', refOf(demo, 'refs/heads/main') === head, ran.shown[5]);
      },
    },
    {
      name: 'attempts to switch the hold off',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(demo);
        const tries = [
          `git -c core.hooksPath=/dev/null ${PUSH.slice(4)}`,
          `LANEHOLD_DISABLE=1 ${PUSH}`,
          `export LANEHOLD_DISABLE=1; ${PUSH}`,
          `GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.hooksPath GIT_CONFIG_VALUE_0=/dev/null ${PUSH}`,
          `git config core.hooksPath /dev/null; ${PUSH}`,
        ];
        const ran = await play(client, demo, [
          shell(CHANGED),
          ...tries.map(shell),
          shell('git config user.name'),
          done,
        ]);
        for (const [at, command] of tries.entries()) {
          const shown = ran.shown[at + 2] ?? '';
          check(`${command.replace(demo.root, '')}: refused`, /lanehold/.test(shown), shown);
        }
        check('nothing reached the remote', refOf(demo, 'refs/heads/main') === start);
        check(
          'a look at settings runs',
          (ran.shown.at(-1) ?? '').includes('Dev'),
          ran.shown.at(-1),
        );
      },
    },
    {
      name: 'scripts that push, found by their own place and by globs',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        await install(demo);
        demo.write('ci/release.sh', '#!/bin/sh\ncd "$(dirname "$0")/.."\n. ci/steps/publish.sh\n');
        demo.write('ci/steps/publish.sh', `${PUSH}\n`);
        demo.write('ci/checks/look.sh', 'git status --short\n');
        await demo.git('add', '--all');
        const ran = await play(client, demo, [
          shell(CHANGED),
          shell('sh ci/release.sh'),
          shell('for f in ci/steps/*.sh; do bash "$f"; done'),
          shell('find ci/steps -name "*.sh" -exec bash {} \\;'),
          shell('for f in ci/checks/*.sh; do bash "$f"; done && echo looked'),
          done,
        ]);
        for (const at of [2, 3, 4]) checkHeld(check, `way ${at - 1} is held`, ran.shown[at]);
        check('nothing reached the remote', refOf(demo, 'refs/heads/main') === start);
        check('a script that looks runs', (ran.shown[5] ?? '').includes('looked'), ran.shown[5]);
      },
    },
    {
      name: 'a push from another working tree, by -C',
      run: async (client, demo, check) => {
        await setUpProject(demo);
        await install(demo);
        const other = join(demo.root, 'other');
        await demo.git('worktree', 'add', '-q', '-b', 'topic', other);
        const ran = await play(client, demo, [
          shell(`cd ${other} && ${CHANGED}`),
          shell(`cd ${demo.project} && git -C ${other} push origin topic`),
          (shown) => shell(lineOf(shown)),
          shell(`git -C ${other} push origin topic`),
          done,
        ]);
        checkHeld(check, 'it is held', ran.shown[2]);
        const head = await demo.git('rev-parse', 'topic');
        check(
          'the line of the denial works',
          refOf(demo, 'refs/heads/topic') === head,
          ran.shown[3],
        );
      },
    },
    {
      name: 'a topic from a branch that others have published',
      run: async (client, demo, check) => {
        await setUpProject(demo);
        await demo.git('checkout', '-q', '-b', 'develop');
        demo.write(SOURCE, 'export const port = 3500;\n');
        await demo.git('commit', '-qam', 'Another port');
        await demo.git('push', '-q', 'origin', 'develop');
        await demo.git('checkout', '-q', 'main');
        await demo.git('fetch', '-q', 'origin');
        await install(demo);
        const ran = await play(client, demo, [
          shell(
            'git checkout -q -b topic origin/develop && echo here > README.md && git add README.md',
          ),
          shell("git commit -qm 'Say more'"),
          shell('git push origin topic'),
          done,
        ]);
        const head = await demo.git('rev-parse', 'topic');
        check('it is not held', refOf(demo, 'refs/heads/topic') === head, ran.shown[3]);
      },
    },
    {
      name: 'a clone that was moved',
      run: async (client, demo, check) => {
        const start = await setUpProject(demo);
        const smoke = 'false';
        const add = ['feature', 'add', 'private-port', '--files', 'src/**', '--smoke', smoke];
        await succeed(demo, 'lanehold', add);
        await install(demo);
        await play(client, demo, [shell('git status --short'), done]);
        const moved = join(demo.root, 'moved');
        renameSync(demo.project, moved);
        const remoteHead = async () => refOf(demo, 'refs/heads/main');
        const there = { ...demo, project: moved, run: inFolder(demo, moved), remoteHead };
        const ran = await play(client, there, [
          shell(`cd ${moved} && ${CHANGED}`),
          shell(`cd ${moved} && ${PUSH}`),
          done,
        ]);
        const told = ran.shown.join('\n');
        check('it is told where the project came from', told.includes('project move'), told);
        check('nothing reached the remote', refOf(demo, 'refs/heads/main') === start, ran.shown[2]);
      },
    },
  ];
}

const inFolder =
  (demo: DemoProject, folder: string): DemoProject['run'] =>
  (program, args, options = {}) =>
    demo.run(program, args, { cwd: folder, ...options });
