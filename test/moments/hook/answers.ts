import { expect } from 'vitest';
import type { Ran } from '../../support/program.ts';

/** What a hook may do, whatever it was sent: no opinion, context, a question, or a denial said twice. */
export function expectAnswer({ exitCode, signal, stdout, stderr }: Ran): 'none' | 'ask' | 'deny' {
  expect({ signal, stderr }).toEqual({ signal: null, stderr: '' });
  if (stdout === '') {
    expect(exitCode).toBe(0);
    return 'none';
  }
  const { hookSpecificOutput: said, ...rest } = JSON.parse(stdout);
  expect(rest).toEqual({});
  expect(said.hookEventName).toMatch(/^[A-Z][A-Za-z]+$/);
  const { permissionDecision: decision = 'none' } = said;
  expect(['none', 'ask', 'deny']).toContain(decision);
  expect(exitCode).toBe(decision === 'deny' ? 2 : 0);
  expect(said.permissionDecisionReason ?? said.additionalContext).toMatch(/^<?lanehold\S*\s/);
  return decision;
}
