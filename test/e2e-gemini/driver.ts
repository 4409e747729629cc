import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Driver } from '../e2e/driver.ts';
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
};

const SETTINGS = `{
  // what the user wrote stays
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "privacy": { "usageStatisticsEnabled": false },
  "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
  "telemetry": { "enabled": false }
}
`;
