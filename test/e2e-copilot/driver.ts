import { join } from 'node:path';
import { startChatCompletionsServer } from '../e2e/chat-completions-server.ts';
import type { Driver } from '../e2e/driver.ts';

const shell = (command: string) => ({
  name: 'bash',
  input: { command, description: 'run a command' },
});

export const COPILOT: Driver = {
  agent: 'copilot-cli',
  script: 'e2e:copilot',
  client: {
    spec: '@github/copilot@1.0.102',
    program: 'copilot',
    variable: 'LANEHOLD_E2E_COPILOT',
  },
  startModel: startChatCompletionsServer,
  headless: (_, { url }, { prompt, goesOn }) => ({
    args: [
      ...['-p', prompt, '--output-format', 'json', '--no-color', '--no-auto-update'],
      // They cannot be combined.
      ...['--allow-all', goesOn ? '--continue' : '--trust-folder'],
    ],
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: 'not-a-key',
      COPILOT_MODEL: 'gpt-4.1',
    },
  }),
  shell,
  edit: ({ project }, file, from, to) => [
    { use: [{ name: 'view', input: { path: join(project, file) } }] },
    {
      use: [{ name: 'edit', input: { path: join(project, file), old_str: from, new_str: to } }],
    },
  ],
  subAgent: (command) => [
    {
      use: [
        {
          name: 'task',
          input: {
            name: 'pusher',
            agent_type: 'task',
            description: 'push it',
            prompt: 'Push the branch.',
            mode: 'sync',
          },
        },
      ],
    },
    { use: [shell(command)] },
    { say: 'I have tried.' },
  ],
  compaction: { fullTokens: 500_000, turns: 3 },
  switchOff: (demo) => demo.write('.claude/settings.json', '{ "disableAllHooks": true }\n'),
  switchedOffSaid: /disableAllHooks/,
  ownFiles: /^(?:\.cache|\.copilot(?:$|\/(?:session-state|logs|pkg|config\.json|[\w-]+\.db)))/,
  worker: { permissions: 'full' },
};
