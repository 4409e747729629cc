import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { projectPlace } from '../../../src/base/git/project.ts';
import { type Sandbox, sandbox } from '../../support/sandbox.ts';

function repository(box: Sandbox, name = 'repo'): string {
  const repo = box.repo(name);
  box.write(`${repo}/src/deep/a.txt`, 'a\n');
  box.commit(repo);
  return repo;
}

const ODD_NAMES = [
  'two words',
  "it's",
  'a "quote"',
  'new\nline',
  'tab\t',
  'back\\slash',
  '-dash',
  'žluťoučký 日本 🙂',
  ' spaces ',
  '$HOME `x`',
];

describe.each(['repo', ...ODD_NAMES])('a repository named %j', (name) => {
  test('is one project with its subfolders, files, worktrees and links to it', () => {
    const box = sandbox();
    const repo = repository(box, name);
    const identity = join(repo, '.git');
    const place = { identity, root: repo, kind: 'git', gitDir: identity };
    for (const path of ['', 'src', 'src/deep', 'src/deep/a.txt', 'src/../src']) {
      expect(projectPlace(join(repo, path))).toEqual(place);
    }
    symlinkSync(repo, join(box.root, 'link'));
    symlinkSync(join(repo, 'src'), join(box.root, 'link-inside'));
    expect(projectPlace(join(box.root, 'link/src'))).toEqual(place);
    expect(projectPlace(join(box.root, 'link-inside'))).toEqual(place);

    const linked = join(box.root, `${name} linked`);
    box.git(repo, 'worktree', 'add', '--quiet', '-b', 'linked', linked);
    expect(projectPlace(join(linked, 'src'))).toMatchObject({ identity, root: linked });
    expect(projectPlace(linked).gitDir).toBe(
      box.git(linked, 'rev-parse', '--path-format=absolute', '--git-dir'),
    );
    expect(identity).toBe(
      box.git(linked, 'rev-parse', '--path-format=absolute', '--git-common-dir'),
    );
  });

  test('keeps a nested repository and a submodule apart', () => {
    const box = sandbox();
    const outer = repository(box, name);
    const nested = repository(box, `${name}/src/nested`);
    expect(projectPlace(join(nested, 'src')).identity).toBe(join(nested, '.git'));

    const library = repository(box, 'library');
    box.git(outer, 'submodule', '--quiet', 'add', library, 'vendor/lib');
    const submodule = projectPlace(join(outer, 'vendor/lib/src'));
    expect(submodule).toMatchObject({ root: join(outer, 'vendor/lib'), kind: 'git' });
    expect(submodule.identity).toBe(join(outer, '.git/modules/vendor/lib'));
  });
});

test('a worktree of a submodule is the submodule', () => {
  const box = sandbox();
  const outer = repository(box);
  box.git(outer, 'submodule', '--quiet', 'add', repository(box, 'library'), 'lib');
  box.git(join(outer, 'lib'), 'worktree', 'add', '--quiet', join(box.root, 'linked'));
  expect(projectPlace(join(box.root, 'linked')).identity).toBe(
    projectPlace(`${outer}/lib`).identity,
  );
});

test('a clone is another project', () => {
  const box = sandbox();
  const repo = repository(box);
  box.git('.', 'clone', '--quiet', repo, 'clone');
  expect(projectPlace(join(box.root, 'clone')).identity).not.toBe(projectPlace(repo).identity);
});

test('a git directory that lies elsewhere is found by the path in .git, relative or not', () => {
  const box = sandbox();
  const repo = repository(box);
  renameSync(join(repo, '.git'), join(box.root, 'elsewhere'));
  const place = { identity: join(box.root, 'elsewhere'), root: repo, kind: 'git' };
  for (const path of ['../elsewhere', join(box.root, 'elsewhere'), '../elsewhere/']) {
    box.write('repo/.git', `gitdir: ${path}\n`);
    expect(projectPlace(join(repo, 'src'))).toMatchObject(place);
  }
});

test('a link in the place of .git is followed', () => {
  const box = sandbox();
  const repo = repository(box);
  renameSync(join(repo, '.git'), join(box.root, 'elsewhere'));
  symlinkSync('../elsewhere', join(repo, '.git'));
  expect(projectPlace(repo)).toMatchObject({ identity: join(box.root, 'elsewhere'), root: repo });
});

