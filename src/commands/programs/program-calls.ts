/**
 * The commands that a program in a scripting language would start: the string literals in the calls
 * that execute. A name in such a call stands for the literals of the statement that sets it; whatever
 * else is in the call is unknown text, and strings elsewhere are data.
 */
import { basename } from 'node:path';
import { words } from '../../base/text/options.ts';
import { LIMITS } from '../limits.ts';
import { isKnown, isWhollyUnknown, quoted, UNKNOWN, UNKNOWN_WORDS } from '../shell/unknown.ts';
import { mark, type Quoting, type Token } from './tokens.ts';

export interface Calls extends Quoting {
  readonly comments: string;
  readonly functions: string;
  /** Functions that are named like others: they count only after one of these objects. */
  readonly methods?: Readonly<Record<string, string>>;
  /** A call may be written without parentheses: `system "x"`. */
  readonly bare?: true;
  /** Functions whose text is a program of the same language. */
  readonly evaluates?: string;
  /** The method with which a text executes itself: groovy's `"x".execute()`. */
  readonly onText?: string;
  /** Functions that release something by themselves: the rules know their names. */
  readonly releases?: string;
  /** The function that makes a list: R's `c("git", "push")`. */
  readonly list?: string;
  /** A text beside `|` is a command. */
  readonly pipes?: true;
  /** Names one of which is in every program that pushes through a library. */
  readonly gitLibraries?: string;
}

/** A shell text, the words of a program, a program of the same language, or a call that cannot be read. */
export type Started =
  | string
  | readonly string[]
  | { readonly program: string }
  | { readonly unknownCall: string };

interface Program {
  readonly tokens: readonly Token[];
  readonly calls: Calls;
  /** Functions that execute, with those of the program that pass their arguments on to one. */
  readonly functions: Set<string>;
  /** The literals that names stand for. */
  readonly values: Map<string, readonly string[]>;
  /** What names stand for in turn, or by a key: elements of lists and of dictionaries. */
  readonly choices: Map<string, readonly (readonly string[])[]>;
  /** The place of the first name of a library that pushes without a shell. */
  readonly library: number;
  set: number | undefined;
  /** The place of the name of the function that is being defined. */
  head: number | undefined;
}

export function startedCommands(tokens: readonly Token[], calls: Calls): readonly Started[] {
  const libraries = words(calls.gitLibraries);
  const program: Program = {
    tokens,
    calls,
    functions: new Set(words(calls.functions)),
    values: new Map(),
    choices: new Map(),
    library: tokens.findIndex(({ text }) => libraries.has(text)),
    set: undefined,
    head: undefined,
  };
  // A function of the program may be called above its definition.
  readCalls(program);
  return readCalls(program);
}

/** The most tokens of a call, and of the head of a function, that are read. */
const LONGEST_CALL = 200;
const LONGEST_HEAD = 30;

function readCalls(program: Program): readonly Started[] {
  return program.tokens.flatMap((token, at): readonly Started[] => {
    if (token.executes) return [token.text];
    if (token.kind === 'mark') return readMark(program, at);
    if (token.kind === 'name') readName(program, at);
    const from = argumentsFrom(program, at);
    if (from !== undefined) return startedBy(program, at, from);
    if (token.text === 'push') return pushByLibrary(program, at);
    return token.kind === 'name' ? otherCalls(program, at) : [];
  });
}

function readMark(program: Program, at: number): readonly Started[] {
  const { tokens, calls } = program;
  const { text } = tokens[at] as Token;
  if (text === '\n' || text === ';') program.set = undefined;
  // `const run = (cmd) =>`
  else if (text === '>' && isMark(tokens[at - 1], '=')) program.head = program.set;
  if (text !== '|' || !calls.pipes || isMark(tokens[at - 1], '|')) return [];
  // `"command" | getline`, `print x | "command"`
  const place = tokens[at + 1]?.text === 'getline' ? at - 1 : at + 1;
  if (tokens[place]?.kind === 'mark') return [];
  const { texts } = operand(program, place, place);
  return texts.filter((it) => !isUnread(it));
}

