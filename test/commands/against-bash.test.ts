// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { executingSettled, inertSettled } from './compositions.ts';

/** Programs replaced by one that only records its words: nothing is ever pushed. */
const STAND_INS = ['git', 'npm', 'docker', 'gh'];

/** Real git, where it starts hooks and reaches no other machine. */
const STARTS_HOOKS =
  'case $1 in init|config|commit|checkout|merge) exec /usr/bin/git "$@";; esac\n';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'against-bash-'));
  mkdirSync(join(root, 'bin'));
  for (const name of STAND_INS) {
    const path = join(root, 'bin', name);
    writeFileSync(
      path,
      // One write, because several may run at the same time.
      `#!/bin/sh\n${name === 'git' ? STARTS_HOOKS : ''}line=${name} mark=$(printf '\\037')\nfor it; do line=$line$mark$it; done\nprintf '%s\\036' "$line" >> "$RECORD"\n`,
    );
    chmodSync(path, 0o755);
  }
  // `sh` is bash here: the recogniser takes one for the other, and dash knows no `<<<`.
  symlinkSync('/bin/bash', join(root, 'bin', 'sh'));
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** The boundaries that real bash reaches, as words joined by blanks. */
function reached(command: string, folder = mkdtempSync(join(root, 'run-'))): readonly string[] {
  const record = join(folder, 'record');
  writeFileSync(record, '');
  const bin = join(root, 'bin');
  const env = {
    ...{ PATH: `${bin}:/usr/bin:/bin`, RECORD: record, HOME: root },
    // The git that hooks start is the stand-in as well.
    ...{ GIT_EXEC_PATH: bin, GIT_CONFIG_NOSYSTEM: '1', EMAIL: 'a@b.test' },
  };
  spawnSync('bash', ['-c', command], { cwd: folder, env, timeout: 50_000, stdio: 'ignore' });
  const lines = readFileSync(record, 'utf8').split('\x1e');
  return unique(lines.map((line) => line.replaceAll('\x1f', ' ')).filter(isBoundary));
}

function isBoundary(line: string): boolean {
  return /^(git push|npm publish|docker push|gh pr create)\b/.test(line);
}

function recognised(command: string, folder?: string): readonly string[] {
  const read = {
    readFile: (path: string) => (isFile(path) ? readFileSync(path, 'utf8') : undefined),
    list: (path: string) => (existsSync(path) && !isFile(path) ? entriesOf(path) : undefined),
  };
  const context = {
    cwd: folder ?? root,
    env: { HOME: root },
    readFile: () => undefined,
    ...(folder === undefined ? {} : read),
    toplevel: () => folder ?? root,
  };
  const found = recognise(command, context).filter((it) => it.verdict === 'boundary');
  return unique(found.map((it) => it.argv.map((word) => word ?? '?').join(' ')));
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const entriesOf = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true }).map((it) => it.name + (it.isDirectory() ? '/' : ''));

function unique(list: readonly string[]): readonly string[] {
  return [...new Set(list)].sort();
}

test('bash is there to compare with', () => {
  expect(execFileSync('bash', ['-c', 'echo "$BASH_VERSION"'], { encoding: 'utf8' })).toMatch(
    /^[45]\./,
  );
});

const leaf = fc.constantFrom(
  'git push origin main',
  'git push',
  'git status push',
  'npm publish --tag next',
  'npm test',
  'docker push acme/app',
  'gh pr create --title "a b"',
);

test('finds exactly what bash runs, in any composition', () => {
  const program = fc
    .tuple(leaf, executingSettled, leaf, inertSettled)
    .map(([first, run, second, mention]) => `${run(first)}\n${mention(second)}`);
  fc.assert(
    fc.property(program, (command) => `${recognised(command)}` === `${reached(command)}`),
    { numRuns: 60 },
  );
});

