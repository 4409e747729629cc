/** Reads a text of PowerShell: its variables, functions and aliases, and the commands that it runs. */
import { words } from '../../base/text/options.ts';
import { byName } from '../by-name.ts';
import { type Frame, inside, reportUnknown } from '../reader.ts';
import {
  type Item,
  type Piece,
  powerShellStatements,
  type Statement,
} from './powershell-tokens.ts';
import { isKnown, UNKNOWN, UNKNOWN_WORDS } from './unknown.ts';

/** What a variable holds: texts, or the source of a block. */
type Value = readonly string[] | { readonly block: string };

interface Session {
  readonly variables: Map<string, Value>;
  readonly functions: Map<string, string>;
  readonly aliases: Map<string, string>;
  depth: number;
}

const MOST_STATEMENTS = 2_000;
const DEEPEST = 24;
const DEEPEST_EXPRESSION = 4;

export function readPowerShell(text: string, frame: Frame): void {
  const maps = { variables: new Map(), functions: new Map(), aliases: new Map() };
  readText(text, { ...maps, depth: 0 }, frame);
}

function readText(text: string, session: Session, frame: Frame): void {
  if (reportUnknown(text, frame) || !frame.reader.step(text.length, frame)) return;
  const { statements, complete } = powerShellStatements(text, MOST_STATEMENTS);
  if (!complete || session.depth > DEEPEST) {
    frame.reader.opaque('it is too long to read', [text.slice(0, 200)], frame);
    if (session.depth > DEEPEST) return;
  }
  session.depth += 1;
  let input: readonly string[] | undefined;
  for (const statement of statements) {
    input = runStatement(statement, statement.piped ? input : undefined, session, frame);
  }
  session.depth -= 1;
}

/** Words that stand before a condition or a block. */
const KEYWORDS = words(
  'if elseif else while do until foreach for switch try catch finally begin process end trap in data default ' +
    'return throw exit function filter param',
);

type Input = readonly string[] | undefined;

