/** Programs whose own language can contain a shell command. */
import { inside } from '../reader.ts';
import type { Handler } from '../shell/builtins.ts';

/** `vim -c '!git push'` and `vim '+!git push'`. */
export const runEditor: Handler = (argv, frame, reader) => {
  for (const [at, word] of argv.entries()) {
    const given = word === '-c' || word === '--cmd' ? argv[at + 1] : undefined;
    const text = given ?? (word.startsWith('+') ? word.slice(1) : '');
    const bang = /^:?\s*(?:\w*\s)?!(.*)$/s.exec(text)?.[1];
    if (bang) reader.script(bang, inside(frame, argv[0] ?? ''));
  }
  return undefined;
};

/** `expect -c 'spawn git push'`, and the same on its input. */
export const runExpect: Handler = (argv, frame, reader) => {
  const at = argv.indexOf('-c');
  const programs = at > 0 ? [argv[at + 1] ?? ''] : frame.stdin();
  for (const line of programs.flatMap((it) => it.split(/[\n;]/))) {
    const command = /^\s*(?:spawn|exec|system)\s+(.*)$/.exec(line)?.[1];
    if (command) reader.script(command, inside(frame, 'expect'));
  }
  return undefined;
};
