/** Names that become folders, refs and branches. Everything else that people write is any text. */
import { UsageError } from '../errors.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NO_REF = /\.\.|\.lock$|\.$/;

/** Refs of a run that stand where those of a lane of this name would. */
const TAKEN: ReadonlySet<string> = new Set(['integration']);

/** @throws {UsageError} if `name` could leave its folder or is no part of a branch's name. */
export function assertName(what: 'lane' | 'run', name: string): void {
  if (what === 'lane' && TAKEN.has(name)) {
    throw new UsageError(`no lane can be named ${name}: the run keeps its own under that name`, {
      hint: 'say what the lane does, such as `merge-apis`',
    });
  }
  if (isName(name)) return;
  throw new UsageError(`${JSON.stringify(name.slice(0, 80))} cannot name a ${what}`, {
    hint: 'use up to 64 of a-z, 0-9, `-`, `_` and `.`, such as `billing-api`: it becomes a folder and a branch',
  });
}

export function isName(name: string): boolean {
  return NAME.test(name) && !NO_REF.test(name);
}

/** A name made of a goal: its first words. */
export function nameFrom(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const name = (words ?? []).slice(0, 4).join('-').slice(0, 40).replace(/-+$/, '');
  return name === '' ? 'run' : name;
}
