/** Which part of the working tree a command sends, where its words say so. */
import { existsSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Git } from '../git/git.ts';
import type { Boundary } from '../recognise/finding.ts';

/** Files and folders, relative to the root; `undefined`: it may send all of it. */
export async function leavingPaths(
  boundary: Boundary,
  git: Git,
  root: string,
): Promise<readonly string[] | undefined> {
  const { directory, argv, kind, rule } = boundary;
  if (directory === undefined || argv.includes(undefined)) return undefined;
  const named = { ...boundary, directory };
  if (kind === 'publish') return publishedPackage(named, root);
  return COPIES.has(rule) ? copiedPaths(named, git, root) : undefined;
}

type Placed = Boundary & { readonly directory: string };

const MANIFESTS = [
  ...['package.json', 'Cargo.toml', 'pyproject.toml', 'setup.py', 'pubspec.yaml', 'mix.exs'],
  ...['composer.json', 'jsr.json', 'deno.json'],
];
/** Options by which another package is published, or several. */
const NAMES_OTHERS =
  /prefix|manifest|workspace|filter|package|project|dir|folder|cwd|path|recursive|all|^-[A-Za-z]/;

function publishedPackage({ directory, argv, operands }: Placed, root: string) {
  const folder = below(root, directory);
  if (folder === undefined || operands.length > 0) return undefined;
  const isPackage = MANIFESTS.some((name) => existsSync(join(directory, name)));
  return isPackage && !argv.some((it) => NAMES_OTHERS.test(it ?? '')) ? [folder] : undefined;
}

/** Rules of commands whose words are what is copied, and last where to. */
const COPIES = new Set([
  ...['scp to a host', 'rsync to a host', 'kubectl cp', 'rclone copy', 'rclone sync'],
  ...['aws s3 sync', 'gsutil cp', 'gsutil rsync', 'gcloud storage'],
]);

/** What git ignores was built by something else, and what lies elsewhere may have been. */
async function copiedPaths({ directory, argv, operands }: Placed, git: Git, root: string) {
  // The names come from a list.
  if (argv.some((it) => /from|^-I$/.test(it ?? ''))) return undefined;
  const paths = operands.slice(0, -1).map((it) => below(root, resolve(directory, it ?? '')));
  const known = paths.filter((it) => it !== undefined);
  const isThere = known.every((it) => existsSync(join(root, it)));
  if (known.length === 0 || known.length < paths.length || !isThere) return undefined;
  const ignored = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  return (await git.text([...ignored, '--', ...known.map((it) => `:(top,literal)${it}`)])) === ''
    ? known
    : undefined;
}

function below(root: string, path: string): string | undefined {
  const inside = relative(root, path);
  return inside === '' || inside.startsWith('..') || isAbsolute(inside) ? undefined : inside;
}
