/**
 * Finds the commands that a program in a scripting language would start: the strings and lists that
 * are arguments of a call that executes. Everything else in it is data.
 */
import { words } from '../../base/text/options.ts';
import { isKnown, UNKNOWN_WORDS } from '../shell/unknown.ts';
import {
  type Argument,
  bareArguments,
  callArguments,
  expression,
  isMark,
  type Program,
} from './program-expressions.ts';
import type { Token } from './program-tokens.ts';

export interface Calls {
  /** Names of which one stands in a program that pushes by a library. */
  readonly gitLibraries?: string;
  /** Functions whose first string is a command. */
  readonly functions: string;
  /** Functions whose text is a program of the same language. */
  readonly evaluates?: string;
  /** Functions that are named like others: they count only after one of these objects. */
  readonly methods?: Readonly<Record<string, string>>;
  /** A call may be written without parentheses: `system "x"`. */
  readonly bare?: true;
}

/** What a call would run: a shell text, the words of a program, or what cannot be read. */
export type Started = string | readonly string[] | { readonly unknownCall: string };

export function startedCommands(tokens: readonly Token[], calls: Calls): readonly Started[] {
  const program: Program = { tokens, constants: new Map() };
  const functions = new Set(words(calls.functions));
  for (const name of wrappers(tokens, functions)) functions.add(name);
  let room = MOST_CALLS;
  const ofName = (at: number): readonly Started[] => {
    const name = tokens[at]?.text ?? '';
    const call = isCall(tokens, at, functions);
    if (room <= 0) return call ? [{ unknownCall: name }] : [];
    if (noteConstant(program, at) || call) room -= 1;
    if (!call) return startedOtherwise(program, at, calls);
    functions.add(otherName(tokens, at) ?? name);
    return startedBy(program, at, calls);
  };
  return tokens.flatMap((token, at): readonly Started[] => {
    if (token.kind === 'name') return ofName(at);
    // A string in back quotes runs.
    if (token.kind === 'string' && token.executes) return [token.text];
    return isNamedCall(tokens, at, functions) ? startedBy(program, at, calls) : [];
  });
}

const DEFINES = words('def function sub func');
/** How far above a call the head of its function is looked for, in tokens. */
const FARTHEST_HEAD = 200;

/** Functions of the program that pass a parameter on to one that starts others. */
function wrappers(tokens: readonly Token[], functions: ReadonlySet<string>): readonly string[] {
  return tokens.flatMap((_, at) => {
    if (!isCall(tokens, at, functions) || !isMark(tokens[at + 1], '(')) return [];
    const given = tokens.slice(at + 2, at + 6).find((it) => it.kind === 'name');
    const plain = tokens[at + 2];
    const passesOn = plain?.kind === 'name' || /^[*.@$]$/.test(plain?.text ?? '');
    const head = passesOn && given ? headOf(tokens, at) : undefined;
    if (head === undefined) return [];
    const parameters = tokens.slice(head, Math.min(head + 30, at));
    const isPassed = given?.text === '_' || parameters.some((it) => it.text === given?.text);
    return isPassed ? [tokens[head]?.text ?? ''] : [];
  });
}

/** The name of the function that a place is in: `def run(`, `const run = (cmd) =>`. */
function headOf(tokens: readonly Token[], from: number): number | undefined {
  let arrow = false;
  for (let at = from - 1; at > Math.max(from - FARTHEST_HEAD, 0); at -= 1) {
    const token = tokens[at];
    const isName = tokens[at - 1]?.kind === 'name';
    if (token?.kind === 'name' && isName && DEFINES.has(tokens[at - 1]?.text ?? '')) return at;
    if (isMark(token, '=') && isMark(tokens[at + 1], '>')) arrow = true;
    else if (arrow && isName && isMark(token, '=')) return at - 1;
  }
  return undefined;
}

function startedOtherwise(program: Program, at: number, calls: Calls): readonly Started[] {
  if (program.tokens[at]?.text === 'open' && calls.bare) return openedPipe(program, at);
  return pushedByLibrary(program, at, calls) ?? [];
}

/** `exec("import os; os.system('git push')")` */
export function evaluatedTexts(tokens: readonly Token[], { evaluates }: Calls): readonly string[] {
  const names = words(evaluates);
  return tokens.flatMap((token, at) => {
    const text = tokens[at + 2];
    const isCalled = names.has(token.text) && isMark(tokens[at + 1], '(');
    return isCalled && token.kind === 'name' && text?.kind === 'string' ? [text.text] : [];
  });
}

/**
 * Libraries that use git without a shell: `simpleGit().push()`, `Repo().remotes.origin.push()`,
 * `sh.git.push()`. The words are those of the same use of git.
 */
function pushedByLibrary(
  { tokens }: Program,
  at: number,
  { gitLibraries }: Calls,
): readonly Started[] | undefined {
  const token = tokens[at];
  if (gitLibraries === undefined || token?.text !== 'push') return undefined;
  const isMethod = isMark(tokens[at - 1], '.') && isMark(tokens[at + 1], '(');
  if (!isMethod) return undefined;
  const names = words(gitLibraries);
  return tokens.slice(0, at).some((it) => names.has(it.text))
    ? [['git', 'push', UNKNOWN_WORDS]]
    : undefined;
}

/** Calls and constants that are followed in one program: the work stays proportional to its length. */
const MOST_CALLS = 1_000;

/** The name that a program gives to a function that starts others. */
function otherName(tokens: readonly Token[], at: number): string | undefined {
  const after = tokens[at + 1];
  const renamed = isMark(after, ':') || after?.text === 'as' ? tokens[at + 2] : undefined;
  if (renamed?.kind === 'name') return renamed.text;
  if (isMark(after, '(') || after?.kind === 'string') return undefined;
  // `const run = promisify(cp.exec)`
  for (let back = at - 1; back > Math.max(at - 12, 0); back -= 1) {
    const token = tokens[back];
    if (isMark(token, '=')) return tokens[back - 1]?.text;
    if (isMark(token, ';') || isMark(token, '{') || isMark(token, '}')) return undefined;
  }
  return undefined;
}

