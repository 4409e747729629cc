/** git's command line: its options, its subcommands and theirs, read by one grammar. Pure. */
import { resolve } from 'node:path';
import {
  type Grammar,
  grammarOf,
  joined,
  leadingOptions,
  type OptionList,
  readUse,
  type Use,
  type UsedOption,
  type Word,
  words,
} from '../text/options.ts';

/** Options of git itself, which come before the subcommand; `-C` names a folder. */
export const GIT_OPTIONS = {
  directory: '-C',
  values: '-c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source',
  flags:
    '-p --paginate -P --no-pager --bare --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-optional-locks --no-lazy-fetch --no-advice --exec-path --html-path --man-path --info-path --version',
};

export const GIT_SUBCOMMANDS =
  'add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr ' +
  'check-ignore check-mailmap check-ref-format checkout checkout-index cherry cherry-pick ' +
  'clean clone column commit commit-graph commit-tree config count-objects credential ' +
  'cvsexportcommit cvsimport daemon describe diagnose diff diff-files diff-index diff-tree ' +
  'difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg ' +
  'for-each-ref for-each-repo format-patch fsck gc grep gui hash-object help hook ' +
  'http-fetch http-push imap-send index-pack init instaweb interpret-trailers lfs log ' +
  'ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file ' +
  'merge-index merge-tree mergetool mktag mktree mv name-rev notes p4 pack-objects ' +
  'pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog refs ' +
  'remote repack replace replay request-pull rerere reset restore rev-list rev-parse ' +
  'revert rm send-email send-pack shortlog show show-branch show-index show-ref ' +
  'sparse-checkout stage stash status stripspace submodule subtree svn switch symbolic-ref ' +
  'tag unpack-file unpack-objects update-index update-ref update-server-info var ' +
  'verify-commit verify-pack verify-tag version whatchanged worktree write-tree';

const FILTERS = '--contains --no-contains --merged --no-merged --points-at --sort --format';
const TRANSPORT =
  '--depth --deepen --shallow-since --shallow-exclude --refmap --upload-pack --filter -j --jobs -o --server-option --negotiation-tip';