/** Returns the texts that it gives to what follows in a pipe, if they are known. */
function runStatement(
  { items }: Pick<Statement, 'items'>,
  input: Input,
  session: Session,
  frame: Frame,
): Input {
  const [first, second] = items;
  const name = commandName(first);
  if (name === 'param') return undefined;
  if (name === 'function' || name === 'filter') return define(items, session);
  if (isAssignment(first, second)) return assign(items, session, frame);
  for (const item of items) if (item.kind === 'group') readText(item.source, session, frame);
  if (name === undefined || /^[[!\d-]/.test(name)) return readExpression(items, session, frame);
  if (KEYWORDS.has(name)) return runAfterKeyword(items, input, session, frame);
  if (name === '&' || name === '.') return call(items.slice(1), input, session, frame);
  readBlocks(items, session, frame);
  return runWords([name, ...argumentsOf(items.slice(1), session)], input, session, frame);
}

function readExpression(items: readonly Item[], session: Session, frame: Frame): Input {
  const [first] = items;
  startByClass(items, frame);
  // A block by itself is a value; one that follows is a case of `switch`.
  if (first?.kind === 'block') return undefined;
  readBlocks(items, session, frame);
  return expressionTexts(items, session);
}

/** What follows the condition and the block of a keyword is a statement of its own. */
function runAfterKeyword(
  items: readonly Item[],
  input: Input,
  session: Session,
  frame: Frame,
): Input {
  readBlocks(items, session, frame);
  const at = items.findLastIndex((it) => it.kind === 'block');
  const rest = items.slice(at < 0 ? 1 : at + 1).filter((it) => it.kind !== 'group');
  return rest.length > 0 ? runStatement({ items: rest }, input, session, frame) : undefined;
}

/** The word at command position; none if it is quoted or a variable: that is an expression. */
function commandName(item: Item | undefined): string | undefined {
  if (item?.kind !== 'text' || item.quoted || !item.pieces.every((it) => typeof it === 'string')) {
    return undefined;
  }
  const text = item.pieces.join('');
  return /^[A-Za-z]+$/.test(text) && KEYWORDS.has(text.toLowerCase()) ? text.toLowerCase() : text;
}

function isAssignment(first: Item | undefined, second: Item | undefined): boolean {
  if (first?.kind !== 'text' || first.quoted) return false;
  const [variable, ...rest] = first.pieces;
  if (typeof variable !== 'object') return false;
  if (rest.join('').startsWith('=')) return true;
  return rest.length === 0 && /^\+?=/.test(commandName(second) ?? '');
}

function assign(items: readonly Item[], session: Session, frame: Frame): undefined {
  const [first, ...others] = items;
  const [variable, ...pieces] = first?.kind === 'text' ? first.pieces : [];
  if (first?.kind !== 'text' || typeof variable !== 'object') return;
  // `$x=1` is one word.
  const attached = pieces.length > 1 ? [{ ...first, pieces: pieces.slice(1) }] : [];
  const rest: readonly Item[] = pieces.length > 0 ? [...attached, ...others] : others.slice(1);
  const [only] = rest;
  const name = variable.variable.toLowerCase();
  if (only?.kind === 'block') {
    session.variables.set(name, { block: only.source });
    return;
  }
  const given = expressionTexts(rest, session);
  // `$out = git push`
  if (given === undefined || only?.kind === 'group' || commandName(only) !== undefined) {
    runStatement({ items: rest }, undefined, session, frame);
  }
  const adds = pieces.length === 0 && commandName(others[0])?.startsWith('+');
  const before = adds ? session.variables.get(name) : undefined;
  const value = [...(Array.isArray(before) ? before : []), ...(given ?? [UNKNOWN_WORDS])];
  session.variables.set(name, value);
  const [, exported] = /^env:(\w+)$/i.exec(variable.variable) ?? [];
  if (exported) frame.state.variables.set(exported, [[value.join(' ')]]);
}

/** The texts of an expression: literals, variables, lists, and texts joined by `+`. */
function expressionTexts(
  items: readonly Item[],
  session: Session,
  depth = 0,
): readonly string[] | undefined {
  if (depth > DEEPEST_EXPRESSION) return undefined;
  const texts: string[] = [];
  let joins = false;
  for (const item of items) {
    const value = valuesOfItem(item, session, depth);
    if (value === undefined) return undefined;
    if (item.kind === 'text' && !item.quoted && item.pieces.join('') === '+') joins = true;
    else if (joins) {
      texts.push((texts.pop() ?? '') + value.join(' '));
      joins = false;
    } else texts.push(...value);
  }
  return texts;
}

function valuesOfItem(item: Item, session: Session, depth = 0): readonly string[] | undefined {
  if (item.kind === 'comma') return [];
  if (item.kind === 'text') return textsOf(item.pieces, session);
  if (item.kind !== 'group' || item.embedded) return item.kind === 'group' ? [] : undefined;
  const { statements } = powerShellStatements(item.source, 2);
  const [only] = statements;
  const isExpression = only && statements.length === 1 && commandName(only.items[0]) === undefined;
  return isExpression ? expressionTexts(only.items, session, depth + 1) : undefined;
}

function textsOf(pieces: readonly Piece[], { variables }: Session): readonly string[] {
  const [only] = pieces;
  const held = (name: string): Value =>
    variables.get(name.toLowerCase()) ?? (name === '' ? [UNKNOWN] : [UNKNOWN_WORDS]);
  if (pieces.length === 1 && typeof only === 'object') {
    const value = held(only.variable);
    return 'block' in value ? [UNKNOWN] : value;
  }
  const texts = pieces.map((it) => {
    if (typeof it === 'string') return it;
    const value = held(it.variable);
    return 'block' in value ? UNKNOWN : value.join(' ').replaceAll(UNKNOWN_WORDS, UNKNOWN);
  });
  return [texts.join('')];
}

/** The words that a command is given. A list is one word after another. */
function argumentsOf(items: readonly Item[], session: Session): readonly string[] {
  return items.flatMap((item) => {
    if (item.kind === 'splat') {
      const value = session.variables.get(item.name.toLowerCase());
      return value && !('block' in value) ? value : [UNKNOWN_WORDS];
    }
    return valuesOfItem(item, session) ?? (item.kind === 'group' ? [UNKNOWN] : []);
  });
}

function readBlocks(items: readonly Item[], session: Session, frame: Frame): void {
  for (const item of items) {
    if (item.kind === 'block') readText(item.source, session, frame);
    const [variable] = item.kind === 'text' && item.pieces.length === 1 ? item.pieces : [];
    const value =
      typeof variable === 'object'
        ? session.variables.get(variable.variable.toLowerCase())
        : undefined;
    if (value && 'block' in value) readText(value.block, session, frame);
  }
}

function define(items: readonly Item[], { functions }: Session): undefined {
  const name = commandName(items[1]);
  const body = items.find((it) => it.kind === 'block');
  if (name !== undefined && body) functions.set(name.toLowerCase(), body.source);
}

/** `& $program words`, `& { … }`, `& (Get-Command git) push` */
function call(items: readonly Item[], input: Input, session: Session, frame: Frame): undefined {
  const [first, ...rest] = items;
  readBlocks(items, session, frame);
  if (first === undefined || first.kind === 'block') return;
  const source = first.kind === 'group' ? first.source : '';
  const [, found] = /^\s*(?:Get-Command|gcm)\s+(?:-Name\s+)?(\S+)/i.exec(source) ?? [];
  const program = found === undefined ? (valuesOfItem(first, session) ?? [UNKNOWN]) : [found];
  runWords([...program, ...argumentsOf(rest, session)], input, session, frame);
}

type Command = (
  args: readonly string[],
  call: { readonly name: string; readonly input: Input },
  session: Session,
  frame: Frame,
) => void;

const operandsOf = (args: readonly string[]): readonly string[] =>
  args.filter((it) => !/^-[A-Za-z]/.test(it));

/** Commands of PowerShell that run others, or change what others mean. */
const COMMANDS = byName<Command>({
  'invoke-expression iex': (args, { name, input }, session, frame) => {
    for (const text of args.length > 0 ? [operandsOf(args).join(' ')] : (input ?? [UNKNOWN])) {
      readText(text, session, inside(frame, name));
    }
  },
  'start-process saps start': (args, { name }, _session, frame) => {
    const started = operandsOf(args).flatMap((it) => it.split(/\s+/));
    frame.reader.command(started, inside(frame, name));
  },
  'set-alias new-alias sal nal': (args, _call, { aliases }) => {
    const [key, target] = operandsOf(args);
    if (key !== undefined && target !== undefined) aliases.set(key.toLowerCase(), target);
  },
  'set-location cd sl chdir': ([folder = UNKNOWN], _call, _session, frame) => {
    frame.reader.command(['cd', folder], frame);
  },
  'push-location': ([folder = UNKNOWN], _call, _session, frame) => {
    frame.reader.command(['pushd', folder], frame);
  },
  // They only print, read or filter; blocks that they are given have been read.
  [`echo write-output write-host write-error write-warning write-verbose write-debug rem type dir exit
    foreach-object % where-object ? select-object sort-object measure-command invoke-command icm start-job
    out-null out-string tee-object`.replace(/\s+/g, ' ')]: () => undefined,
});

function runWords(
  argv: readonly string[],
  input: Input,
  session: Session,
  frame: Frame,
): undefined {
  const [program = '', ...args] = argv;
  const name = program.toLowerCase();
  const alias = session.aliases.get(name);
  const body = session.functions.get(name);
  const command = COMMANDS.get(name);
  if (alias !== undefined && alias !== name)
    return runWords([alias, ...args], input, session, frame);
  if (body !== undefined) {
    session.variables.set('args', args);
    readText(body, session, inside(frame, `function ${program}`));
  } else if (command) command(args, { name: program, input }, session, frame);
  else if (program !== '') {
    frame.reader.command(argv, input === undefined ? frame : { ...frame, stdin: () => input });
  }
}

/** `[Diagnostics.Process]::Start("git", "push")` */
function startByClass(items: readonly Item[], frame: Frame): void {
  const [first, second] = items;
  if (first?.kind !== 'text' || second?.kind !== 'group') return;
  if (!/Diagnostics\.Process\]::Start$/i.test(first.pieces.join(''))) return;
  const texts = [...second.source.matchAll(/(["'])(.*?)\1/g)].map(([, , text = '']) => text);
  frame.reader.command(
    texts.flatMap((it) => it.split(/\s+/)).filter(isKnown),
    inside(frame, 'Process'),
  );
}
