import { expect, test } from 'vitest';
import { readable } from '../../../src/lanes/view/readable.ts';

const claude = (type: string, ...content: readonly unknown[]) => ({ type, message: { content } });
const item = (fields: Readonly<Record<string, unknown>>) => ({
  type: 'item.completed',
  item: fields,
});

test.each<[unknown, string[]]>([
  [claude('assistant', { type: 'text', text: 'I look.\nThen act.' }), ['I look.', 'Then act.']],
  [
    claude('assistant', { type: 'tool_use', name: 'Bash', input: { command: 'npm test\n-- x' } }),
    ['→ Bash: npm test\\n-- x'],
  ],
  [
    claude('assistant', { type: 'tool_use', name: 'Read', input: { file_path: '/a' } }),
    ['→ Read: /a'],
  ],
  [
    claude('user', { type: 'tool_result', is_error: true, content: 'no such file' }),
    ['✗ no such file'],
  ],
  [claude('user', { type: 'tool_result', content: 'much' }), []],
  [{ type: 'system', subtype: 'init' }, []],
  [
    { type: 'result', subtype: 'success', num_turns: 3, total_cost_usd: 0.5, result: 'done' },
    ['= success, 3 turns, $0.50'],
  ],
  [
    { type: 'result', subtype: 'success', is_error: true, result: 'usage limit' },
    ['= success, with an error: usage limit'],
  ],
  [item({ type: 'agent_message', text: 'Hello' }), ['Hello']],
  [item({ type: 'command_execution', command: 'ls', exit_code: 0 }), ['→ shell: ls']],
  [
    item({ type: 'command_execution', command: 'ls', exit_code: 2 }),
    ['→ shell: ls', '✗ exit code 2'],
  ],
  [item({ type: 'file_change', changes: [{ kind: 'add', path: 'a.ts' }] }), ['→ add: a.ts']],
  [{ type: 'turn.failed', error: { message: 'stream ended' } }, ['✗ stream ended']],
])('%j', (event, lines) => {
  expect(readable(JSON.stringify(event))).toEqual(lines);
});

test('text that is not JSON is kept, without terminal commands', () => {
  expect(readable('compiling \u001b[2J 3 files')).toEqual(['compiling \\x1b[2J 3 files']);
  expect(readable('   ')).toEqual([]);
});