/** Options of the subcommands whose use is read, in full: git accepts any unique beginning. */
export const SUBCOMMAND_OPTIONS = {
  add: {
    values: '--chmod --pathspec-from-file -U --unified --inter-hunk-context',
    flags:
      '-A --all -u --update -v --verbose -f --force -n --dry-run -p --patch -i --interactive -e --edit -N --intent-to-add --ignore-errors --ignore-missing --ignore-removal --refresh --renormalize --sparse --pathspec-file-nul',
  },
  branch: {
    values: `-u --set-upstream-to ${FILTERS}`,
    flags:
      '-f --force -d -D --delete -m -M --move -c -C --copy -t --track --unset-upstream --edit-description -l --list -a --all -r --remotes -v --verbose -q --quiet --show-current --create-reflog --ignore-case --omit-empty --color --column --abbrev --recurse-submodules',
  },
  checkout: {
    values: '-b -B --orphan --conflict --pathspec-from-file',
    flags:
      '-d --detach -t --track -p --patch -f --force -q --quiet -m --merge -l --guess --ours --theirs --progress --ignore-skip-worktree-bits --ignore-other-worktrees --recurse-submodules --overlay --overwrite-ignore --pathspec-file-nul',
  },
  clone: {
    values:
      '-b --branch -o --origin -u --upload-pack --depth --reference --reference-if-able --separate-git-dir --template -c --config -j --jobs --shallow-since --shallow-exclude --filter --server-option --bundle-uri --ref-format --revision',
    flags:
      '-v --verbose -q --quiet --progress --reject-shallow -n --no-checkout --bare --mirror -l --local --no-hardlinks -s --shared --recurse-submodules --recursive --dissociate --single-branch --tags --shallow-submodules -4 --ipv4 -6 --ipv6 --also-filter-submodules --remote-submodules --sparse',
  },
  commit: {
    values:
      '-m --message -F --file -C --reuse-message -c --reedit-message -t --template --author --date --fixup --squash --cleanup --trailer --pathspec-from-file',
    flags:
      '-a --all -p --patch -i --include -o --only -e --edit -n --verify -q --quiet -v --verbose -s --signoff -z --null --amend --dry-run --short --branch --porcelain --long --allow-empty --allow-empty-message --reset-author --post-rewrite --status --gpg-sign --pathspec-file-nul --untracked-files --interactive --ahead-behind',
    attached: '-S -u',
  },
  config: {
    values: '-f --file --type --default --blob --comment --value --url',
    flags:
      '--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list -e --edit --add --replace-all --unset --unset-all --remove-section --rename-section --all --regexp --fixed-value --bool --int --bool-or-int --bool-or-str --path --expiry-date -z --null --name-only --show-names --show-origin --show-scope --includes --append',
  },
  difftool: { values: '-x --extcmd -t --tool', flags: '-d --dir-diff -g --gui -y --prompt' },
  fetch: {
    values: TRANSPORT,
    flags:
      '--all -a --append --atomic --dry-run -f --force -k --keep --multiple -p --prune -P --prune-tags --prefetch --recurse-submodules --refetch -t --tags -n --tags --set-upstream --unshallow --update-shallow -u --update-head-ok -q --quiet -v --verbose --progress -4 --ipv4 -6 --ipv6 --porcelain --stdin',
  },
  gc: {
    flags: '--prune --aggressive --auto --cruft --detach --force --keep-largest-pack -q --quiet',
  },
  grep: { flags: '--open-files-in-pager', attached: '-O' },
  init: {
    values: '-b --initial-branch --template --separate-git-dir --object-format --ref-format',
    flags: '-q --quiet --bare --shared',
  },
  prune: { values: '--expire', flags: '-n --dry-run -v --verbose --progress' },
  pull: {
    values: `-s --strategy -X --strategy-option --cleanup ${TRANSPORT}`,
    flags:
      '--rebase -q --quiet -v --verbose --progress --recurse-submodules --stat --log --signoff --squash --commit --edit -e --ff --ff-only --verify --verify-signatures --autostash --allow-unrelated-histories --all -a --append -f --force -t --tags -p --prune -k --keep --dry-run --set-upstream --unshallow -4 --ipv4 -6 --ipv6',
    attached: '-r -S',
  },
  push: {
    values: '-o --push-option --repo --receive-pack --exec --recurse-submodules --remote',
    flags:
      '--no-recurse-submodules --all --branches --mirror --tags --delete -d --force -f --force-with-lease --force-if-includes --set-upstream -u --thin --quiet -q --verbose -v --progress --prune --porcelain --verify --follow-tags --signed --atomic --ipv4 -4 --ipv6 -6 --stdin -n --dry-run',
  },
  rebase: {
    values: '-x --exec --onto -s --strategy -X --strategy-option --empty -C --whitespace',
    flags:
      '--abort --quit --continue --skip --show-current-patch --edit-todo -i --interactive -q --quiet -v --verbose --autosquash --autostash --root --keep-base --fork-point --update-refs -f --force-rebase --stat --signoff --reapply-cherry-picks',
  },
  replace: {
    values: '--format',
    flags: '-l --list -d --delete -f --force -e --edit -g --graft --raw',
  },
  reset: {
    values: '--pathspec-from-file -U --unified',
    flags:
      '--hard --soft --mixed --merge --keep -p --patch -q --quiet -N --intent-to-add --refresh --recurse-submodules --pathspec-file-nul',
  },
  switch: {
    values: '-c --create -C --force-create --orphan --conflict',
    flags:
      '-d --detach -t --track -f --force --discard-changes -m --merge -q --quiet --guess --progress --ignore-other-worktrees --recurse-submodules',
  },
  'symbolic-ref': { values: '-m', flags: '-d --delete -q --quiet --short --recurse' },
  tag: {
    values: `-m --message -F --file -u --local-user --cleanup --trailer ${FILTERS}`,
    flags:
      '-a --annotate -s --sign -d --delete -v --verify -f --force -l --list -e --edit -i --ignore-case --create-reflog --omit-empty --color --column',
    attached: '-n',
  },
  worktree: {
    values: '-b -B --reason --expire',
    flags:
      '-f --force -d --detach --checkout --lock --orphan -q --quiet --track --guess-remote --relative-paths -n --dry-run -v --verbose --porcelain -z',
  },
} as const satisfies Readonly<Record<string, OptionList>>;