/** Methods that go through a list and call a function with each element. */
const ITERATES = words('forEach map each reduce flatMap');
/** Words that may stand between such a method and the name of the element. */
const BEFORE_ELEMENT = words('async do function');
const REQUESTS = words('fetch urlopen Request request post put patch axios got ky');
const CHANGES = /^(?:POST|PUT|PATCH|DELETE)$/i;

/** Reads a request, a text that executes itself, or a program of the same language that is passed on. */
function otherCalls(program: Program, at: number): readonly Started[] {
  const { tokens, calls, choices } = program;
  const { text } = tokens[at] as Token;
  const isMethod = isMark(tokens[at - 1], '.');
  if (isMethod && ITERATES.has(text)) {
    const name = tokens
      .slice(at + 1, at + 6)
      .find((it) => it.kind === 'name' && !BEFORE_ELEMENT.has(it.text));
    if (name) choices.set(name.text, elements(program, closing(tokens, at - 2, -1)));
  } else if (isMethod && text === calls.onText) {
    return commandsIn(literals(program, closing(tokens, at - 2, -1), at - 1).texts, true, false);
  } else if (REQUESTS.has(text) && isMark(tokens[at + 1], '(')) return requestBy(program, at);
  else if (words(calls.releases).has(text) && isMark(tokens[at + 1], '(')) return [[text]];
  // `text.then(eval)`
  const isGiven = isMark(tokens[at - 1], '(') && isMark(tokens[at + 1], ')');
  if (isGiven && words(calls.evaluates).has(text)) return [{ unknownCall: text }];
  return [];
}

/** The request as `curl` would send it, if it changes something. */
function requestBy(program: Program, at: number): readonly Started[] {
  const { tokens } = program;
  const given = tokens.slice(at + 2, closing(tokens, at + 1));
  const url = literals(program, at + 2).texts.find((it) => /^https?:/.test(it));
  const method = [tokens[at] as Token, ...given].find(({ text }) => CHANGES.test(text))?.text;
  const hasBody = given.some(
    ({ kind, text }) => kind === 'name' && /^(?:data|body|json)$/.test(text),
  );
  if (url === undefined || !(method || hasBody)) return [];
  return [['curl', '-X', (method ?? 'POST').toUpperCase(), url]];
}

function readName(program: Program, at: number): void {
  const { tokens, functions } = program;
  if (setsValue(program, at)) program.set = at;
  if (isDefined(tokens, at)) program.head = at;
  else if (functions.has(tokens[at]?.text ?? '') && argumentsFrom(program, at) === undefined) {
    functions.add(otherName(program, at) ?? '');
  }
}

const DEFINES = words('def function sub func');

/** `def run(cmd)`, `sub run {` */
function isDefined(tokens: readonly Token[], at: number): boolean {
  const next = tokens[at + 1]?.text ?? '';
  return DEFINES.has(tokens[at - 1]?.text ?? '') && '({\n'.includes(next);
}

/** The place where the arguments of a call that executes begin; `undefined` if it does not execute. */
function argumentsFrom({ tokens, functions, calls }: Program, at: number): number | undefined {
  const { kind, text } = tokens[at] as Token;
  const isNamed = functions.has(text) || words(calls.evaluates).has(text);
  if (kind === 'mark' || !isNamed || isDefined(tokens, at)) return undefined;
  // `cp['exec']('git push')`, `getattr(os, 'system')('git push')`
  if (kind === 'string') return isMark(tokens[at + 2], '(') ? at + 2 : undefined;
  const isCall = isMark(tokens[at + 1], '(') || tokens[at + 1]?.kind === 'string' || calls.bare;
  return isCall ? at + 1 : undefined;
}

const GROWS = words('append extend push concat');

