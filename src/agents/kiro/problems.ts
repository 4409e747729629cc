import { lstatSync } from 'node:fs';

export const problems = (_text: string, file: string): readonly string[] =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()
    ? ['it is a link, which Kiro skips']
    : [];