/** Expansions whose outcome only bash can vouch for. */
test.each([
  'c=push; git $c origin',
  'git pu{sh,ll} a{1..3}',
  'IFS=:; x=git:push:origin; $x',
  'x="git  push   a b"; $x',
  'x="a b"; git push "$x" $x',
  'a=(push "a b"); git "${a[@]}"; git ${a[@]}',
  'set -- push a "b c"; git "$@"; git $*; git "$1" "${@:2}"',
  'f() { git "$2" "$1"; shift; git "$@"; }; f origin push',
  'x=origin/main; git push "${x%%/*}" "${x##*/}" "${#x}"',
  'unset none x; git push ${none:-a} "${none-b c}" ${none:+d} "${x:=e}" $x',
  "git $'pu\\x73h' \"a\\\"b\" 'c d' e\\ f",
  'none=; git push "" \'\' ${none}',
  'read -r a b <<< "push x y"; git $a "$b"',
  "printf -v c '%s' push; git $c",
  'for r in a "b c"; do git push "$r"; done',
  'while read -r r; do git push "$r"; done < <(printf "a\\nb c\\n")',
  'eval git push \\"a b\\"',
  'x=git; y=x; ${!y} push',
  'git push $(echo a b) "$(echo c d)" `echo e`',
  'declare -A m=([k]=push); git "${m[k]}"',
  'alias_less=1; git push; exit; git push never',
  'f() { return; git push never; }; f; git push once',
  '(exit 3; git push never); git push once',
  'for i in 1; do continue; git push never; done; git push once',
  'case push in p*) git push a ;;& *) git push b ;; esac',
  'cat <<EOF | sh\ngit push "$(echo x)" \\$HOME\nEOF',
  "cat <<'EOF' > s.sh\ngit push \"$1\"\nEOF\nsh s.sh 'a b'",
  'echo "push a" | xargs git; printf "a\\nb\\n" | xargs -n1 git push',
  "printf 'a\\n' | xargs -I{} git push {}/{}",
  'x=1 y=2 git push; env -i PATH="$PATH" RECORD="$RECORD" git push e',
  'g() { git "$@"; }; h() { g push "$@"; }; h a; unset -f g; git push b',
  "trap 'git push t' EXIT; git push u",
  'git push > out 2>&1; git push <<< x; >o git push z',
  // Ends of a shell, and what does not end it.
  'return; git push a; break; git push b; continue; git push c',
  'f() { for i in 1; do git push $i; break; git push no; done; return; git push no; }; f',
  'f() { exit; }; (f; git push no); f & wait; git push a',
  'echo return > r.sh; . ./r.sh; git push a; eval return; git push b',
  'for i in 1 2; do (break; exit); git push a; done; exit | cat; git push b',
  // What runs when the rest has run.
  'trap f EXIT; f() { git push "$c"; }; c=late; exit',
  "trap 'git push $c' EXIT; c=1; git push a",
  // Name references and keys.
  'declare -n r=c; r=push; git $c; c=b; git push $r',
  'f() { local -n out=$1; out=push; }; f c; git $c',
  'declare -A m=([a]=push); for k in "${!m[@]}"; do git "${m[$k]}" "$k"; done',
  // Descriptors.
  'exec 3<<< "git push a"; bash <&3; bash /dev/fd/4 4<<< "git push b"',
  'exec < <(echo git push); bash',
  'ln -s "$(command -v git)" g; ./g status; cp /bin/bash b; ./b -c "git push"',
  'git push a; # git push b\n: git push c; echo git push d',
])('agrees with bash on: %s', (command) => {
  const real = reached(command);
  expect(real).not.toEqual([]);
  expect(recognised(command)).toEqual(real);
});

/** Scripts of a project: each names what it pushes after itself. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'ci/lib.sh': 'ship() { git push lib "$@"; }\n',
  'ci/cd.sh': 'cd "$(dirname "$0")"; . ./lib.sh; ship "${PWD##*/}"\n',
  'ci/source.sh':
    'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd)"\n. "$DIR/lib.sh"\nship source\n',
  'ci/cut.sh': '. "${0%/*}/lib.sh"; ship "${0##*/}" "$(basename "$0" .sh)"\n',
  'ci/link.sh':
    'SOURCE=${BASH_SOURCE[0]}\nwhile [ -h "$SOURCE" ]; do\n  DIR=$(cd -P "$(dirname "$SOURCE")" && pwd)\n' +
    '  SOURCE=$(readlink "$SOURCE")\n  [[ $SOURCE != /* ]] && SOURCE=$DIR/$SOURCE\ndone\n' +
    '. "$(dirname "$(readlink -f "$SOURCE")")/lib.sh"\nship link\n',
  'ci/own.sh': 'bash "$(dirname -- "$0")/steps/02-b.sh" "$0"\n',
  'ci/loop.sh': 'for s in "$(dirname "$0")"/steps/*.sh; do bash "$s" loop; done\n',
  'ci/defines.sh': 'named() { git push "${BASH_SOURCE[0]}" "$0"; }\n',
  'ci/calls.sh': '. ci/defines.sh; named\n',
  'ci/steps/01-a.sh': 'git push one "$0"\n',
  'ci/steps/02-b.sh': 'git push two "$@"\n',
  'ci/steps/.hidden.sh': 'git push hidden\n',
  'ci/steps/notes.md': 'git push text\n',
  'a b/c d.sh': 'git push blank\n',
  'env.sh': 'git push "${x-first}"\n',
};

