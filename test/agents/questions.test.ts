/** A question to a person: whoever reads it is told only what is possible from there. */
import { expect, test } from 'vitest';
import { agentsWith } from '../../src/agents/registry.ts';
import { tamperingText } from '../../src/commands/guard/layers.ts';

const QUESTION = tamperingText(
  { what: 'remove the hooks', where: '~/.agent/hooks.json' },
  'command',
);
const HERE = 'A person can agree to it here, or do it in a terminal of their own.';
const NOT_HERE = 'Nobody can be asked from here: a person has to do it in a terminal of their own.';

/** What is sent where a person is there, by the clients that tell. */
const ATTENDED = {
  session_id: 's',
  conversation_id: 'c',
  generation_id: 'g',
  hook_event_name: 'beforeShellExecution',
};

test.each(agentsWith('hooks').map(({ name, hooks }) => ({ name, hooks })))(
  '$name',
  async ({ hooks }) => {
    const { render } = hooks.adapter;
    const output = render('before-tool', { decision: 'ask', reason: QUESTION }, ATTENDED);
    const said = output.stdout + output.stderr;
    const asks = hooks.capabilities.asks.includes('before-tool');
    expect({ here: said.includes(HERE), notHere: said.includes(NOT_HERE) }).toEqual({
      here: asks,
      notHere: !asks,
    });
    expect(said).toContain(asks ? 'lanehold asks: this command' : 'lanehold holds: this command');
    expect(said).toContain('Only a person may do that.');
  },
);

test.each(['cursor', 'kiro'])('%s where no person is there', async (name) => {
  const [agent] = agentsWith('hooks').filter((it) => it.name === name);
  const unattended = { conversation_id: 'c', generation_id: 'c' };
  const reply = { decision: 'ask', reason: 'lanehold asks before `git push`: x' } as const;
  const output = agent?.hooks.adapter.render('before-tool', reply, unattended);
  const said = `${output?.stdout}${output?.stderr}`;
  expect(said).toContain('lanehold holds `git push`: x');
  expect(said).toContain(NOT_HERE);
  expect(said).not.toContain(HERE);
});
