#!/usr/bin/env node
/**
 * Reads mutated commands and fails if one makes the recogniser throw or takes too long:
 *
 *     node scripts/gate-fuzz.ts [COUNT] [SEED]
 */
import { recognise } from '../src/commands/recognise.ts';

const [count = 100_000, seed = 1] = process.argv.slice(2).map(Number);
/** Far above the usual time of a command, and far below a noticeable hang. */
const LIMIT_MS = 2_000;

const SEEDS = [
  'git push origin main',
  'cd "$(git rev-parse --show-toplevel)" && npm test && git commit -am "x y" && git push',
  'for r in a b; do git push "$r" HEAD:main; done',
  'sh -c "git push" | tee log; x=push; git $x',
  "bash <<'EOF'\nnpm publish\nEOF",
  'if true; then sudo -u me env A=1 git push; fi',
  'f() { git "$@"; }; f push; eval "git push"',
  `python3 -c 'import subprocess; subprocess.run(["git", "push"])'`,
  'find . -name "*.ts" -exec grep -l push {} + | xargs -I{} echo {}',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is for the shell.
  'a=(push origin); git "${a[@]}" ${x:-${y:=z}} $((1+2)) `date` <(cat) >/dev/null 2>&1 &',
];
const PIECES = [
  '"',
  "'",
  '$(',
  ')',
  '`',
  '\\',
  '\n',
  ';',
  '&&',
  '|',
  '<<E\n',
  '{',
  '}',
  '((',
  '[[',
  '\0',
  'é',
  '${',
  ' push ',
];

let state = seed;
/** A random generator with a seed, so that a seed gives the same commands on any machine. */
function random(below: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state % below;
}

function pick<T>(items: readonly T[]): T {
  return items[random(items.length)] as T;
}

function mutated(): string {
  let text = pick(SEEDS);
  for (let turns = random(8); turns >= 0; turns -= 1) {
    const at = random(text.length + 1);
    const to = Math.min(text.length, at + random(12));
    const middle = pick([pick(PIECES), '', text.slice(at, to).repeat(2), pick(SEEDS)]);
    text = text.slice(0, at) + middle + text.slice(to);
  }
  return text;
}

const context = { cwd: '/r', env: { HOME: '/h' }, readFile: () => undefined, toplevel: () => '/r' };
let slowest = 0;
for (let turn = 0; turn < count; turn += 1) {
  const command = mutated();
  const started = performance.now();
  const findings = recognise(command, context);
  const took = performance.now() - started;
  slowest = Math.max(slowest, took);
  const failed = findings.find(
    (it) => it.verdict === 'opaque' && it.why.startsWith('reading it failed'),
  );
  if (failed !== undefined || took > LIMIT_MS) {
    console.error(
      `gate-fuzz: ${failed ? 'failed on' : `took ${took.toFixed(0)} ms for`} ${JSON.stringify(command)}`,
    );
    process.exit(1);
  }
}
console.log(`${count} commands read, none failed, the slowest took ${slowest.toFixed(1)} ms`);