test('a worktree with relative paths is the same project', () => {
  const box = sandbox();
  const repo = repository(box);
  const linked = join(box.root, 'linked');
  box.git(repo, 'worktree', 'add', '--quiet', '-b', 'linked', linked);
  box.write('linked/.git', 'gitdir: ../repo/.git/worktrees/linked\n');
  expect(projectPlace(linked)).toMatchObject({ identity: join(repo, '.git'), root: linked });
});

test('a bare repository is its own project, its worktrees belong to it', () => {
  const box = sandbox();
  repository(box);
  box.git('.', 'clone', '--quiet', '--bare', 'repo', 'bare.git');
  const bare = join(box.root, 'bare.git');
  const place = { identity: bare, root: bare, kind: 'bare', gitDir: bare };
  expect(projectPlace(bare)).toEqual(place);
  expect(projectPlace(join(bare, 'refs'))).toEqual(place);
  box.git(bare, 'worktree', 'add', '--quiet', join(box.root, 'linked'), 'main');
  expect(projectPlace(join(box.root, 'linked'))).toMatchObject({ identity: bare, kind: 'git' });
});

test('inside of .git is inside of the project', () => {
  const box = sandbox();
  const repo = repository(box);
  expect(projectPlace(join(repo, '.git/refs')).identity).toBe(projectPlace(repo).identity);
});

describe('without git', () => {
  test('a folder is a project of its own', () => {
    const box = sandbox();
    mkdirSync(join(box.root, 'plain/sub'), { recursive: true });
    for (const folder of ['plain', 'plain/sub', '.']) {
      const root = join(box.root, folder);
      expect(projectPlace(root)).toEqual({
        identity: root,
        root,
        kind: 'folder',
        gitDir: undefined,
      });
    }
    expect(projectPlace('/tmp').root).toBe(realpathSync('/tmp'));
    expect(projectPlace('/').root).toBe('/');
  });

  test('lanehold.json makes a folder the root of those below, the nearest one wins', async () => {
    const box = sandbox();
    box.write('plain/lanehold.json', '{}');
    box.write('plain/sub/deep/a.txt', '');
    const plain = join(box.root, 'plain');
    expect(projectPlace(join(plain, 'sub/deep'))).toMatchObject({ root: plain, kind: 'folder' });
    box.write('plain/sub/lanehold.json', '{}');
    // It is looked at once in a turn of the event loop.
    await setImmediate();
    expect(projectPlace(join(plain, 'sub/deep')).root).toBe(join(plain, 'sub'));
  });

  test('lanehold.json in a subfolder of a repository makes no project', () => {
    const box = sandbox();
    const repo = repository(box);
    box.write('repo/src/lanehold.json', '{}');
    expect(projectPlace(join(repo, 'src/deep')).root).toBe(repo);
  });

  test.each(['', 'not a git directory', 'gitdir: '])(
    'a .git file with %j is no repository',
    (text) => {
      const box = sandbox();
      box.write('plain/.git', text);
      const root = join(box.root, 'plain');
      // What git itself takes for a broken repository may stay one: it is never the one around it.
      expect(projectPlace(root).root).toBe(root);
    },
  );

  test('an empty .git folder is no repository', () => {
    const box = sandbox();
    const repo = repository(box);
    mkdirSync(join(repo, 'src/.git'));
    expect(projectPlace(join(repo, 'src')).root).toBe(repo);
    expect(box.git(join(repo, 'src'), 'rev-parse', '--show-toplevel')).toBe(repo);
  });
});

test('a worktree whose repository is gone is still told apart from the folder around it', async () => {
  const box = sandbox();
  const repo = repository(box);
  const linked = join(box.root, 'linked');
  box.git(repo, 'worktree', 'add', '--quiet', '-b', 'linked', linked);
  rmSync(repo, { recursive: true });
  expect(projectPlace(linked)).toMatchObject({ root: linked, kind: 'git' });
  const pending = await box.cli(linked, 'feature', 'pending');
  expect(pending).toMatchObject({ exitCode: 1, stdout: '' });
  expect(pending.stderr).toMatch(/^error: .*not a git repository.*\nhint: .+\n$/);
});

test.each(['nowhere', 'nowhere/deeper', 'link', 'loop'])('%s is no folder', (name) => {
  const box = sandbox();
  symlinkSync('nowhere', join(box.root, 'link'));
  symlinkSync('loop', join(box.root, 'loop'));
  expect(() => projectPlace(join(box.root, name))).toThrow(`there is no folder ${box.root}`);
});
