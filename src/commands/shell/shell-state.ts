/**
 * The known state of one shell process: variables, functions, aliases, working directory. A
 * subshell works on a copy; after a branch, the state allows both outcomes.
 */
import type { Function as FunctionNode } from 'unbash';
import { LIMITS } from '../limits.ts';
import { either, UNKNOWN_ARRAY, UNKNOWN_VALUE, type Value } from './unknown.ts';

export type Directory = string | undefined;

export interface ShellFunction {
  readonly body: FunctionNode['body'];
  /** The value of `BASH_SOURCE` at its definition. */
  readonly source: Value | undefined;
}

export class ShellState {
  variables = new Map<string, Value>();
  functions = new Map<string, ShellFunction>();
  aliases = new Map<string, string>();
  /** `$1`, `$2`, …; `$0` is among the variables. */
  parameters: Value = UNKNOWN_ARRAY;
  /** Possible working directories: several after a `cd` that may not have run. */
  directories: readonly Directory[];
  previous: readonly Directory[] = [undefined];
  stack: (readonly Directory[])[] = [];
  /** Names that stand for other variables: `declare -n name=other`. */
  references = new Map<string, string>();
  /** Files that `exec` has connected to descriptors for all that follows. */
  inputs = new Map<number, () => readonly string[]>();
  outputs = new Map<number, readonly string[]>();
  /** Why the rest of the list is not reached; `loop`: after `break` or `continue`. */
  ended: 'exit' | 'return' | 'loop' | undefined;
  /** The text is that of a function or a sourced file: nothing else can `return`. */
  mayReturn = false;
  /** An unreadable text was run in it, and may have set any variable. */
  hasUnknownVariables = false;
  /** The text is that of a loop, which `break` and `continue` end. */
  inLoop = false;

  constructor(directories: readonly Directory[]) {
    this.directories = directories;
  }

  copy(directories = this.directories): ShellState {
    return Object.assign(new ShellState(directories), this, {
      directories,
      variables: new Map(this.variables),
      functions: new Map(this.functions),
      aliases: new Map(this.aliases),
      stack: [...this.stack],
      references: new Map(this.references),
      inputs: new Map(this.inputs),
      outputs: new Map(this.outputs),
      ended: undefined,
    });
  }

  nameOf(name: string): string {
    let target = name;
    for (let count = 0; count < MOST_REFERENCES; count += 1) {
      target = this.references.get(target) ?? target;
    }
    return target;
  }

  /** A new shell process: it has no aliases, and is in no function or loop of this one. */
  forProcess(): ShellState {
    return Object.assign(this.copy(), { aliases: new Map(), mayReturn: false, inLoop: false });
  }

  /** The name of the script that is read: `$0`, and the first of `BASH_SOURCE`. */
  readsScript(name: string): void {
    this.variables.set('0', [[name]]).set('BASH_SOURCE', [[name]]);
  }

  become(other: ShellState): void {
    Object.assign(this, other);
  }

  /** Merges another outcome: afterwards either this state or the other applies. */
  join(other: ShellState): void {
    if (other.ended) return;
    if (this.ended) {
      this.become(other);
      return;
    }
    for (const [name, value] of other.variables) {
      const mine = this.variables.get(name);
      if (mine !== value) this.variables.set(name, either(mine ?? UNKNOWN_VALUE, value));
    }
    for (const [name, value] of this.variables) {
      if (!other.variables.has(name)) this.variables.set(name, either(value, UNKNOWN_VALUE));
    }
    for (const [name, body] of other.functions) this.functions.set(name, body);
    for (const [name, text] of other.aliases) this.aliases.set(name, text);
    for (const [name, target] of other.references) this.references.set(name, target);
    for (const [number, texts] of other.inputs) this.inputs.set(number, texts);
    for (const [number, paths] of other.outputs) this.outputs.set(number, paths);
    this.hasUnknownVariables ||= other.hasUnknownVariables;
    this.parameters = either(this.parameters, other.parameters);
    this.directories = union(this.directories, other.directories);
    this.previous = union(this.previous, other.previous);
  }

  /** True if no difference could affect a later command. */
  equals(other: ShellState): boolean {
    if (this.hasUnknownVariables !== other.hasUnknownVariables) return false;
    if (this.directories.join('\0') !== other.directories.join('\0')) return false;
    if (this.variables.size !== other.variables.size) return false;
    if (this.functions.size !== other.functions.size) return false;
    for (const [name, value] of this.variables) {
      const theirs = other.variables.get(name);
      if (theirs !== value && !sameValue(theirs, value)) return false;
    }
    return true;
  }
}

const MOST_REFERENCES = 8;

export function union(a: readonly Directory[], b: readonly Directory[]): readonly Directory[] {
  if (a === b) return a;
  const all = [...new Set([...a, ...b])];
  return all.length > LIMITS.alternatives ? [undefined] : all;
}

function sameValue(a: Value | undefined, b: Value): boolean {
  return a?.length === b.length && a.every((list, at) => list.join('\0') === b[at]?.join('\0'));
}
