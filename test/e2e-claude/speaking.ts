/** The client as the stories that all clients share drive it. */
import type { Speaking } from '../e2e/driver.ts';
import { CLIENT, clientEnv, TOOLS } from './client.ts';
import { startMessagesServer } from './messages-server.ts';
import { edit, read, shell } from './turns.ts';

export const CLAUDE: Speaking = {
  agent: 'claude-code',
  client: CLIENT,
  startModel: startMessagesServer,
  headless: (demo, { url }, { prompt, goesOn }) => ({
    args: [
      ...['-p', '--output-format', 'json', '--allowedTools', TOOLS],
      ...(goesOn ? ['--continue'] : []),
    ],
    env: clientEnv(demo, url),
    input: prompt,
  }),
  shell,
  edit: (demo, _, from, to) => [read(demo), edit(demo, from, to)],
  answering: () => ['-p'],
  compaction: { prompt: '/compact' },
};
