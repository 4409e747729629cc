import { expect, test } from 'vitest';
import { commandSeen } from '../../src/recall/actions.ts';

test.each([
  ['npx vitest run', { name: 'npx', category: 'test' }],
  ['cd app && TOKEN=x /usr/bin/make all', { name: 'make', category: 'build' }],
  ['"a b" c', { name: 'shell', category: 'other' }],
  [['AKIA', 'Q7ZLM2XW9RKT4VBN'].join(''), { name: 'shell', category: 'other' }],
  [['ghp_', 'a7Kq2ZrT0xWm5LcYb7VnQ4mZ8sXv1KbWt6Rc'].join(''), { name: 'shell', category: 'other' }],
  [
    ['https://hooks.slack.com/services/T02AB/B03CD/', 'x7Kq2ZrT0xWm5LcYb7VnQ4mZ'].join(''),
    { name: 'shell', category: 'other' },
  ],
])('%s', (command, seen) => {
  expect(commandSeen(command)).toEqual(seen);
});

test('of a command that carries a whole file only the beginning is read', () => {
  const file = 'line of text\n'.repeat(100_000);
  const command = `cat <<'EOF' > notes\n${file}run the tests\nEOF\n`;
  expect(commandSeen(command)).toEqual({ name: 'cat', category: 'read' });
});