const FILTER_BRANCH =
  '--setup --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter';

/** Options of the subcommands whose value git runs as a command. */
const COMMAND_OPTIONS: Readonly<Record<string, string>> = {
  archive: '--exec',
  clone: '-u --upload-pack',
  difftool: '-x --extcmd',
  fetch: '--upload-pack',
  'fetch-pack': '--upload-pack --exec',
  'filter-branch': FILTER_BRANCH,
  'ls-remote': '--upload-pack --exec',
  pull: '--upload-pack',
  push: '--receive-pack --exec',
  rebase: '-x --exec',
  'send-email': '--to-cmd --cc-cmd --header-cmd --sendmail-cmd',
  'send-pack': '--receive-pack --exec',
};

/** The options of a use whose values git runs as commands. */
export function commandOptions(subcommand: string, { options }: Use): readonly UsedOption[] {
  const names = subcommand === 'grep' ? '-O --open-files-in-pager' : commandNames(subcommand);
  return options.filter(({ name }) => words(names).has(name));
}

const commandNames = (subcommand: string): string | undefined =>
  Object.hasOwn(COMMAND_OPTIONS, subcommand) ? COMMAND_OPTIONS[subcommand] : undefined;

/** Settings whose value git runs as a command: an editor, a filter, a way to connect. */
export const isCommandSetting = (key: string): boolean =>
  /^(?:core\.(?:editor|pager|sshcommand|fsmonitor|askpass|gitproxy|alternaterefscommand)|pager\..+|sequence\.editor|interactive\.difffilter|uploadpack\.packobjectshook|diff\.external|diff\..+\.(?:textconv|command)|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|(?:diff|merge)tool\..+\.cmd|(?:browser|man)\..+\.cmd|credential\.(?:.+\.)?helper|gpg\.(?:.+\.)?program|gpg\.ssh\.defaultkeycommand|remote\..+\.(?:uploadpack|receivepack)|tar\..+\.command|submodule\..+\.update|instaweb\.httpd|trailer\..+\.(?:command|cmd)|sendemail\.(?:.+\.)?(?:to|cc|header|sendmail)cmd)$/i.test(
    key,
  );

const GIT: Grammar = grammarOf({
  values: `${GIT_OPTIONS.directory} ${GIT_OPTIONS.values}`,
  flags: GIT_OPTIONS.flags,
});

export interface GitCommand<W extends Word = Word> {
  /** `undefined` if only running it would tell; `help` if none is given. */
  readonly subcommand: W | undefined;
  /** The words after the subcommand, options included. */
  readonly words: readonly W[];
  readonly options: readonly UsedOption<W>[];
  /** The folders that `-C` names, each relative to the one before. */
  readonly directories: readonly (W | undefined)[];
  /** `--git-dir` or `--work-tree` select another repository or other files. */
  readonly elsewhere: boolean;
}

/** `undefined` if the program is not git. `git-push` counts as git. */
export function gitCommand<W extends Word>(argv: readonly W[]): GitCommand<W> | undefined {
  const [program] = argv;
  const name = program?.slice(program.lastIndexOf('/') + 1);
  if (name?.startsWith('git-')) {
    const subcommand = name.slice('git-'.length) as W;
    return { subcommand, words: argv.slice(1), options: [], directories: [], elsewhere: false };
  }
  return name === 'git' ? afterProgram(argv) : undefined;
}

