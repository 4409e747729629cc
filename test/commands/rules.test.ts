/**
 * Every rule proves itself: `src/commands/tools/<family>.examples.ts` holds, by the rule's id, command
 * lines that it finds and such as are none. From these follow others that must come out the same: with
 * options that no table lists, in each spelling, and as the dry run that the rule itself declares.
 */
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isOption } from '../../src/base/text/options.ts';
import { shellWord } from '../../src/base/text/shell-quote.ts';
import type { Boundary, VisitedCommand } from '../../src/commands/finding.ts';
import { recognise } from '../../src/commands/recognise.ts';
import type { Examples, Rule, Tool } from '../../src/commands/tools/rule.ts';
import { allTools } from '../../src/commands/tools/tools.ts';
import { boundaries, contextOf, verdict } from './reading.ts';

type Words = Boundary['argv'];
interface Row {
  readonly tool: Tool;
  readonly rule: Rule;
}

const folder = join(import.meta.dirname, '../../src/commands/tools');
const families = readdirSync(folder).filter((name) => name.endsWith('.examples.ts'));
const modules = await Promise.all(families.map((name) => import(join(folder, name))));
const given = modules
  .flatMap((it) => Object.values<Examples>(it))
  .flatMap((it) => Object.entries(it));
const examples = new Map(given);
const rows = allTools().flatMap((tool) => tool.rules().map((rule): Row => ({ tool, rule })));
const ids = [...new Set(rows.map(({ rule }) => rule.id))];
const of = (id: string): Examples[string] => examples.get(id) ?? { releases: [], harmless: [] };

const list = (words: string | undefined): readonly string[] => words?.split(' ') ?? [];
const isUseOf = ({ tool }: Row, [program]: Words): boolean =>
  list(tool.names).includes(basename(program ?? ''));
/** By a rule of the tool: with an option that no table lists, another one may fit as well. */
const isFound = (row: Row, command: string): boolean =>
  boundaries(command).some(({ isUnlisted, argv }) => !isUnlisted && isUseOf(row, argv));
const text = (argv: Words): string => argv.map((word) => shellWord(word ?? '')).join(' ');

/** The positions of the words of the row's subcommand. */
function subcommandIn({ rule }: Row, argv: Words): readonly number[] | undefined {
  const found: number[] = [];
  for (const spellings of rule.path === '' ? [] : rule.path.split(' ')) {
    const from = (found.at(-1) ?? 0) + 1;
    const at = argv.slice(from).findIndex((word) => spellings.split('|').includes(word ?? ''));
    if (at < 0) return undefined;
    found.push(from + at);
  }
  return found;
}

/** The commands of its examples that are a use of the row's subcommand. */
function usesOf(row: Row): readonly { readonly argv: Words; readonly at: readonly number[] }[] {
  const found = of(row.rule.id).releases.flatMap((command) => boundaries(command));
  return found.flatMap(({ rule, argv }) => {
    const at = subcommandIn(row, argv);
    const isOther = rows.some(
      ({ tool, rule: other }) =>
        row.rule.path === '' &&
        tool.names === row.tool.names &&
        other.path !== '' &&
        subcommandIn({ tool, rule: other }, argv),
    );
    return rule === row.rule.id && isUseOf(row, argv) && at && !isOther ? [{ argv, at }] : [];
  });
}

/** With options that no table knows at one place. */
function* withOptions(argv: Words, at: number): Generator<string> {
  for (const words of [['--unheard-of'], ['--unheard-of', 'value'], ['--unheard-of=value']]) {
    yield text(argv.toSpliced(at, 0, ...words));
  }
}

describe.each(ids)('%s', (id) => {
  const { releases, harmless } = of(id);
  const own = rows.filter(({ rule }) => rule.id === id);

  test('has examples', () => {
    const missing = Object.entries({ releases, harmless }).filter(([, list]) => list.length === 0);
    const text = `add \`${id}\` to the examples of its family, src/commands/tools/<family>.examples.ts`;
    expect(Object.fromEntries(missing), text).toEqual({});
  });

  test('finds what releases', () => {
    const finds = (command: string) => boundaries(command).some(({ rule }) => rule === id);
    expect(releases.filter((command) => !finds(command))).toEqual([]);
  });

  test('lets through what is harmless', () => {
    expect(harmless.filter((command) => verdict(command) !== 'none')).toEqual([]);
  });

  test('lets what it lets through be given more options', () => {
    const held = harmless.flatMap((command) => {
      const visited: VisitedCommand[] = [];
      recognise(command, { ...contextOf(), visit: (it) => visited.push(it) });
      const [{ argv } = { argv: [] }] = visited.filter((it) =>
        own.some((row) => isUseOf(row, it.argv)),
      );
      // What stands around it, as a variable that makes it dry, is not part of its words.
      if (!command.startsWith(`${argv[0]} `) || visited.length > 1) return [];
      return [text(argv.toSpliced(1, 0, '--unheard-of=value')), `${command} --unheard-of=value`];
    });
    expect(held.filter((command) => verdict(command) !== 'none')).toEqual([]);
  });
});

describe.each(rows.map((row) => [`${row.tool.names}: ${row.rule.path}`, row] as const))(
  'the row of %s',
  (_, row) => {
    const uses = usesOf(row);
    const plain = uses.filter(({ argv }) => isFound(row, text(argv)));

    test('is shown by an example', () => {
      const text = `\`releases\` of \`${row.rule.id}\` has no \`${row.tool.names} ${row.rule.path}\``;
      expect(uses.length, text).toBeGreaterThan(0);
    });

    test('finds its subcommand behind, between and before options that no table lists', () => {
      const commands = plain.flatMap(({ argv, at }) => [
        ...[1, ...at.map((it) => it + 1)].flatMap((place) => [...withOptions(argv, place)]),
        ...(argv.includes('--') ? [] : withOptions(argv, argv.length)),
      ]);
      expect(commands.filter((command) => !isFound(row, command))).toEqual([]);
    });

    test('finds each spelling of its subcommand', () => {
      const [first] = plain;
      const commands = (first?.at ?? []).flatMap((at, index) =>
        (row.rule.path.split(' ')[index] ?? '')
          .split('|')
          .map((spelling) => text(first?.argv.with(at, spelling) ?? [])),
      );
      expect(commands.filter((command) => !isFound(row, command))).toEqual([]);
    });

    test('lets its dry runs through', () => {
      const off = [...list(row.rule.dry)];
      const undecided = plain.filter(({ argv }) => !/--(no-)?dry-run/.test(text(argv)));
      const commands = undecided.flatMap(({ argv, at }) =>
        off.map((option) => text(argv.toSpliced((at.at(-1) ?? 0) + 1, 0, option))),
      );
      expect(commands.filter((command) => isFound(row, command))).toEqual([]);
    });
  },
);

test('every example belongs to a rule, and the examples of a rule stand in one family', () => {
  expect([...examples.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  expect(given.length).toBe(examples.size);
});

test('no option stands in a subcommand', () => {
  expect(rows.filter(({ rule }) => rule.path.split(' ').some(isOption))).toEqual([]);
});
