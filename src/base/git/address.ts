/** Addresses of repositories, which have many spellings. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import { attempt } from '../errors.ts';

const DEFAULT_PORTS = /^(?<host>[^/:]*):(?:22|80|443|9418)(?=\/|$)/;

/**
 * A single spelling for all addresses of a repository: without protocol, user, password and `.git`.
 * Paths of this machine begin with `/`.
 *
 * @param directory the folder of a relative path.
 */
export function plainAddress(address: string, directory: string): string {
  const [, scheme, rest = ''] = /^(?:\w+::)?([a-z][a-z0-9+-]*):\/\/([^?#]*)/i.exec(address) ?? [];
  if (scheme !== undefined && scheme.toLowerCase() !== 'file') return onHost(rest);
  // Git takes a colon for the end of a host unless a slash comes before it.
  const [, host, path = ''] =
    scheme === undefined ? (/^([^/]+?):(?!:)(.*)$/s.exec(address) ?? []) : [];
  if (host !== undefined) return onHost(`${host}/${path}`);
  const file = resolve(directory, scheme === undefined ? address : decoded(rest));
  const found = [`${file}/.git`, file, `${file}.git`].find((it) => existsSync(it)) ?? file;
  return attempt(() => realpathSync.native(found)) ?? found;
}

function onHost(text: string): string {
  const [authority = '', ...path] = text.replace(/\/*(?:\.git)?\/*$/, '').split('/');
  const host = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  return [host, ...path.filter((it) => it !== '')].join('/').replace(DEFAULT_PORTS, '$<host>');
}

const decoded = (path: string): string => attempt(() => decodeURIComponent(path)) ?? path;
