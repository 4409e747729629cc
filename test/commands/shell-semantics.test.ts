// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import { describe, expect, test } from 'vitest';
import { boundaries, verdict } from './reading.ts';

describe('runs, and so is a boundary', () => {
  test.each([
    ['list', 'npm test; git push'],
    ['and-list', 'true && git push origin main'],
    ['or-list', 'false || git push'],
    ['background', 'git push & wait $!'],
    ['subshell', '(git push)'],
    ['group', '{ git push; }'],
    ['pipeline', 'git push 2>&1 | tee push.log'],
    ['negation and time', 'time ! git push'],
    ['if', 'if true; then git push; fi'],
    ['elif', 'if false; then :; elif git push; then :; fi'],
    ['else', 'if true; then :; else git push; fi'],
    ['while condition', 'while ! git push; do sleep 1; done'],
    ['for', 'for x in 1 2; do git push; done'],
    ['arithmetic for', 'for ((i = 0; i < 3; i++)); do git push; done'],
    ['select', 'select x in a b; do git push; done'],
    ['case', 'case $x in a) : ;; *) git push ;; esac'],
    ['case of a parameter', 'f() { case "$1" in a) : ;; go*) git push ;; esac; }; f go'],
    ['case of a parameter, in other case', 'f() { case $1 in GO) git push ;; esac; }; f go'],
    ['case of a variable', 'case "$MODE" in go) git push ;; esac'],
    ['function', 'ship() { git push; }; ship'],
    ['function keyword', 'function ship { git push; }; ship'],
    ['function through function', 'a() { b; }; b() { git push; }; a'],
    ['coprocess', 'coproc git push'],
    ['command substitution', 'echo "$(git push)"'],
    ['nested substitution', 'echo "$(echo "$(git push)")"'],
    ['backquotes', 'x=`git push`'],
    ['process substitution', 'cat <(git push)'],
    ['substitution in arithmetic', 'echo $((1 + $(git push | wc -l)))'],
    ['substitution in a test', '[[ -n $(git push) ]]'],
    ['substitution in a redirection', 'echo x > "$(git push)"'],
    ['substitution in a case word', 'case $(git push) in *) ;; esac'],
    ['substitution in a for list', 'for x in $(git push); do :; done'],
    ['substitution in an array', 'a=($(git push))'],
    ['substitution in a default', 'echo "${x:-$(git push)}"'],
    ['substitution in an unquoted heredoc', 'cat <<EOF\n$(git push)\nEOF'],
    ['trap', "trap 'git push' EXIT"],
    ['eval of words', 'eval git push'],
    ['exec', 'exec git push'],
    ['command', 'command git push'],
    ['comment after', 'git push # --dry-run'],
    ['redirections before', '2>/dev/null >log git push'],
    ['assignment before', 'GIT_TRACE=1 git push'],
  ])('%s', (_name, command) => {
    expect(verdict(command)).toBe('boundary');
  });
});

describe('is known to run by its value', () => {
  test.each([
    ['variable as subcommand', 'c=push; git $c'],
    ['variable as command line', 'cmd="git push origin"; $cmd main'],
    ['split by IFS', 'git${IFS}push'],
    ['own IFS', 'IFS=,; c=git,push; $c'],
    ['array', 'a=(push origin); git "${a[@]}"'],
    ['array grown', 'a=(git); a+=(push); "${a[@]}"'],
    ['array element', 'a=(pull push); git "${a[1]}"'],
    ['keyed array', 'declare -A m=([go]=push); git "${m[go]}"'],
    ['positional parameters', 'set -- git push; "$@"'],
    ['parameters of a function', 'run() { "$@"; }; run git push'],
    ['one parameter', 'run() { git "$1"; }; run push'],
    ['shifted parameters', 'run() { shift; "$@"; }; run x git push'],
    ['default', 'git ${unset_name:-push}'],
    ['assigned default', ': ${c:=push}; git $c'],
    ['alternative', 'x=1; git ${x:+push}'],
    ['prefix removed', 'x=re-push; git ${x#re-}'],
    ['suffix removed', 'x=push.sh; git ${x%.sh}'],
    ['indirect', 'a=push; b=a; git ${!b}'],
    ['joined words', 'a=pu; git ${a}sh'],
    ['appended', 'a=pu; a+=sh; git $a'],
    ['braces', 'git pu{sh,ll}'],
    ['braces as command', '{git,push}'],
    ['either branch', 'if x; then c=push; else c=pull; fi; git $c'],
    ['loop over words', 'for c in fetch push; do git $c; done'],
    ['grown in a loop', 'c=; for x in pu sh; do c=$c$x; done; git $c'],
    ['read from a here-string', 'read -r c <<< push; git $c'],
    ['lines of a pipe', 'printf "pull\\npush\\n" | while read -r c; do git "$c"; done'],
    ['output of echo', 'git $(echo push)'],
    ['output of printf', '$(printf "%s %s" git push)'],
    ['output of a function', 'c() { echo push; }; git "$(c)"'],
    ['exported', 'export C=push; git $C'],
    ['declared', 'declare c=push; git "$c"'],
    ['printf -v', 'printf -v c %s push; git $c'],
    ['decoded', '$(echo Z2l0IHB1c2g= | base64 -d)'],
    ['alias', "alias p='git push'\np origin"],
    ['ansi-c quotes', "$'git' $'pu\\x73h'"],
    ['mixed quotes', `g'i't "pu"sh`],
    ['continuation', 'git \\\npush'],
  ])('%s', (_name, command) => {
    expect(verdict(command)).toBe('boundary');
  });
});

