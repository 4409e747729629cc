import { expect, test } from 'vitest';
import { commandSeen } from '../../src/recall/actions.ts';

test.each([
  ['npx vitest run', { name: 'npx', category: 'test' }],
  ['cd app && TOKEN=x /usr/bin/make all', { name: 'make', category: 'build' }],
  ['"a b" c', { name: 'shell', category: 'other' }],
])('%s', (command, seen) => {
  expect(commandSeen(command)).toEqual(seen);
});

test('of a command that carries a whole file only the beginning is read', () => {
  const file = 'line of text\n'.repeat(100_000);
  const command = `cat <<'EOF' > notes\n${file}run the tests\nEOF\n`;
  expect(commandSeen(command)).toEqual({ name: 'cat', category: 'read' });
});
