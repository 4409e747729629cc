/** Whatever any agent sends through the hook entry of any other: an answer, and no push that was not looked at. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agentsWith } from '../../src/agents/registry.ts';
import { recordedPayloads } from '../support/recorded-payloads.ts';
import { sandbox } from '../support/sandbox.ts';

const SENDERS = readdirSync(join(import.meta.dirname, '../fixtures/agents/payloads'));

describe.each(agentsWith('hooks'))('through the entry of $name', ({ name: agent }) => {
  const box = sandbox(afterAll);

  test.each(SENDERS)('what %s sends, cut short', async (sender) => {
    const recorded = recordedPayloads(sender);
    for (const name of recorded.names) {
      const text = JSON.stringify(recorded.read(name));
      const at = text.indexOf('git push');
      if (at === -1) continue;
      const cut = text.slice(0, at + 'git push'.length);
      const { stdout, stderr, exitCode } = await box.hook('before-tool', cut, { agent });
      const isDenied =
        exitCode === 2 || /"(?:permission|decision|permissionDecision|refused)":/.test(stdout);
      expect({ name, isDenied, said: `${stdout}${stderr}`.includes('lanehold') }).toEqual({
        name,
        isDenied: true,
        said: true,
      });
    }
  });
});
