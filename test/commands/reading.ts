import { dirname } from 'node:path';
import type { Boundary, Finding, Opaque, ReadingContext } from '../../src/commands/finding.ts';
import { recognise } from '../../src/commands/recognise.ts';

export interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A project at `/repo`, the home folder `/home/dev`, and nothing else. */
export function contextOf({ files = {}, env = {}, cwd = '/repo' }: Given = {}): ReadingContext {
  return {
    cwd,
    env: { HOME: '/home/dev', PWD: cwd, ...env },
    readFile: (path) => {
      const name = path.startsWith('/repo/') ? path.slice('/repo/'.length) : path;
      return Object.hasOwn(files, name) ? files[name] : undefined;
    },
    list: (path) => {
      const start = path === '/repo' ? '' : `${path.slice('/repo/'.length)}/`;
      const below = Object.keys(files).filter((it) => it.startsWith(start));
      return [...new Set(below.map((it) => it.slice(start.length).replace(/\/.*$/, '/')))];
    },
    toplevel: (directory) => {
      for (let at = directory; at !== '/'; at = dirname(at)) if (at === '/repo') return at;
      return undefined;
    },
  };
}

export function read(command: string, given?: Given): readonly Finding[] {
  return recognise(command, contextOf(given));
}

export function boundaries(command: string, given?: Given): readonly Boundary[] {
  return read(command, given).filter((it) => it.verdict === 'boundary');
}

export function opaques(command: string, given?: Given): readonly Opaque[] {
  return read(command, given).filter((it) => it.verdict === 'opaque');
}

/** `none < opaque < boundary`: the greatest that was found. */
export function verdict(command: string, given?: Given): 'none' | 'opaque' | 'boundary' {
  const found = read(command, given).map((it) => it.verdict);
  if (found.includes('boundary')) return 'boundary';
  return found.includes('opaque') ? 'opaque' : 'none';
}
