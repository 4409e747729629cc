/** Reads a makefile far enough to know which shell lines a target runs. */
import type { Recipe, RecipeBook } from './make.ts';
import { ONE } from './unknown.ts';

const MOST_INCLUDES = 8;

export function parseMakefile(
  text: string,
  given: ReadonlyMap<string, string>,
  include: (path: string) => string | undefined,
): RecipeBook {
  const variables = new Map<string, string>([
    ['MAKE', 'make'],
    ['SHELL', 'sh'],
  ]);
  const rules = new Map<string, { needs: string[]; lines: string[] }>();
  let first: string | undefined;
  let current: { needs: string[]; lines: string[] }[] = [];
  let includes = 0;
  const pending = logicalLines(text).reverse();

  for (let line = pending.pop(); line !== undefined; line = pending.pop()) {
    if (line.startsWith('\t')) {
      for (const rule of current) rule.lines.push(line.slice(1));
      continue;
    }
    const plain = withoutComment(line);
    const assignment = /^\s*(?:export\s+|override\s+)?([\w.-]+)\s*(:{0,3}|\?|\+|!)=\s*(.*)$/.exec(
      plain,
    );
    if (assignment) {
      assign(assignment, variables, given);
      continue;
    }
    const included = /^-?s?include\s+(.+)$/.exec(plain.trim());
    if (included) {
      for (const path of expand(included[1] ?? '', variables).split(/\s+/)) {
        includes += 1;
        const more = includes <= MOST_INCLUDES ? include(path) : undefined;
        if (more !== undefined) pending.push(...logicalLines(more).reverse());
      }
      continue;
    }
    const rule = ruleOf(expand(plain, variables));
    if (!rule) continue;
    current = rule.targets.map((target) => {
      const entry = rules.get(target) ?? { needs: [], lines: [] };
      rules.set(target, entry);
      entry.needs.push(...rule.needs);
      if (rule.inline !== undefined) entry.lines.push(rule.inline);
      return entry;
    });
    first ??= rule.targets.find((it) => !(it.startsWith('.') || it.includes('%')));
  }
  return {
    first: variables.get('.DEFAULT_GOAL') ?? first,
    find: (target) => find(target, rules, variables),
  };
}

function logicalLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const last = lines.at(-1);
    if (last?.endsWith('\\')) {
      const recipe = last.startsWith('\t');
      lines[lines.length - 1] = recipe
        ? `${last}\n${line.replace(/^\t/, '')}`
        : `${last.slice(0, -1)} ${line.trim()}`;
    } else lines.push(line);
  }
  return lines;
}

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
  else if (operator !== '?' || old === undefined)
    variables.set(name, operator.startsWith(':') ? expand(value, variables) : value);
}

function ruleOf(line: string) {
  const match = /^([^\s:=][^:=]*?)\s*::?(?!=)\s*(.*)$/.exec(line);
  if (!match) return undefined;
  const [, targets = '', rest = ''] = match;
  const semicolon = rest.indexOf(';');
  const needs = semicolon < 0 ? rest : rest.slice(0, semicolon);
  return {
    targets: targets.split(/\s+/).filter(Boolean),
    needs: needs.split(/\s+/).filter((it) => it !== '' && it !== '|'),
    inline: semicolon < 0 ? undefined : rest.slice(semicolon + 1),
  };
}

function find(
  target: string,
  rules: ReadonlyMap<string, { needs: string[]; lines: string[] }>,
  variables: ReadonlyMap<string, string>,
): Recipe | undefined {
  const exact = rules.get(target);
  let stem = '';
  let entry = exact;
  if (!exact) {
    for (const [pattern, rule] of rules) {
      const [head = '', tail] = pattern.split('%');
      if (tail === undefined || target.length < head.length + tail.length) continue;
      if (!(target.startsWith(head) && target.endsWith(tail))) continue;
      stem = target.slice(head.length, target.length - tail.length);
      entry = rule;
      break;
    }
  }
  if (!entry) return undefined;
  const automatic = new Map(variables);
  automatic
    .set('@', target)
    .set('*', stem)
    .set('<', entry.needs[0] ?? '')
    .set('^', entry.needs.join(' '));
  return {
    needs: entry.needs.map((it) => it.replace('%', stem)),
    texts: entry.lines.map((it) => expand(it, automatic).replace(/^[\s@+-]+/, '')),
  };
}

const DEEPEST = 8;

/** `$(x)`, `${x}`, `$x` and `$$`; a call of one of make's functions gives something unknown. */
function expand(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  if (!text.includes('$') || depth > DEEPEST || text.length > 20_000) return text;
  let result = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '$') {
      result += text[at];
      continue;
    }
    const open = text[at + 1];
    if (open === '$') {
      result += '$';
      at += 1;
    } else if (open === '(' || open === '{') {
      const end = closing(text, at + 1, open === '(' ? ')' : '}');
      const name = text.slice(at + 2, end);
      const value = variables.get(name);
      result += value === undefined ? unknownOf(name) : expand(value, variables, depth + 1);
      at = end;
    } else if (open !== undefined) {
      result += variables.get(open) ?? ONE;
      at += 1;
    }
  }
  return result;
}

/** A variable that nobody set may come from the environment; make's functions are not computed. */
function unknownOf(name: string): string {
  return name.startsWith('shell ') ? `$(${name.slice('shell '.length)})` : ONE;
}

function closing(text: string, open: number, close: string): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === text[open]) depth += 1;
    else if (text[at] === close) {
      depth -= 1;
      if (depth === 0) return at;
    }
  }
  return text.length;
}