/** Records an assignment: `name = "text"`, `for (name of list)`; `list += ["text"]`, `list.append("text")` add. */
function setsValue(program: Program, at: number): boolean {
  const { tokens, values } = program;
  const [name = '', next = '', after = ''] = tokens.slice(at, at + 3).map((it) => it.text);
  const adds = (next === '+' && after === '=') || (next === '.' && GROWS.has(after));
  const sets = (next === '=' && !'=>'.includes(after)) || next === 'in' || next === 'of';
  if (!(adds || sets)) return false;
  const before = adds ? (values.get(name) ?? []) : [];
  const from = adds ? at + 3 : at + 2;
  const { texts } = literals(program, from);
  values.set(name, [...before, ...texts].slice(0, MOST_TEXTS));
  const isLoop = next === 'in' || next === 'of';
  const isNested = isOpen(tokens[from]) && (isMark(tokens[from], '{') || isOpen(tokens[from + 1]));
  if (isLoop || isNested) program.choices.set(name, elements(program, from));
  return sets;
}

/** 1 for a bracket that opens, -1 for one that closes. */
function depthOf(token: Token | undefined): number {
  if (token?.kind !== 'mark') return 0;
  return Number('([{'.includes(token.text)) - Number(')]}'.includes(token.text));
}

const isOpen = (token: Token | undefined): boolean => depthOf(token) > 0;

/** The literals of each element of a list or of a dictionary, through which a loop goes. */
function elements(program: Program, from: number): readonly (readonly string[])[] {
  const { tokens, values, choices } = program;
  const { kind, text } = tokens[from] ?? mark('');
  if (kind === 'name') return choices.get(text) ?? values.get(text)?.map((it) => [it]) ?? [];
  if (!isOpen(tokens[from])) return [];
  const lists: (readonly string[])[] = [];
  const end = closing(tokens, from);
  let depth = 0;
  let start = from + 1;
  for (let at = start; at <= end && lists.length < LIMITS.alternatives; at += 1) {
    const divides = depth === 0 && /^[,:\n]$/.test(tokens[at]?.text ?? '');
    // A literal before a colon is a key.
    const isKey = isMark(tokens[at], ':') || at === start;
    if ((divides || at === end) && !isKey) lists.push(literals(program, start, at).texts);
    if (divides) start = at + 1;
    depth += depthOf(tokens[at]);
  }
  return lists.filter((it) => it.length > 0);
}

/** `const run = promisify(cp.exec)`, `import run as start`, `{ exec: run }`. */
function otherName({ tokens, set }: Program, at: number): string | undefined {
  const [next, given, end] = tokens.slice(at + 1, at + 4);
  const isRenamed = next?.text === 'as' || (isMark(next, ':') && /^[,}]$/.test(end?.text ?? ''));
  if (isRenamed && given?.kind === 'name') return given.text;
  return set === undefined ? undefined : tokens[set]?.text;
}

const MOST_TEXTS = 100;

/**
 * The literals of an expression, up to the end of its statement or of the bracket that it begins
 * with. A block, and whatever follows a list, only says how a command is run.
 */
function literals(program: Program, from: number, to = from + LONGEST_CALL) {
  const { tokens } = program;
  const texts: string[] = [];
  const unknown: string[] = [];
  const end = Math.min(tokens.length, to);
  let depth = 0;
  for (let at = from; at < end && texts.length <= MOST_TEXTS; at += 1) {
    const { kind, text } = tokens[at] as Token;
    if (kind === 'mark') {
      depth += depthOf(tokens[at]);
      if (isEnd(tokens, at, depth)) break;
    } else {
      const read = operand(program, at, from);
      addTexts(texts, read.texts, {
        joins: at > from && isJoined(tokens, at),
        // An empty text matters if something is joined to it.
        isJoinedTo: isMark(tokens[read.last + 1], '+'),
      });
      if (read.isUnknown) unknown.push(text);
      at = read.last;
    }
  }
  return { texts: texts.length > MOST_TEXTS ? [...texts, UNKNOWN_WORDS] : texts, unknown };
}

function addTexts(
  texts: string[],
  more: readonly string[],
  { joins, isJoinedTo }: { joins: boolean; isJoinedTo: boolean },
): void {
  for (const it of more) {
    if (joins) texts.push(limited(quoted((texts.pop() ?? '') + it)));
    else if (isJoinedTo || it.trim() !== '') texts.push(it);
  }
}

/** A longer text counts as unknown, because names may stand for each other. */
const LONGEST_TEXT = 4_000;
const limited = (text: string): string => (text.length > LONGEST_TEXT ? UNKNOWN : text);

