import { expect, test } from 'vitest';
import type { Rule, Tool } from '../../src/commands/tools/rule.ts';
import { FAMILIES } from '../../src/commands/tools/tools.ts';

test.each(Object.entries(FAMILIES))('the names %s are those of the table', (names, tools) => {
  const inTable = new Set(tools().flatMap((tool) => tool.names.split(' ')));
  expect([...inTable].sort().join(' ')).toBe(names);
});

const lists = (tool: Tool): readonly (string | undefined)[] => [
  tool.names,
  tool.values,
  tool.flags,
  tool.directory,
  tool.directoryOfFile,
  tool.help,
  tool.subcommands,
  ...tool.rules.flatMap(({ path, values, flags, dry, only, unless, except }: Rule) => [
    ...[path, values, flags, dry, only, unless, except],
  ]),
];

test('lists in the tables are words separated by single blanks', () => {
  const all = Object.values(FAMILIES).flatMap((tools) => tools().flatMap(lists));
  const given = all.filter((it) => it !== undefined && it !== '');
  expect(given.filter((it) => !/^\S+( \S+)*$/.test(it ?? ''))).toEqual([]);
});

const both = (values: string | undefined, flags: readonly (string | undefined)[]): string[] => {
  const known = new Set(values?.split(' '));
  return flags.flatMap((list) => list?.split(' ') ?? []).filter((it) => known.has(it));
};

test('no option is both a switch and one with a value', () => {
  const doubled = Object.values(FAMILIES).flatMap((tools) =>
    tools().flatMap((tool) => [
      ...both(tool.values, [tool.flags, ...tool.rules.map((rule) => rule.flags)]),
      ...tool.rules.flatMap((rule) => both(rule.values, [rule.flags, rule.dry])),
    ]),
  );
  expect(doubled).toEqual([]);
});
