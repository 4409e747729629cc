// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text, not templates
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recognise } from '../../src/commands/recognise.ts';
import { executingSettled, inertSettled } from './compositions.ts';

/** Programs replaced by one that only records its words: nothing is ever pushed. */
const STAND_INS = ['git', 'npm', 'docker', 'gh'];

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'against-bash-'));
  mkdirSync(join(root, 'bin'));
  for (const name of STAND_INS) {
    const path = join(root, 'bin', name);
    writeFileSync(
      path,
      // One write, because several may run at the same time.
      `#!/bin/sh\nline=${name} mark=$(printf '\\037')\nfor it; do line=$line$mark$it; done\nprintf '%s\\036' "$line" >> "$RECORD"\n`,
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
function reached(command: string): readonly string[] {
  const folder = mkdtempSync(join(root, 'run-'));
  const record = join(folder, 'record');
  writeFileSync(record, '');
  const env = { PATH: `${join(root, 'bin')}:/usr/bin:/bin`, RECORD: record, HOME: root };
  spawnSync('bash', ['-c', command], { cwd: folder, env, timeout: 50_000, stdio: 'ignore' });
  const lines = readFileSync(record, 'utf8').split('\x1e');
  return unique(lines.map((line) => line.replaceAll('\x1f', ' ')).filter(isBoundary));
}

function isBoundary(line: string): boolean {
  return /^(git push|npm publish|docker push|gh pr create)\b/.test(line);
}

function recognised(command: string): readonly string[] {
  const context = {
    cwd: root,
    env: { HOME: root },
    readFile: () => undefined,
    toplevel: () => root,
  };
  const found = recognise(command, context).filter((it) => it.verdict === 'boundary');
  return unique(found.map((it) => it.argv.map((word) => word ?? '?').join(' ')));
}

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
  'x=origin/main; git push "${x%%/*}" "${x##*/}" "${x/main/dev}" "${x:0:3}" "${#x}"',
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
  'x=PUSH; git "${x,,}"; y=x; git push "${y^^}"',
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
  // Name references and elements.
  'declare -n r=c; r=push; git $c; c=b; git push $r',
  'f() { local -n out=$1; out=push; }; f c; git $c',
  'a=(x git push); unset "a[0]"; "${a[@]}"',
  'declare -A m=([a]=push); for k in "${!m[@]}"; do git "${m[$k]}" "$k"; done',
  // Descriptors.
  'exec 3<<< "git push a"; bash <&3; bash /dev/fd/4 4<<< "git push b"',
  'exec < <(echo git push); bash',
  'exec 3> >(bash); echo "git push" >&3; exec 3>&-; wait $!',
  'coproc bash; echo "git push" >&"${COPROC[1]}"; eval "exec ${COPROC[1]}>&-"; wait',
  'ln -s "$(command -v git)" g; ./g status; cp /bin/bash b; ./b -c "git push"',
  'git push a; # git push b\n: git push c; echo git push d',
])('agrees with bash on: %s', (command) => {
  const real = reached(command);
  expect(real).not.toEqual([]);
  expect(recognised(command)).toEqual(real);
});