function isEnd(tokens: readonly Token[], at: number, depth: number): boolean {
  const text = tokens[at]?.text ?? '';
  if (depth < 0 || (depth === 0 && '\n;)'.includes(text))) return true;
  // Which side a condition chooses is not known.
  if (text === '?') return true;
  if (text === '{') return tokens[at + 1]?.text !== 'args';
  return text === ']' && depth < 2 && isMark(tokens[at + 1], ',');
}

/** `"a" + b`, perl's `"a" . $b`, and strings that stand side by side. */
function isJoined(tokens: readonly Token[], at: number): boolean {
  const [left, before, token] = [tokens[at - 2], tokens[at - 1], tokens[at]];
  if (before?.kind === 'string') return token?.kind === 'string';
  return isMark(before, '+')
    ? left?.kind !== 'mark'
    : isMark(before, '.') && left?.kind === 'string';
}

/** Functions that make words of their arguments. */
const PASSES = words(
  'join split shellsplit shellwords list tuple str String concat trim strip implode',
);

interface Operand {
  readonly texts: readonly string[];
  readonly isUnknown?: boolean;
  readonly last: number;
}

/** A string, or a name with its call; options by name are left out. */
function operand(program: Program, at: number, from: number): Operand {
  const { tokens, calls } = program;
  const { kind, text } = tokens[at] as Token;
  const next = tokens[at + 1];
  if (kind === 'string') return { texts: isIndex(tokens, at, from) ? [] : [text], last: at };
  if (isMark(next, '=') || isMark(next, ':')) {
    const isPlain = text !== 'args' && tokens[at + 2]?.kind !== 'mark';
    return { texts: [], last: isPlain ? at + 2 : at + 1 };
  }
  return PASSES.has(text) || text === calls.list
    ? { texts: [], last: at }
    : named(program, at, from);
}

/** What a name, a member of an object or the result of a call stands for. */
function named({ tokens, values }: Program, at: number, from: number): Operand {
  const { text } = tokens[at] as Token;
  const last = isMark(tokens[at + 1], '(') ? closing(tokens, at + 1) : at;
  const known = values.get(text);
  if (isIndex(tokens, at, from)) return { texts: [], last };
  if (isMark(tokens[at - 1], '.') && tokens[at - 2]?.kind !== 'string') {
    return { texts: known ?? [], last };
  }
  return { texts: known ?? [UNKNOWN_WORDS], isUnknown: known === undefined, last };
}

/** `environ['X']`: the value of an element is unknown. */
function isIndex(tokens: readonly Token[], at: number, from: number): boolean {
  const isAlone = isMark(tokens[at - 1], '[') && isMark(tokens[at + 1], ']');
  return isAlone && at - 1 > from && tokens[at - 2]?.kind === 'name';
}

/** The bracket that matches the one at `from`: the closing one, or with `-1` the opening one. */
function closing(tokens: readonly Token[], from: number, step: 1 | -1 = 1): number {
  let depth = 0;
  for (let at = from; tokens[at] && Math.abs(at - from) < LONGEST_CALL; at += step) {
    depth += depthOf(tokens[at]);
    if (depth === 0) return at;
  }
  return step > 0 ? tokens.length : from;
}

function startedBy(program: Program, at: number, from: number): readonly Started[] {
  const { tokens, calls } = program;
  const name = tokens[at]?.text ?? '';
  const line = tokens.findIndex(
    (it, place) => place > from && it.kind === 'mark' && '\n;}'.includes(it.text),
  );
  const chosen = tokens
    .slice(from, isOpen(tokens[from]) ? closing(tokens, from) : line)
    .find((it) => it.kind === 'name' && program.choices.has(it.text))?.text;
  if (chosen !== undefined) return startedByEach(chosen, program, at, from);
  const { texts, unknown } = literals(program, from);
  if (words(calls.evaluates).has(name)) {
    // A method of that name computes something else: `model.eval()`.
    if (isMark(tokens[at - 1], '.')) return [];
    const [text = UNKNOWN_WORDS] = tokens[from + 1]?.kind === 'string' ? texts : [];
    return isWhollyUnknown(text) ? [{ unknownCall: name }] : [{ program: text }];
  }
  const isOwned = ownsCall(tokens, at, calls);
  const isList = isMark(tokens[from + 1], '[');
  if (!texts.every(isUnread)) return commandsIn(texts, isOwned, isList);
  const isPassedOn = notePassedOn(program, at, unknown);
  const isCall = isMark(tokens[from], '(') ? texts.length > 0 : isStatement(tokens, at);
  return isOwned && !isPassedOn && isCall ? [{ unknownCall: name }] : [];
}

