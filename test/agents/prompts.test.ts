/** The user's words reach lanehold from every agent that sends them. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AGENTS } from '../../src/agents/registry.ts';
import { recordedPayloads } from '../support/recorded-payloads.ts';

const RECORDED = readdirSync(join(import.meta.dirname, '../fixtures/agents/payloads'));

const PROMPTS = AGENTS.filter(({ name }) => RECORDED.includes(name)).flatMap((agent) => {
  const recorded = recordedPayloads(agent.name);
  return recorded.names
    .filter((name) => /userprompt|beforeagent|submitprompt/i.test(name))
    .map((name) => ({ agent, name, payload: recorded.read(name) }))
    .filter(({ payload }) => typeof payload.prompt === 'string');
});

test('of most agents', () => {
  expect(new Set(PROMPTS.map(({ agent }) => agent.name)).size).toBeGreaterThanOrEqual(6);
});

test.each(PROMPTS)('$agent.name: $name', async ({ agent, payload }) => {
  const adapter = agent.hooks?.adapter;
  const event = adapter?.parse('prompt-submit', payload, '/home/dev/project', {});
  if (event === undefined) return;
  // One client puts what hooks said in front of it.
  const words = String(payload.prompt).replace(/^<hook_context>.*<\/hook_context>\s*/, '');
  expect(event).toMatchObject({ prompt: words });
});