/** perl's `open(F, "git push |")` and `open(F, "-|", "git", "push")`. */
function openedPipe(program: Program, at: number): readonly Started[] {
  const from = isMark(program.tokens[at + 1], '(') ? at + 2 : at + 1;
  const texts = textsOf(callArguments(program, from, ')')).map((it) => it.trim());
  const [mode = '', ...rest] = texts;
  if (mode === '-|' || mode === '|-') return rest.length === 1 ? rest : ofWords(rest);
  return texts
    .filter((it) => it.startsWith('|') || it.endsWith('|'))
    .map((it) => it.replace(/^\||\|$/g, ''));
}

function startedBy(program: Program, at: number, calls: Calls): readonly Started[] {
  const { tokens } = program;
  const name = tokens[at]?.text ?? '';
  const next = tokens[at + 1];
  // `cp['exec']('git push')`, `getattr(os, 'system')('git push')`: what is called has this name.
  if (tokens[at]?.kind === 'string') {
    return fromArguments(callArguments(program, at + 3, ')'), name);
  }
  if (isMark(next, '(')) {
    const started = fromArguments(callArguments(program, at + 2, ')'), name);
    // A method of the same name on another object runs nothing, unless it is given a program and
    // its words.
    return startsPrograms(tokens, at, calls) ? started : started.filter(Array.isArray);
  }
  // `$\`git push\`` in JavaScript, `system "git push"` in Ruby and Perl.
  if ((next?.kind !== 'string' && !calls.bare) || !startsPrograms(tokens, at, calls)) return [];
  const args = bareArguments(program, at + 1);
  return args[0] === undefined ? [] : fromArguments(args, name);
}

/** A function that is named by a text, and called. */
function isNamedCall(tokens: readonly Token[], at: number, names: ReadonlySet<string>): boolean {
  const token = tokens[at];
  return (
    token?.kind === 'string' &&
    names.has(token.text) &&
    (isMark(tokens[at + 1], ']') || isMark(tokens[at + 1], ')')) &&
    isMark(tokens[at + 2], '(')
  );
}

function isCall(tokens: readonly Token[], at: number, functions: ReadonlySet<string>): boolean {
  if (!functions.has(tokens[at]?.text ?? '')) return false;
  const previous = tokens[at - 1]?.text;
  return previous !== 'def' && previous !== 'function' && previous !== 'sub';
}

/** Not a method, or a method of one of the objects that start programs. */
function startsPrograms(tokens: readonly Token[], at: number, { methods }: Calls): boolean {
  const name = tokens[at]?.text ?? '';
  const owners = methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!owners || tokens[at - 1]?.text !== '.') return true;
  return words(owners).has(tokens[at - 2]?.text ?? '');
}

/** `name = "text"` or a list: known when a call uses it by name. */
function noteConstant(program: Program, at: number): boolean {
  const { tokens, constants } = program;
  const value = tokens[at + 2];
  const name = tokens[at]?.text ?? '';
  const more = addedToList(program, at);
  if (more) {
    constants.set(name, grown(constants.get(name), more));
    return true;
  }
  if (!isMark(tokens[at + 1], '=') || isMark(value, '=')) return false;
  if (value?.kind === 'name' && !constants.has(value.text)) return false;
  constants.set(name, expression(program, at + 2).value);
  return true;
}

/** `list += ['push']`, `list.append('push')` */
function addedToList(program: Program, at: number): readonly Argument[] | undefined {
  const { tokens } = program;
  if (isMark(tokens[at + 1], '+') && isMark(tokens[at + 2], '=')) {
    return [expression(program, at + 3).value];
  }
  const grows = isMark(tokens[at + 1], '.') && GROWS.has(tokens[at + 2]?.text ?? '');
  return grows && isMark(tokens[at + 3], '(') ? callArguments(program, at + 4, ')') : undefined;
}

/** Methods that add to a list. */
const GROWS = words('append extend push concat');

function grown(before: Argument, more: readonly Argument[]): Argument {
  if (before === undefined) return undefined;
  const texts = more.flatMap((it) => it ?? [UNKNOWN_WORDS]);
  return typeof before === 'string' ? before + texts.join('') : [...before, ...texts];
}

/** What one call may start: a shell text, a program with its words, or both. */
function fromArguments(args: readonly Argument[], call: string): readonly Started[] {
  const [first, second] = args;
  if (first === undefined) {
    const later = args.flatMap((it) => it ?? []);
    // A mode or handles, and then the whole command.
    if (later.length === 1 && later[0]?.includes(' ')) return later;
    // `os.spawnlp(os.P_WAIT, "git", "git", "push")`: a mode stands before the program.
    if (later.length > 1) return ofWords(later);
    return args.length > 0 ? [{ unknownCall: call }] : [];
  }
  if (typeof first === 'object') return [first];
  if (typeof second === 'object') return ofWords([first, ...second]);
  const texts = textsOf(args);
  return texts.length === 1 ? [first] : [first, ...ofWords(texts)];
}

const textsOf = (args: readonly Argument[]): readonly string[] =>
  args.filter((it) => typeof it === 'string');

/** The program may be named twice: once as the file, once as its own first word. */
function ofWords(list: readonly string[]): readonly Started[] {
  const [file = '', own = ''] = list;
  const base = file.slice(file.lastIndexOf('/') + 1);
  return isKnown(own) && (own === file || own === base) ? [list, list.slice(1)] : [list];
}