/**
 * True for a call without arguments: `system` alone runs the line that was read, `system $_` runs
 * what a name stands for; `$x{exec}` is a key.
 */
function isStatement(tokens: readonly Token[], at: number): boolean {
  const [before = mark(';'), next = mark(';')] = [tokens[at - 1], tokens[at + 1]];
  const isKey = before.text + next.text === '{}';
  return (
    /^[;{}\n]$/.test(before.text) && !isKey && (next.kind === 'name' || /^[;}\n@]$/.test(next.text))
  );
}

/** A name that stands for one of several things is read as each of them. */
function startedByEach(
  name: string,
  program: Program,
  at: number,
  from: number,
): readonly Started[] {
  const choices = new Map(program.choices);
  choices.delete(name);
  return (program.choices.get(name) ?? []).flatMap((texts) => {
    const values = new Map(program.values).set(name, texts);
    return startedBy({ ...program, values, choices }, at, from);
  });
}

/** Shell texts, or the words of one program. */
function commandsIn(
  texts: readonly string[],
  isOwned: boolean,
  isList: boolean,
): readonly Started[] {
  // A mode or handles may come before the program: `os.spawnlp(os.P_WAIT, "git", "git", "push")`.
  const given = isList ? texts : texts.slice(texts.findIndex((it) => !isUnread(it)));
  // A method of the same name on another object runs nothing, unless it is given a program and its words.
  if (!isOwned) return isList || given.length > 1 ? [argvOf(given)] : [];
  const isShell = /\s/.test(given[0] ?? '');
  return isShell ? given.filter((it) => /\s/.test(it)) : [argvOf(given)];
}

/** Notes that the function around a call passes its arguments on to it. */
function notePassedOn(
  { tokens, head, functions }: Program,
  at: number,
  unknown: readonly string[],
): boolean {
  if (head === undefined) return false;
  const parameters = tokens.slice(head + 1, Math.min(head + LONGEST_HEAD, at));
  const isPassed = unknown.some((it) => it === '_' || parameters.some(({ text }) => text === it));
  if (isPassed) functions.add(tokens[head]?.text ?? '');
  return isPassed;
}

const isUnread = (text: string): boolean => text === UNKNOWN_WORDS;

/** The program may be named twice: once as the file, once as its own first word. */
function argvOf(given: readonly string[]): readonly string[] {
  const [file = '', own = ''] = given;
  const base = basename(file);
  return isKnown(own) && (own === file || own === base) ? given.slice(1) : given;
}

/** True for a plain function, and for a method of an object that starts programs. */
function ownsCall(tokens: readonly Token[], at: number, { methods }: Calls): boolean {
  const name = tokens[at]?.text ?? '';
  const owners = methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!owners || tokens[at - 1]?.text !== '.') return true;
  // `require('child_process').exec(…)`, `__import__('subprocess').run(…)`
  const owner = isMark(tokens[at - 2], ')') ? tokens[at - 3] : tokens[at - 2];
  return words(owners).has(owner?.text ?? '');
}

/**
 * Libraries that use git without a shell: `simpleGit().push()`, `Repo().remotes.origin.push()`,
 * `sh.git.push()`. The words are those of the same use of git.
 */
function pushByLibrary({ tokens, library }: Program, at: number): readonly Started[] {
  const isMethod = isMark(tokens[at - 1], '.') && isMark(tokens[at + 1], '(');
  return isMethod && library >= 0 && library < at ? [['git', 'push', UNKNOWN_WORDS]] : [];
}

function isMark(token: Token | undefined, text: string): boolean {
  return token?.kind === 'mark' && token.text === text;
}
