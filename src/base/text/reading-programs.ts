/**
 * Programs that only read, as far as the words of a command show it. The script that agents start
 * (`src/install/quick-answer.ts`) lets commands made of these run without Node, so no rule of the recogniser
 * may be about one, and nobody can make one a boundary.
 */

/** Whatever their arguments are: none of their options writes a file or starts a program. */
export const READING_PROGRAMS: readonly string[] = words(`
  arch basename cat cd cmp comm cut df diff dirname du echo egrep fgrep grep head id jq ls md5sum
  nl nproc od paste pgrep printf ps pwd readlink realpath rev seq sha1sum sha256sum sleep stat
  strings tac tail test tr true type uname uptime wc which whoami`);

/** What may follow the name of a program. `*`, `?` and `[…]` are those of a shell's patterns. */
export interface Reading {
  /** Names of programs, or of a program and its subcommands: `git status`. */
  readonly names: readonly string[];
  /** Words that begin with `-`. Others are refused, because they may write or start something. */
  readonly options: readonly string[];
  /** Patterns of the other words; without it there may be any, and with `[]` none. */
  readonly operands?: readonly string[];
}

export const LIMITED_PROGRAMS: readonly Reading[] = [
  {
    names: ['sort'],
    options: ['-[bdfghinruVz]', '-[nru][nru]', '-k[0-9]', '-k[0-9],[0-9]', '-k[0-9]n', '-k[0-9]nr'],
  },
  { names: ['uniq'], options: ['-[cdiu]'], operands: [] },
  { names: ['date'], options: ['-u'], operands: ['+*'] },
  { names: ['file'], options: ['-[biL]'] },
  { names: ['tree'], options: ['-[adfhispL]', '-I', '--dirsfirst'] },
  {
    names: ['rg'],
    options: words(`
      -[abceFghHilLnNoqsStuUvwx] -[niwlcFSo][niwlcFSo] -[ABCm]* -e --type=* --files --hidden
      --no-heading --no-ignore --count --glob=* --json --line-number --ignore-case --fixed-strings
      --files-with-matches --sort=path`),
  },
  {
    names: ['find'],
    options: words(`
      -name -iname -path -ipath -type -maxdepth -mindepth -not -newer -mtime -mmin -size -empty -print
      -print0 -prune -o -a`),
  },
  {
    names: [
      ...['git status', 'git log', 'git diff', 'git show', 'git rev-parse', 'git ls-files'],
      ...['git blame', 'git describe', 'git shortlog', 'git ls-tree', 'git cat-file'],
    ],
    options: words(`
      -- --oneline --stat --stat=* --short --porcelain --porcelain=v[12] --name-only --name-status
      --cached --staged --all --graph --decorate --abbrev-ref --abbrev-commit --show-toplevel
      --no-color --color=never --follow --format=* --pretty=* --since=* --until=* --grep=* --author=*
      --shortstat --numstat --no-merges --merges --first-parent --reverse --branch --verify --tags
      --git-dir --git-common-dir --is-inside-work-tree --no-patch --patch --date=* --diff-filter=*
      --ignored --others --modified --exclude-standard --untracked-files=* --unified=* --max-count=*
      --word-diff -[0-9] -[0-9][0-9] -n -n[0-9] -n[0-9][0-9] -p -s -b -w -z -L -L* -sb -uno -uall -r
      -t -S -G -U[0-9] -e`),
  },
  { names: ['git branch'], options: ['--show-current', '-[arv]', '-vv', '--all'], operands: [] },
  { names: ['git remote'], options: ['-v'], operands: [] },
  { names: ['git worktree'], options: [], operands: ['list'] },
  { names: ['git tag'], options: ['-l', '--list'], operands: [] },
];

/** With `--version` alone. */
export const VERSIONED_PROGRAMS: readonly string[] = words(`
  bun cargo deno docker gh go java make node npm npx pnpm python python3 ruby rustc tsc yarn`);

/** Whether commands with these words run without being looked at, whatever follows. */
export function isReading([program = '', subcommand = '']: readonly string[]): boolean {
  const withAny = LIMITED_PROGRAMS.filter(({ operands }) => operands === undefined);
  const names = [...READING_PROGRAMS, ...withAny.flatMap((it) => it.names)];
  return names.includes(program) || names.includes(`${program} ${subcommand}`);
}

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
