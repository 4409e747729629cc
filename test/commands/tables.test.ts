import { expect, test } from 'vitest';
import { knownProgram } from '../../src/commands/known-programs.ts';
import type { Rule } from '../../src/commands/tools/rule.ts';
import { allTools } from '../../src/commands/tools/tools.ts';

test('lists in the tables are words separated by single blanks', () => {
  const all = allTools().flatMap((tool) => [
    ...[tool.names, tool.values, tool.flags, tool.directory, tool.directoryOfFile],
    ...[tool.help, tool.subcommands, tool.staysHere],
    ...tool
      .rules()
      .flatMap(({ path, values, flags, dry, only, except }: Rule) => [
        ...[path, values, flags, dry, only, except],
      ]),
  ]);
  const given = all.filter((it) => it !== undefined && it !== '');
  expect(given.filter((it) => !/^\S+( \S+)*$/.test(it ?? ''))).toEqual([]);
});

const both = (values: string | undefined, flags: readonly (string | undefined)[]): string[] => {
  const known = new Set(values?.split(' ').filter(Boolean));
  return flags.flatMap((list) => list?.split(' ') ?? []).filter((it) => known.has(it));
};

test('no option is both a switch and one with a value', () => {
  const doubled = allTools().flatMap((tool) => [
    ...both(tool.values, [tool.flags, ...tool.rules().map((rule) => rule.flags)]),
    ...tool.rules().flatMap((rule) => both(rule.values, [rule.flags, rule.dry])),
  ]);
  expect(doubled).toEqual([]);
});

test('no tool is a program that only reads', () => {
  const names = allTools().flatMap((tool) => tool.names.split(' '));
  expect(names.filter((it) => knownProgram(it)?.readsOnly)).toEqual([]);
});
