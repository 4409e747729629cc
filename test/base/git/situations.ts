/** States that a working tree can be in: changed, staged, deleted, filtered, odd. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Sandbox } from '../../support/sandbox.ts';

/** A repository with a commit of a few files. */
export function started(box: Sandbox, ...initArgs: readonly string[]): string {
  const repo = box.repo('repo', ...initArgs);
  for (const name of ['a', 'b', 'src/c', 'src/deep/d']) box.write(`repo/${name}.txt`, `${name}\n`);
  symlinkSync('a.txt', join(repo, 'link'));
  box.write('repo/run.sh', '#!/bin/sh\n');
  chmodSync(join(repo, 'run.sh'), 0o755);
  box.commit(repo);
  return repo;
}

type Arrange = (box: Sandbox, repo: string) => void;

export const ODD_NAMES = [
  'two words',
  "it's",
  'a "quote"',
  'new\nline',
  'tab\there',
  'back\\slash',
  'return\r',
  '-dash',
  '--',
  ':colon',
  ':(glob)*',
  '*',
  '[a]',
  'žluťoučký',
  '日本/語',
  'emoji 🙂',
  ' leading and trailing ',
  '"',
  '#hash',
  '!bang',
];

export const SITUATIONS: Record<string, Arrange> = {
  nothing: () => undefined,
  'a modified file': (box) => box.write('repo/a.txt', 'other\n'),
  'a modified file of the same size': (box) => box.write('repo/a.txt', 'A\n'),
  'a staged file': (box, repo) => {
    box.write('repo/a.txt', 'other\n');
    box.git(repo, 'add', 'a.txt');
  },
  'a staged file that was modified again': (box, repo) => {
    box.write('repo/a.txt', 'other\n');
    box.git(repo, 'add', 'a.txt');
    box.write('repo/a.txt', 'third\n');
  },
  'a staged file that is gone': (box, repo) => {
    box.write('repo/new.txt', 'new\n');
    box.git(repo, 'add', 'new.txt');
    unlinkSync(join(repo, 'new.txt'));
  },
  'a staged change that was undone by hand': (box, repo) => {
    box.write('repo/a.txt', 'other\n');
    box.git(repo, 'add', 'a.txt');
    box.write('repo/a.txt', 'a\n');
  },
  'a deleted file': (_, repo) => unlinkSync(join(repo, 'a.txt')),
  'a deletion that is staged': (box, repo) => box.git(repo, 'rm', '--quiet', 'a.txt'),
  'a deletion that is staged while the file stays': (box, repo) =>
    box.git(repo, 'rm', '--quiet', '--cached', 'a.txt'),
  'a deleted folder': (_, repo) => rmSync(join(repo, 'src'), { recursive: true }),
  'a file renamed by git': (box, repo) => box.git(repo, 'mv', 'a.txt', 'z.txt'),
  'a file renamed by hand': (_, repo) => renameSync(join(repo, 'a.txt'), join(repo, 'z.txt')),
  'a name that differs in case': (_, repo) => renameSync(join(repo, 'a.txt'), join(repo, 'A.txt')),
  'an untracked file': (box) => box.write('repo/new/deep/file.txt', 'new\n'),
  'an untracked program': (box) => chmodSync(box.write('repo/new.sh', '#!/bin/sh\n'), 0o755),
  'an empty file': (box) => box.write('repo/empty', ''),
  'an empty folder': (_, repo) => mkdirSync(join(repo, 'nothing')),
  'ignored files': (box) => {
    box.write('repo/.gitignore', 'dist/\n*.log\n!keep.log\n');
    for (const name of ['dist/x', 'a.log', 'keep.log', 'src/b.log']) box.write(`repo/${name}`, 'x');
  },
  'a tracked file that is ignored': (box) => {
    box.write('repo/.gitignore', 'a.txt\n');
    box.write('repo/a.txt', 'other\n');
  },
  'files that only this clone ignores': (box, repo) => {
    box.write('repo/.git/info/exclude', 'private\n');
    box.write('repo/private', 'x');
    box.write('repo/public', join(repo, 'x'));
  },
  'a file that became a program': (_, repo) => chmodSync(join(repo, 'a.txt'), 0o755),
  'a program that became a file': (_, repo) => chmodSync(join(repo, 'run.sh'), 0o644),
  'a mode that git is told to overlook': (box, repo) => {
    box.git(repo, 'config', 'core.fileMode', 'false');
    chmodSync(join(repo, 'a.txt'), 0o755);
    chmodSync(box.write('repo/new.sh', '#!/bin/sh\n'), 0o755);
  },
  'a link to elsewhere': (_, repo) => {
    unlinkSync(join(repo, 'link'));
    symlinkSync('src/deep', join(repo, 'link'));
  },
  'untracked links': (_, repo) => {
    symlinkSync('nowhere', join(repo, 'dangling'));
    symlinkSync('src', join(repo, 'to-folder'));
    symlinkSync('žluť 🙂', join(repo, 'to-other-letters'));
    symlinkSync(Buffer.from([0x61, 0xff, 0xfe]), join(repo, 'to-no-letters'));
  },
  'a file that became a link': (_, repo) => {
    unlinkSync(join(repo, 'a.txt'));
    symlinkSync('b.txt', join(repo, 'a.txt'));
  },
  'a link that became a file': (box, repo) => {
    unlinkSync(join(repo, 'link'));
    box.write('repo/link', 'a.txt');
  },
  'a link in a repository without links': (box, repo) => {
    box.git(repo, 'config', 'core.symlinks', 'false');
    unlinkSync(join(repo, 'link'));
    box.write('repo/link', 'b.txt');
  },
  'a folder that became a link': (_, repo) => {
    renameSync(join(repo, 'src'), join(repo, 'lib'));
    symlinkSync('lib', join(repo, 'src'));
  },
  'a file that became a folder': (box, repo) => {
    unlinkSync(join(repo, 'a.txt'));
    box.write('repo/a.txt/inside', 'x\n');
  },
  'a folder that became a file': (box, repo) => {
    rmSync(join(repo, 'src'), { recursive: true });
    box.write('repo/src', 'x\n');
  },
  'a pipe, of which git knows nothing': (_, repo) => {
    makePipe(join(repo, 'src/new-pipe'));
  },
  'files that are only announced': (box, repo) => {
    box.write('repo/new.txt', 'new\n');
    box.write('repo/empty.txt', '');
    box.write('repo/staged-empty.txt', '');
    box.git(repo, 'add', '--intent-to-add', 'new.txt', 'empty.txt');
    box.git(repo, 'add', 'staged-empty.txt');
  },
  'odd names, untracked': (box) => {
    for (const name of ODD_NAMES) box.write(`repo/${name}`, name);
  },
  'odd names, modified': (box, repo) => {
    for (const name of ODD_NAMES) box.write(`repo/${name}`, name);
    box.commit(repo);
    for (const name of ODD_NAMES) box.write(`repo/${name}`, `${name} more`);
  },
  'line ends of another system, by setting': (box, repo) => {
    box.write('repo/kept.txt', 'one\r\ntwo\r\n');
    box.write('repo/mixed.txt', 'one\r\ntwo\n');
    box.commit(repo);
    box.git(repo, 'config', 'core.autocrlf', 'true');
    box.write('repo/a.txt', 'a\r\nmore\r\n');
    box.write('repo/new.txt', 'new\r\nmore\r\n');
    box.write('repo/kept.txt', 'one\r\ntwo\r\nthree\r\n');
    box.write('repo/mixed.txt', 'one\r\ntwo\nthree\r\n');
    box.write('repo/binary', Buffer.from('a\r\n\0b\r\n'));
  },
  'line ends of another system, by attribute': (box, repo) => {
    box.write('repo/kept.txt', 'one\r\ntwo\r\n');
    box.write('repo/forced.md', 'one\r\ntwo\r\n');
    box.commit(repo);
    box.write('repo/.gitattributes', '* text=auto\n*.md text\n*.bat eol=crlf\n*.raw -text\n');
    box.write('repo/a.txt', 'a\r\nmore\r\n');
    box.write('repo/kept.txt', 'one\r\ntwo\r\nthree\r\n');
    box.write('repo/forced.md', 'one\r\ntwo\r\nthree\r\n');
    box.write('repo/new.bat', 'one\r\n');
    box.write('repo/new.raw', 'one\r\n');
  },
  'a clean filter': (box, repo) => {
    box.git(repo, 'config', 'filter.shout.clean', 'tr a-z A-Z');
    box.git(repo, 'config', 'filter.shout.smudge', 'cat');
    box.write('repo/.gitattributes', '*.loud filter=shout\nodd* filter=shout\n');
    box.write('repo/new.loud', 'whisper\n');
    box.write('repo/odd "name"\n', 'whisper\n');
    box.write('repo/plain.txt', 'whisper\n');
  },
  'an encoding and an ident': (box) => {
    box.write('repo/.gitattributes', '*.u16 working-tree-encoding=UTF-16LE\n*.id ident\n');
    box.write('repo/new.u16', Buffer.from('text\n', 'utf16le'));
    box.write('repo/new.id', '$Id: 0123456789 $\n');
  },
  'a conflict': (box, repo) => {
    for (const [branch, text] of [
      ['one', '1\n'],
      ['two', '2\n'],
    ] as const) {
      box.git(repo, 'checkout', '--quiet', '-b', branch, 'main');
      box.write('repo/a.txt', text);
      if (branch === 'one') unlinkSync(join(repo, 'b.txt'));
      else box.write('repo/b.txt', 'kept\n');
      box.write('repo/both.txt', text);
      box.commit(repo);
    }
    expect(() => box.git(repo, 'merge', '--quiet', 'one')).toThrow();
  },
  'a submodule at another commit': (box, repo) => {
    const sub = withSubmodule(box, repo);
    box.write(`${sub}/lib.txt`, 'two\n');
    box.commit(sub);
  },
  'a submodule at another commit that is staged': (box, repo) => {
    const sub = withSubmodule(box, repo);
    box.write(`${sub}/lib.txt`, 'two\n');
    box.commit(sub);
    box.git(repo, 'add', 'vendor/lib');
  },
  'a submodule that status is told to overlook': (box, repo) => {
    const sub = withSubmodule(box, repo);
    box.git(repo, 'config', 'diff.ignoreSubmodules', 'all');
    box.write(`${sub}/lib.txt`, 'two\n');
    box.commit(sub);
  },
  'a submodule that is not checked out': (box, repo) => {
    withSubmodule(box, repo);
    box.git(repo, 'submodule', '--quiet', 'deinit', '--force', 'vendor/lib');
  },
  'a submodule that is gone': (box, repo) => {
    withSubmodule(box, repo);
    box.git(repo, 'rm', '--quiet', 'vendor/lib');
  },
  'a submodule that became files': (box, repo) => {
    const sub = withSubmodule(box, repo);
    rmSync(sub, { recursive: true });
    box.write('repo/vendor/lib', 'x\n');
  },
  'a sparse checkout': (box, repo) => {
    box.git(repo, 'sparse-checkout', 'set', 'src/deep');
    box.write('repo/src/deep/d.txt', 'other\n');
  },
  'a sparse checkout with a sparse index': (box, repo) => {
    box.write('repo/far/away/x.txt', 'x\n');
    box.commit(repo);
    box.git(repo, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'src/deep');
    box.write('repo/src/deep/d.txt', 'other\n');
  },
};

export function makePipe(path: string): void {
  execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', path]);
}

export function withSubmodule(box: Sandbox, repo: string): string {
  const library = box.repo('library');
  box.write('library/lib.txt', 'one\n');
  box.commit(library);
  box.git(repo, 'submodule', '--quiet', 'add', library, 'vendor/lib');
  box.commit(repo);
  return join(repo, 'vendor/lib');
}
