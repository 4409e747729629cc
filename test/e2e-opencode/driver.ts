import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DemoProject } from '../../scripts/demo/demo-project.ts';
import { startChatCompletionsServer } from '../e2e/chat-completions-server.ts';
import type { Driver } from '../e2e/driver.ts';
import type { Listening } from '../e2e/model.ts';

const MODEL = 'here/model';
const CONTEXT_TOKENS = 200_000;

const shell = (command: string) => ({
  name: 'bash',
  input: { command, description: 'run a command' },
});

export const OPENCODE: Driver = {
  agent: 'opencode',
  script: 'e2e:opencode',
  client: {
    spec: 'opencode-ai@1.18.33',
    program: 'opencode',
    variable: 'LANEHOLD_E2E_OPENCODE',
  },
  startModel: startChatCompletionsServer,
  prepare,
  headless: (demo, _, { prompt, goesOn }) => ({
    args: [
      ...['run', '--format', 'json', '--auto', '-m', MODEL],
      ...(goesOn ? ['--continue'] : []),
      prompt,
    ],
    env: {
      OPENCODE_CONFIG: configFile(demo),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
  }),
  shell,
  edit: (_, file, from, to) => [
    { use: [{ name: 'read', input: { filePath: file } }] },
    { use: [{ name: 'edit', input: { filePath: file, oldString: from, newString: to } }] },
  ],
  compaction: { fullTokens: CONTEXT_TOKENS },
  subAgent: (command) => [
    {
      use: [
        {
          name: 'task',
          input: { description: 'push it', prompt: 'Push it.', subagent_type: 'general' },
        },
      ],
    },
    { use: [shell(command)] },
    { say: 'I tried.' },
  ],
  // With an export that is no function the client drops the whole file, without a word.
  switchOff: ({ home }) =>
    appendFileSync(join(home, PLUGINS, 'lanehold.js'), 'export const note = 1;\n'),
  switchedOffSaid: /hooks in .*lanehold\.js are incomplete, changed/,
  ownFiles: /^\.(?:local|cache)(?:$|\/)/,
  // By its own rules a worker may edit, and run little but what it is judged by.
  worker: { model: MODEL, permissions: 'full' },
};

const FOLDER = '.config/opencode';
const PLUGINS = `${FOLDER}/plugins`;

const configFile = ({ root }: DemoProject): string => join(root, 'opencode.json');

function prepare(demo: DemoProject, { url }: Listening): void {
  const model = {
    name: 'Model',
    tool_call: true,
    limit: { context: CONTEXT_TOKENS, output: 8_000 },
  };
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `${url}/v1`, apiKey: 'not-a-key' },
    models: { model },
  };
  const config = { provider: { here: provider }, model: MODEL, small_model: MODEL };
  writeFileSync(configFile(demo), JSON.stringify({ ...config, share: 'disabled' }));
  // Else the client installs a package there, and waits more than a minute where there is no network.
  const folder = join(demo.home, FOLDER);
  if (existsSync(join(folder, 'node_modules'))) return;
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  const packages = { '': { dependencies: { '@opencode-ai/plugin': '*' } } };
  writeFileSync(
    join(folder, 'package-lock.json'),
    JSON.stringify({ lockfileVersion: 3, packages }),
  );
}
