/** Names of runs and lanes. They become folders, refs and branches, so their form is limited. */
import { UsageError } from '../errors.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NO_REF = /\.\.|\.lock$|\.$/;

/** A lane of this name would collide with a ref of the run. */
const TAKEN: ReadonlySet<string> = new Set(['integration']);

/** @throws {UsageError} if `name` is unsafe as a folder, or not valid in a branch's name. */
export function assertName(what: 'lane' | 'run', name: string): void {
  if (what === 'lane' && TAKEN.has(name)) {
    throw new UsageError(`no lane can be named ${name}: the run uses a ref of that name`, {
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

/** Derives a name from the first words of a goal. */
export function nameFrom(goal: string): string {
  const words = goal
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const name = (words ?? []).slice(0, 4).join('-').slice(0, 40).replace(/-+$/, '');
  return name === '' ? 'run' : name;
}