describe('is text or another command, and so is none', () => {
  test.each([
    ['argument of echo', 'echo git push'],
    ['quoted heredoc', "cat <<'EOF'\n$(git push)\nEOF"],
    ['heredoc into a file', 'cat > notes.md <<EOF\ngit push\nEOF'],
    ['here-string of cat', 'cat <<< "git push"'],
    ['escaped separator', 'echo a\\; git push'],
    ['comment', '# git push'],
    ['function that nobody calls', 'ship() { git push; }; echo defined'],
    ['after exit', 'exit 0\ngit push'],
    ['single quotes', "echo '$(git push)'"],
    ['commit message', 'git commit -m "git push"'],
    ['message by heredoc', 'git commit -F - <<EOF\ngit push\nEOF'],
    ['pattern', "rg 'git push' ."],
    ['case pattern', 'case $x in "git push") echo no ;; esac'],
    ['case of a parameter', 'f() { case "$1" in a) : ;; go) git push ;; esac; }; f test'],
    ['variable value', 'x="git push"; echo "$x"'],
    ['array element', 'x=(git push); echo "${x[0]}"'],
    ['alias of an unused name', "alias p='git push'"],
    ['null command', ': git push'],
    ['test', '[ "$x" = "git push" ]'],
    ['assignment', 'push=git'],
    ['file name', 'cat push'],
    ['syntax check', "bash -n -c 'git push'"],
  ])('%s', (_name, command) => {
    expect(verdict(command)).toBe('none');
  });
});

describe('directory', () => {
  test.each([
    ['git push', '/repo'],
    ['cd sub && git push', '/repo/sub'],
    ['cd sub; cd ..; git push', '/repo'],
    ['(cd sub); git push', '/repo'],
    ['cd /other && git push', '/other'],
    ['cd ~/x && git push', '/home/dev/x'],
    ['cd && git push', '/home/dev'],
    ['cd "$HOME/x" && git push', '/home/dev/x'],
    ['cd sub && cd - && git push', '/repo'],
    ['pushd sub && git push', '/repo/sub'],
    ['pushd sub; popd; git push', '/repo'],
    ['d=sub; cd $d; git push', '/repo/sub'],
    ['cd sub/deep && cd "$(git rev-parse --show-toplevel)" && git push', '/repo'],
    ['git -C sub push', '/repo/sub'],
    ['git -C sub -C deep push', '/repo/sub/deep'],
    ['cd sub && git -C ../x push', '/repo/x'],
    ['npm --prefix web publish', '/repo/web'],
    ['pnpm -C web publish', '/repo/web'],
    ['yarn --cwd web publish', '/repo/web'],
    ['cargo publish --manifest-path crates/a/Cargo.toml', '/repo/crates/a'],
    ['env -C sub git push', '/repo/sub'],
    ['sudo -D /srv git push', '/srv'],
    ['sh -c "cd sub && git push"', '/repo/sub'],
    ['cd sub | git push', '/repo'],
    ['cd $(nowhere) && git push', undefined],
    ['cd $nowhere && git push', '/home/dev'],
    ['ssh host git push', undefined],
  ])('%s', (command, directory) => {
    expect(boundaries(command).map((it) => it.directory)).toEqual([directory]);
  });

  test('of a folder that may not have been entered is both', () => {
    const found = boundaries('[ -d sub ] && cd sub\ngit push');
    expect(found.map((it) => it.directory)).toEqual(['/repo/sub', '/repo']);
  });
});

test.each([
  ["test -v 'a[$(git push)]'"],
  ["printf -v 'a[$(git push)]' x"],
  ["x='b[$(git push)]'; (( x + 1 ))"],
  ["declare -i n='a[`git push`]'"],
  ["read -r 'q[$(git push)]' <<< 1"],
  ["[[ -v 'm[$(git push)]' ]]"],
  ["v='a[$(git push)]'; [[ $v -eq 0 ]]"],
  ["let 'z = a[$(git push)]'"],
  ["unset 'a[$(git push)]'"],
])('a subscript that the shell computes runs: %s', (command) => {
  expect(verdict(command)).toBe('boundary');
});

test.each([
  ["printf '%s' 'a[$(git push)]'"],
  ["[[ $v == 'a[$(git push)]' ]]"],
  ["x='b[1]'; (( x + 1 )); test -v HOME"],
])('the same text as data does not: %s', (command) => {
  expect(verdict(command)).toBe('none');
});
