import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from '../e2e/driver.ts';
import type { Turn } from '../e2e/model.ts';
import { extensionFolder } from '../e2e/plugin-folders.ts';
import { PUSH, setUpProject, succeed } from '../e2e/project.ts';
import { changeTurns, checkDenial, checkNoGaps, runTurns, wayOut } from '../e2e/stories.ts';
import type { Story } from '../e2e/story.ts';
import { startGenerateContentServer } from './generate-content-server.ts';

const MODEL = 'gemini-2.5-pro';

const shell = (command: string) => ({
  name: 'run_shell_command',
  input: { command, description: 'run a command' },
});

export const GEMINI: Driver = {
  agent: 'gemini-cli',
  script: 'e2e:gemini',
  client: {
    spec: '@google/gemini-cli@0.61.0',
    program: 'gemini',
    variable: 'LANEHOLD_E2E_GEMINI',
  },
  startModel: startGenerateContentServer,
  prepare: ({ home }) => {
    const file = join(home, '.gemini/settings.json');
    if (existsSync(file)) return;
    mkdirSync(join(home, '.gemini'), { recursive: true });
    writeFileSync(file, SETTINGS);
  },
  headless: (_, { url }, { prompt, goesOn }) => ({
    args: [
      ...['-p', prompt, '-m', MODEL, '--approval-mode', 'yolo', '-o', 'json'],
      ...(goesOn ? ['--resume', 'latest'] : []),
    ],
    env: {
      GEMINI_API_KEY: 'not-a-key',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
  }),
  answering: () => ['-m', MODEL],
  shell,
  // As the model writes them: relative to where the client was started.
  edit: (_, file, from, to) => [
    {
      use: [
        {
          name: 'replace',
          input: { file_path: file, instruction: 'change it', old_string: from, new_string: to },
        },
      ],
    },
  ],
  // `/compress` is for people: typed, it was tried by hand; a headless run ends before it is done.
  subAgent: (command) => [
    {
      use: [
        { name: 'invoke_agent', input: { agent_name: 'generalist', prompt: 'Push the branch.' } },
      ],
    },
    { use: [shell(command)] },
    { use: [{ name: 'complete_task', input: { result: { response: 'tried' } } }] },
  ],
  switchOff: (demo) =>
    demo.write('.gemini/settings.json', '{ "hooksConfig": { "enabled": false } }\n'),
  switchedOffSaid: /hooksConfig/,
  ownFiles: /^\.gemini(?:$|\/(?:tmp|history|projects\.json|state\.json|installation_id))/,
  worker: { model: MODEL, permissions: 'full' },
  stories: [extension()],
};

/** Installed and removed by the client's own commands. */
function extension(): Story {
  return {
    name: 'an extension alone: held, verified, pushed, removed',
    run: async (client, demo, check) => {
      const start = await setUpProject(demo);
      const env = { ...demo.env, GEMINI_CLI_TRUST_WORKSPACE: 'true' };
      const gemini = async (...args: string[]) => {
        const ran = await demo.run(client, ['extensions', ...args], { env });
        if (ran.code !== 0) throw new Error(`${args.join(' ')}: ${ran.stdout}${ran.stderr}`);
      };
      await gemini('install', extensionFolder(demo), '--consent');
      const before = await demo.run('lanehold', ['doctor']);
      check('doctor is content', before.code === 0, before.stdout);
      const change = changeTurns(GEMINI, demo);
      const turn = (command: string): Turn => ({ use: [GEMINI.shell(command)] });
      const ran = await runTurns(GEMINI, client, demo, [
        ...change,
        turn(PUSH),
        (shown) => turn(wayOut(shown)),
        { say: 'Done.' },
      ]);
      checkDenial(check, ran, change.length + 1);
      check('nothing left before', ran.remote[change.length + 1] === start);
      const head = await demo.git('rev-parse', 'HEAD');
      check('one command verifies, and pushes', ran.remote.at(-1) === head, ran.shown.at(-1));
      await checkNoGaps(check, demo);
      const removal = 'gemini extensions uninstall lanehold-plugin';
      const left = await succeed(demo, 'lanehold', ['uninstall', '--dry-run']);
      check('uninstall names the command that removes it', left.includes(removal), left);
      await gemini('uninstall', 'lanehold-plugin');
      const after = await demo.run('lanehold', ['doctor']);
      const isGone = after.stdout.includes('its plugin was removed') && after.code === 1;
      check('once it is removed, doctor says so', isGone, after.stdout);
    },
  };
}

const SETTINGS = `{
  // what the user wrote stays
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "telemetry": { "enabled": false }
}
`;