/** Reads the words after the program, under any name of git. */
export function afterProgram<W extends Word>(argv: readonly W[]): GitCommand<W> {
  const { options, next } = leadingOptions(argv, 1, GIT);
  const isGiven = next < argv.length;
  return {
    subcommand: isGiven ? argv[next] : ('help' as W),
    words: argv.slice(next + 1),
    options,
    directories: options.flatMap(({ name, value }) => (name === '-C' ? [value] : [])),
    elsewhere: options.some(({ name }) => name === '--git-dir' || name === '--work-tree'),
  };
}

/** The grammar of a subcommand; without a table, no option takes a value. */
export function subcommandGrammar(subcommand: string): Grammar {
  const table: Readonly<Record<string, OptionList>> = SUBCOMMAND_OPTIONS;
  const options = Object.hasOwn(table, subcommand) ? table[subcommand] : undefined;
  const values = joined(options?.values, commandNames(subcommand));
  return grammarOf({ ...options, values, abbreviates: true });
}

/** @param argv the words after the subcommand. */
export function subcommandUse<W extends Word>(subcommand: string, argv: readonly W[]): Use<W> {
  return readUse(argv, 0, subcommandGrammar(subcommand));
}

interface ConfigUse {
  readonly kind: 'read' | 'set' | 'unset' | 'section' | 'edit';
  /** The setting, or the section. */
  readonly key: Word;
}

const CONFIG_VERBS: ReadonlyMap<Word, ConfigUse['kind']> = new Map([
  ['get', 'read'],
  ['list', 'read'],
  ['set', 'set'],
  ['unset', 'unset'],
  ['edit', 'edit'],
  ['remove-section', 'section'],
  ['rename-section', 'section'],
]);

/** What a `git config` does: by an option, by a verb as in newer versions, or by the number of words. */
export function configUse({ operands, has }: Use<Word>): ConfigUse {
  const [first, second] = operands;
  if (has('--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool'))
    return { kind: 'read', key: first };
  if (has('-l', '--list')) return { kind: 'read', key: undefined };
  if (has('-e', '--edit')) return { kind: 'edit', key: undefined };
  if (has('--remove-section', '--rename-section')) return { kind: 'section', key: first };
  if (has('--unset', '--unset-all')) return { kind: 'unset', key: first };
  const verb = CONFIG_VERBS.get(first);
  if (verb !== undefined) return { kind: verb, key: second };
  const sets = operands.length > 1 || has('--add', '--replace-all');
  return { kind: sets ? 'set' : 'read', key: first };
}

/** The folder after each of these changes; `undefined` if one of them is unknown. */
export function folderWithin(
  folder: string | undefined,
  steps: readonly (string | undefined)[],
): string | undefined {
  return steps.reduce<string | undefined>(
    (at, step) => (at === undefined || step === undefined ? undefined : resolve(at, step)),
    folder,
  );
}

/**
 * The sides of a refspec of a push. git splits it at its last colon, so that the source may be the
 * text of a commit: `:/text:refs/heads/x`. Without a source, the target is deleted.
 */
export function refspecSides(refspec: string): {
  readonly source: string;
  readonly target: string | undefined;
} {
  const plain = refspec.replace(/^\+/, '');
  const colon = plain.lastIndexOf(':');
  if (colon < 0) return { source: plain, target: undefined };
  return { source: plain.slice(0, colon), target: plain.slice(colon + 1) };
}

/** True for `:branch`; a lone `:` means branches of the same name. */
export function isDeletion(refspec: string): boolean {
  const { source, target } = refspecSides(refspec);
  return source === '' && target !== undefined && target !== '';
}
