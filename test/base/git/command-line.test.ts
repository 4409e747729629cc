import { expect, test } from 'vitest';
import {
  configUse,
  GIT_SUBCOMMANDS,
  gitCommand,
  SUBCOMMAND_OPTIONS,
  subcommandUse,
} from '../../../src/base/git/command-line.ts';

test.each([
  ['git push origin', { subcommand: 'push', words: ['origin'], directories: [], elsewhere: false }],
  ['/usr/bin/git -C a -C b --no-pager log', { subcommand: 'log', directories: ['a', 'b'] }],
  ['git -c a=b --git-dir x push', { subcommand: 'push', elsewhere: true }],
  ['git --work-tree=x add .', { subcommand: 'add', words: ['.'], elsewhere: true }],
  ['git-push origin', { subcommand: 'push', words: ['origin'] }],
  ['git --version', { subcommand: 'help', words: [] }],
])('%s', (line, expected) => {
  expect(gitCommand(line.split(' '))).toMatchObject(expected);
});

test('an unknown word may be any subcommand', () => {
  expect(gitCommand(['git', undefined, 'x'])).toMatchObject({ subcommand: undefined });
});

test('only git is git', () => {
  expect(gitCommand(['gitk'])).toBeUndefined();
  expect(gitCommand([undefined, 'push'])).toBeUndefined();
});

test.each([
  ['user.name', 'read', 'user.name'],
  ['--get user.name', 'read', 'user.name'],
  ['get user.name', 'read', 'user.name'],
  ['list', 'read', undefined],
  ['user.name x', 'set', 'user.name'],
  ['--global user.name x', 'set', 'user.name'],
  ['--ad user.name x', 'set', 'user.name'],
  ['set user.name x', 'set', 'user.name'],
  ['remote.origin.url get', 'set', 'remote.origin.url'],
  ['--unset user.name', 'unset', 'user.name'],
  ['unset user.name', 'unset', 'user.name'],
  ['--remove-section core', 'section', 'core'],
  ['rename-section core x', 'section', 'core'],
  ['-e', 'edit', undefined],
])('git config %s', (line, kind, key) => {
  expect(configUse(subcommandUse('config', line.split(' ')))).toEqual({ kind, key });
});

test('options of a subcommand may be shortened', () => {
  expect(subcommandUse('commit', ['--am']).has('--amend')).toBe(true);
  expect(subcommandUse('branch', ['--del', 'x'])).toMatchObject({ operands: ['x'] });
  expect(subcommandUse('reset', ['--har']).has('--hard')).toBe(true);
});

test('the tables name subcommands that git has, and no option both with and without a value', () => {
  const known = new Set(GIT_SUBCOMMANDS.split(' '));
  for (const [name, options] of Object.entries(SUBCOMMAND_OPTIONS)) {
    expect(known).toContain(name);
    const { values = '', flags, attached = '' } = { values: '', attached: '', ...options };
    const all = `${values} ${attached}`.trim().split(' ');
    expect(flags.split(' ').filter((it) => all.includes(it))).toEqual([]);
  }
});
