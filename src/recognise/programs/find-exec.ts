/** `find … -exec` and `fd -x`: a command that runs for each file found. */
import { inside } from '../reader.ts';
import type { Handler } from '../shell/builtins.ts';
import { UNKNOWN } from '../shell/unknown.ts';

const EXECUTES = new Set(['-exec', '-execdir', '-ok', '-okdir']);
const FD_EXECUTES = new Set(['-x', '--exec', '-X', '--exec-batch']);

export const runFind: Handler = (argv, frame, reader) => {
  const executes = argv[0]?.includes('fd') ? FD_EXECUTES : EXECUTES;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (!executes.has(word)) continue;
    const end = argv.findIndex((it, index) => index > at && (it === ';' || it === '+'));
    const words = argv.slice(at + 1, end < 0 ? argv.length : end);
    const inFolder = word === '-execdir' || word === '-okdir';
    const state = frame.state.copy(inFolder ? [undefined] : undefined);
    reader.command(
      words.map((it) => it.replaceAll('{}', UNKNOWN)),
      inside(frame, `${argv[0]} ${word}`, { state }),
    );
    if (end < 0) break;
    at = end;
  }
  return undefined;
};
