/** Programs that run the lines of their input as commands when they are given none. */
import { inside } from '../reader.ts';
import type { Handler } from '../shell/builtins.ts';
import { ShellState } from '../shell/shell-state.ts';
import { runWrapped } from './wrapped.ts';

/** `at now <<< "git push"`: the input is a shell program. */
export const runInput: Handler = (argv, frame, reader) => {
  const name = argv[0] ?? '';
  const within = inside(frame, `input of ${name}`, {
    state: frame.state.copy(),
    stdin: () => [''],
  });
  return frame.stdin().flatMap((text) => reader.script(text, within));
};

/** `ssh host`, `su user`: their arguments if they name a command, else their input. */
export const runOnInput: Handler = (argv, frame, reader) => {
  const name = argv[0] ?? '';
  const output = runWrapped(name, argv, frame, reader);
  if (output) return output;
  const texts = frame.stdin();
  if (texts.every((text) => text === '')) return undefined;
  const within = inside(frame, `input of ${name}`, {
    state: new ShellState([undefined]),
    stdin: () => [''],
  });
  return texts.flatMap((text) => reader.script(text, within));
};
