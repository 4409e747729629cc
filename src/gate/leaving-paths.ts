/** The part of the working tree that a command sends, if its words say so. */
import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isInside } from '../base/files/inside.ts';
import type { Git } from '../base/git/git.ts';
import { grammarOf, readUse } from '../base/text/options.ts';
import type { Boundary } from '../commands/finding.ts';

/** The files and folders, relative to the root; `undefined`: the command may send everything. */
export async function leavingPaths(
  boundary: Boundary,
  git: Git,
  root: string,
): Promise<readonly string[] | undefined> {
  const { directory, argv, kind, rule } = boundary;
  if (directory === undefined || argv.includes(undefined)) return undefined;
  const placed = { ...boundary, directory };
  if (kind === 'publish') return publishedPackage(placed, root);
  const wish = NAMED.get(rule);
  return wish && namedPaths(placed, wish, git, root);
}

type Placed = Boundary & { readonly directory: string };

export const MANIFESTS =
  'package.json Cargo.toml pyproject.toml setup.py pubspec.yaml mix.exs composer.json jsr.json deno.json'.split(
    ' ',
  );
/** Options that publish another package, or several. */
const NAMES_OTHERS =
  /prefix|manifest|workspace|filter|package|project|dir|folder|cwd|path|recursive|all|^-[A-Za-z]/;

function publishedPackage({ directory, argv, operands }: Placed, root: string) {
  const folder = below(root, directory);
  if (folder === undefined || operands.length > 0) return undefined;
  const isPackage = MANIFESTS.some((name) => existsSync(join(directory, name)));
  return isPackage && !argv.some((it) => NAMES_OTHERS.test(it ?? '')) ? [folder] : undefined;
}

/** Rules of commands whose words name what they send. */
interface NamedPaths {
  /** `sources`: all operands but the last. */
  readonly operands?: 'sources' | 'first';
  /** Options whose values are paths. */
  readonly options?: string;
  /** Words with which more is sent than the named files. */
  readonly unless?: RegExp;
}

/** The names may also come from a list. */
const COPY: NamedPaths = { operands: 'sources', unless: /from|^-I$/ };
const NAMED = new Map<string, NamedPaths>([
  ['scp to a host', COPY],
  ['rsync to a host', COPY],
  ['kubectl cp', COPY],
  ['rclone copy', COPY],
  ['rclone sync', COPY],
  ['aws s3 sync', COPY],
  ['gsutil cp', COPY],
  ['gsutil rsync', COPY],
  ['gcloud storage', COPY],
  ['kubectl apply', { options: '-f --filename', unless: /^(?:-k|--kustomize|--prune)/ }],
  ['docker buildx build --push', { operands: 'first', unless: /^(?:-f|--file|--build-context)/ }],
  ['wrangler pages deploy', { operands: 'first' }],
  ['vercel deploy', { operands: 'first', unless: /^--cwd/ }],
  ['surge', { operands: 'first' }],
  ['gh-pages', { options: '-d --dist' }],
  ['gcloud run deploy', { options: '--source' }],
]);

/**
 * The named paths, if git tracks their files. Ignored files were built from others, and files
 * elsewhere may have been: then everything may be sent.
 */
async function namedPaths(
  { directory, argv, operands }: Placed,
  { operands: which, options, unless }: NamedPaths,
  git: Git,
  root: string,
) {
  if (unless !== undefined && argv.some((it) => unless.test(it ?? ''))) return undefined;
  const use = readUse(argv, 1, grammarOf(options === undefined ? {} : { values: options }));
  const given = [
    ...(options === undefined ? [] : use.values(...options.split(' '))),
    ...(which === undefined ? [] : operands.slice(0, which === 'first' ? 1 : -1)),
  ];
  const paths = given.map((it) => below(root, resolve(directory, it ?? '')));
  const known = paths.filter((it) => it !== undefined);
  const isThere = known.every((it) => existsSync(join(root, it)));
  if (known.length === 0 || known.length < paths.length || !isThere) return undefined;
  const ignored = ['ls-files', '--others', '--ignored', '--exclude-standard', '--directory', '-z'];
  const built = await git.text([...ignored, '--', ...known.map((it) => `:(top,literal)${it}`)]);
  return built === '' ? known : undefined;
}

function below(root: string, path: string): string | undefined {
  return isInside(root, path) ? relative(root, path) : undefined;
}
