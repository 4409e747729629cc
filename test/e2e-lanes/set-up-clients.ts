/** A demo project with both clients on PATH, each talking to a model on this machine. */
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliCommand, type DemoProject } from '../../scripts/demo/demo-project.ts';
import type { Env } from '../../scripts/demo/run.ts';
import type { Answer } from '../e2e/model.ts';
import { startMessagesServer } from '../e2e-claude/messages-server.ts';
import { PLAIN_TOOLS_MODEL, startResponsesServer } from '../e2e-codex/responses-server.ts';
import type { Clients } from './clients.ts';

const KEY_VARIABLE = 'E2E_MODEL_KEY';

export interface ConnectedClients {
  readonly demo: DemoProject;
  readonly env: Env;
  close(): Promise<void>;
}

export async function setUpClients(
  demo: DemoProject,
  clients: Clients,
  answer: Answer,
): Promise<ConnectedClients> {
  const claude = await startMessagesServer(answer);
  const codex = await startResponsesServer(answer);
  for (const [name, program] of Object.entries(clients)) {
    symlinkSync(program, join(demo.root, 'bin', name));
  }
  // Workers get none of the coordinator's GIT_* variables.
  copyFileSync(join(demo.root, 'gitconfig'), join(demo.home, '.gitconfig'));
  mkdirSync(join(demo.home, '.codex'));
  writeFileSync(join(demo.home, '.codex/config.toml'), codexConfig(codex.url));
  const [program, ...args] = cliCommand();
  const install = [...args, 'install', '--agent', 'claude-code', '--user'];
  const { code, stdout, stderr } = await demo.run(program, install);
  if (code !== 0) throw new Error(`not installed: ${stdout}${stderr}`);
  return {
    demo,
    env: clientEnv(demo, claude.url),
    close: async () => {
      await Promise.all([claude.close(), codex.close()]);
    },
  };
}

/** The whole environment of the clients: the demo project's, fake keys, and no word to anyone else. */
function clientEnv(demo: DemoProject, url: string): Env {
  return {
    ...demo.env,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-not-a-key',
    [KEY_VARIABLE]: 'not-a-key',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_TMPDIR: join(demo.root, 'tmp'),
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Whatever is not on this machine ends at a closed port.
    HTTP_PROXY: 'http://127.0.0.1:9',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    ALL_PROXY: 'http://127.0.0.1:9',
    NO_PROXY: '127.0.0.1,localhost',
  };
}

function codexConfig(url: string): string {
  return `model = "${PLAIN_TOOLS_MODEL}"
model_provider = "here"
check_for_update_on_startup = false

[model_providers.here]
name = "here"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "${KEY_VARIABLE}"
request_max_retries = 0
stream_max_retries = 0
supports_websockets = false

[analytics]
enabled = false
`;
}
