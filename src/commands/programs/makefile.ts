/** Reads a makefile far enough to know which shell lines a target runs. */
import { UNKNOWN } from '../shell/unknown.ts';
import type { Recipe, TaskBook, TaskFile } from './task-entries.ts';

const MOST_INCLUDES = 8;

type Rule = Readonly<Record<'needs' | 'lines', string[]>>;

interface Makefile {
  readonly variables: Map<string, string>;
  readonly rules: Map<string, Rule>;
  current: readonly Rule[];
  first: string | undefined;
  includes: number;
}

export function parseMakefile({ text, variables: given, include }: TaskFile): TaskBook {
  const file: Makefile = {
    variables: new Map([['MAKE', 'make'], ['SHELL', 'sh'], ...given]),
    rules: new Map(),
    current: [],
    first: undefined,
    includes: 0,
  };
  const pending = logicalLines(withoutDefinitions(text, file.variables)).reverse();
  for (let line = pending.pop(); line !== undefined; line = pending.pop()) {
    for (const path of readLine(line, file, given)) {
      file.includes += 1;
      const more = file.includes <= MOST_INCLUDES ? include(path) : undefined;
      if (more !== undefined) pending.push(...logicalLines(more).reverse());
    }
  }
  return {
    first: file.variables.get('.DEFAULT_GOAL') ?? file.first,
    find: (target) => find(target, file),
  };
}

/** Takes out variables of several lines: `define X … endef`. */
function withoutDefinitions(text: string, variables: Map<string, string>): string {
  return text.replace(
    /^define[ \t]+([\w.-]+).*\n([\s\S]*?)^endef\b.*$/gm,
    (_, name: string, body: string) => {
      variables.set(name, body.trimEnd());
      return '';
    },
  );
}

/** A line that ends with a backslash goes on in the next one. */
const logicalLines = (text: string): string[] =>
  (text.replaceAll('\r\n', '\n').match(/(?:.*\\\n)*.+/g) ?? []).map((it) =>
    it.startsWith('\t') ? it.replace(/\\\n\t?/g, '\\\n') : it.replace(/\\\n\s*/g, ' '),
  );

function readLine(
  line: string,
  file: Makefile,
  given: ReadonlyMap<string, string>,
): readonly string[] {
  if (line.startsWith('\t')) {
    for (const rule of file.current) rule.lines.push(line.slice(1));
    return [];
  }
  const plain = withoutComment(line);
  const assignment = ASSIGNMENT.exec(plain);
  if (assignment) {
    assign(assignment, file.variables, given);
    return [];
  }
  const included = /^-?s?include\s+(.+)$/.exec(plain.trim());
  if (included) return expanded(included[1] ?? '', file.variables).split(/\s+/);
  addRule(expanded(plain, file.variables), file);
  return [];
}

const ASSIGNMENT = /^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(:{0,3}|\?|\+|!)=\s*(.*)$/;

function withoutComment(line: string): string {
  const at = line.indexOf('#');
  return at < 0 || line[at - 1] === '\\' ? line : line.slice(0, at);
}

function assign(
  [, name = '', operator = '', value = '']: RegExpExecArray,
  variables: Map<string, string>,
  given: ReadonlyMap<string, string>,
): void {
  const set = given.get(name);
  const old = variables.get(name);
  if (set !== undefined) variables.set(name, set);
  else if (operator === '+') variables.set(name, old === undefined ? value : `${old} ${value}`);
  else if (operator.startsWith(':')) variables.set(name, expanded(value, variables));
  else if (operator !== '?' || old === undefined) variables.set(name, value);
}

function addRule(line: string, file: Makefile): void {
  const match = /^([^\s:=][^:=]*?)\s*::?(?!=)\s*(.*)$/.exec(line);
  if (!match) return;
  const [, targets = '', rest = ''] = match;
  const semicolon = rest.indexOf(';');
  const needs = (semicolon < 0 ? rest : rest.slice(0, semicolon)).split(/\s+/);
  const names = targets.split(/\s+/).filter(Boolean);
  file.current = names.map((target) => {
    const rule = file.rules.get(target) ?? { needs: [], lines: [] };
    file.rules.set(target, rule);
    rule.needs.push(...needs.filter((it) => it !== '' && it !== '|'));
    if (semicolon >= 0) rule.lines.push(rest.slice(semicolon + 1));
    return rule;
  });
  file.first ??= names.find((it) => !(it.startsWith('.') || it.includes('%')));
}

function find(target: string, { rules, variables }: Makefile): Recipe | undefined {
  const exact = rules.get(target);
  const { rule, stem } = exact ? { rule: exact, stem: '' } : byPattern(target, rules);
  if (!rule) return undefined;
  const automatic = new Map(variables);
  automatic
    .set('@', target)
    .set('*', stem)
    .set('<', rule.needs[0] ?? '')
    .set('^', rule.needs.join(' '));
  return {
    needs: rule.needs.map((it) => it.replace('%', stem)),
    steps: rule.lines.map((it) => expanded(it, automatic).replace(/^[\s@+-]+/, '')),
  };
}

function byPattern(target: string, rules: ReadonlyMap<string, Rule>) {
  for (const [pattern, rule] of rules) {
    const [head = '', tail] = pattern.split('%');
    if (tail === undefined || target.length < head.length + tail.length) continue;
    if (target.startsWith(head) && target.endsWith(tail)) {
      return { rule, stem: target.slice(head.length, target.length - tail.length) };
    }
  }
  return { rule: undefined, stem: '' };
}

const DEEPEST = 8;
const LONGEST = 20_000;
/** A reference with none inside: `$(x)`, `${x}`, `$x` and `$$`. */
const REFERENCE = /\$(?:\(([^()$]*)\)|\{([^{}$]*)\}|([^({\s]))/g;
/** Stands for a dollar sign that make leaves to the shell. */
const DOLLAR = '\uF8FF';

/**
 * A variable without a definition may come from the environment, and functions of make are not computed:
 * both are unknown. `$(shell …)` is read like a command substitution of the recipe.
 */
function expanded(text: string, variables: ReadonlyMap<string, string>): string {
  let result = text.replaceAll('$$', DOLLAR);
  for (let depth = 0; result.includes('$'); depth += 1) {
    if (depth > DEEPEST || result.length > LONGEST) return UNKNOWN;
    const before = result;
    result = before.replace(REFERENCE, (_, round, curly, letter) => {
      const name: string = round ?? curly ?? letter;
      const value = variables.get(name)?.replaceAll('$$', DOLLAR);
      return value ?? (name.startsWith('shell ') ? `${DOLLAR}(${name.slice(6)})` : UNKNOWN);
    });
    if (result === before) break;
  }
  return result.replaceAll(/\$\(shell (?=.)/g, '$(').replaceAll(DOLLAR, '$');
}