/** Written anew for each command: one may write files itself. */
function project(): string {
  const folder = mkdtempSync(join(root, 'project-'));
  for (const [name, text] of Object.entries(SCRIPTS)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: 0o755 });
  }
  return folder;
}

/** Scripts find their own folder, and commands find scripts by pattern. */
test.each([
  ...['cd', 'source', 'cut', 'link', 'own', 'loop'].flatMap((name) => [
    `bash ci/${name}.sh; ./ci/${name}.sh; bash "$PWD/ci/${name}.sh"`,
    `cd ci && bash ./${name}.sh && bash steps/../${name}.sh`,
  ]),
  'bash ci/calls.sh; . ci/source.sh; ship again; echo "${BASH_SOURCE[0]}" > o',
  'bash ci/c*.sh; bash ci/steps/*.sh; bash "ci/steps/*.sh"',
  'for f in ci/steps/*.sh; do bash "$f" "$f"; done',
  'for f in ci/steps/0[2-9]*; do . "$f" x; done; for f in none/*.sh; do bash "$f"; done',
  'p="ci/steps/*"; for f in $p; do [ -x "$f" ] && "./$f" y; done; bash "$p"',
  'f() { for s; do sh "$s" z; done; }; f ci/steps/*.sh; set -- ci/l*; bash "$2"',
  'a=(ci/steps/?2*); bash "${a[0]}" q; for d in */; do (cd "$d"; bash "c d.sh"); done',
  "find ci/steps -name '.h*.sh' -exec bash {} \\; ; find ci/steps -name '01*' -exec sh {} +",
  "find . -maxdepth 2 -name 'c d.sh' -execdir bash {} \\;; find ci/steps -type d -exec bash {}/02-b.sh {} \\;",
  "find ci/steps -name '0*.sh' | xargs -n1 bash; find . -name '0*' -print0 | xargs -0 -I@ sh @ i",
  'ls ci/steps/*.sh | xargs -n1 bash; cd ci/steps; ls 0* | while read -r f; do sh "$f" r; done',
  'cd ci/steps; ls *.sh | xargs -I{} bash {} n; mapfile -t m < <(ls); bash "${m[1]}" m',
  'BASH_ENV=env.sh bash -c "git push second"; export BASH_ENV=./env.sh x=third; ./ci/steps/02-b.sh; bash ci/own.sh',
  'mkdir new; echo "git push new" > new/x.sh; for f in new/*.sh; do bash "$f"; done; cat ci/steps/0*.sh > all; bash all e',
  'T=$(mktemp -d); echo "git push \\$1" > "$T/x.sh"; bash $T/x.sh a; cd "$T" && bash x.sh b',
  // Hooks that git starts.
  ...['.git/hooks', 'own/hooks'].map(
    (hooks) =>
      `git init -q; git config core.hooksPath ${hooks}; mkdir -p ${hooks}; cp ci/lib.sh ${hooks}; ` +
      `echo '. "$(dirname "$0")/lib.sh"; ship "\${0##*/}"' > ${hooks}/post-commit; cp ${hooks}/post-commit ${hooks}/post-checkout; ` +
      `chmod +x ${hooks}/*; git commit -q --allow-empty -m x; git checkout -q -b y`,
  ),
  "git init -q; echo 'bash ci/steps/01-a.sh' > .git/hooks/post-commit; chmod +x .git/hooks/*; git commit -q --allow-empty -m x",
  "git init -q; echo 'git push never' > .git/hooks/post-merge; chmod +x .git/hooks/*; git commit -q --allow-empty -m x; git push a",
])('agrees with bash among the files of a project: %s', (command) => {
  const real = reached(command, project());
  expect(real).not.toEqual([]);
  expect(recognised(command, project()).map(withoutFolder)).toEqual(real.map(withoutFolder));
});

/** Two projects have two folders. */
const withoutFolder = (line: string): string => line.replaceAll(/\S*\/project-\w+/g, '.');
