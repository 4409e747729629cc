/** Names that become folders, refs and branches. Everything else that people write is any text. */
import { UsageError } from '../errors.ts';

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const NO_REF = /\.\.|\.lock$|\.$/;

/** @throws {UsageError} if `name` could leave its folder or is no part of a branch's name. */
export function assertName(what: 'lane' | 'run', name: string): void {
  if (NAME.test(name) && !NO_REF.test(name)) return;
  throw new UsageError(`${JSON.stringify(name.slice(0, 80))} cannot name a ${what}`, {
    hint: 'use up to 64 of a-z, 0-9, `-`, `_` and `.`, such as `billing-api`: it becomes a folder and a branch',
  });
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
