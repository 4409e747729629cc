import { PassThrough } from 'node:stream';
import type { Host } from '../../src/fronts/cli/command.ts';

/** Streams that are buffers: what the program says can be read from `said`. */
export function bufferedHost(argv: readonly string[], changes: Partial<Host> = {}) {
  const said = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof said) =>
    new PassThrough().on('data', (chunk) => {
      said[name] += chunk;
    });
  const host: Host = {
    argv,
    env: {},
    cwd: () => '/',
    program: 'lanehold',
    parents: () => [],
    now: () => new Date('2026-01-02T03:04:05Z'),
    streams: { stdin: new PassThrough(), stdout: collect('stdout'), stderr: collect('stderr') },
    ...changes,
  };
  return { host, said };
}
