import { printableLine } from './printable.ts';

/** A branch, a tag or a commit as people name it. */
export function shortRef(ref: string): string {
  const name = ref.replace(/^refs\/(?:heads|tags)\//, '');
  return printableLine(/^[0-9a-f]{40,64}$/.test(name) ? name.slice(0, 12) : name, 80);
}
