/** Asks the shell functions of `hooks/quick-answer.sh` about many payloads with one start of a shell. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quickAgents } from '../../src/install/hook-script.ts';
import { quickFunctions } from '../../src/install/quick-answer.ts';

const AGENTS = quickAgents();

/** Lines that ask about each line of a file; what the functions would write is left out. */
const LOOP = `
tools=' Bash:command Edit:file_path :prompt ' event=$1
note() { return 0; }
edited() { return 0; }
while IFS= read -r input || [ "$input" ]; do
  begin 2>/dev/null && case $field in
    command) command_reads ;;
    prompt) plain_words && case $event in *-words) only_common ;; esac ;;
    *) edit ;;
  esac 2>/dev/null && echo 1 || echo 0
done <"$2"
`;

/** For each payload, of one line, whether it would be answered without Node. */
export function quickAnswers(
  shell: readonly [string, ...string[]],
  payloads: readonly string[],
  event = 'before-tool',
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean[] {
  const folder = mkdtempSync(join(tmpdir(), 'lanehold-quick-'));
  try {
    const file = join(folder, 'payloads');
    writeFileSync(file, `${payloads.join('\n')}\n`);
    const script = join(folder, 'quick.sh');
    const [program, ...options] = shell;
    writeFileSync(script, `${quickFunctions(AGENTS).join('')}${LOOP}`);
    const { stdout, stderr } = spawnSync(program, [...options, script, event, file], {
      env,
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    });
    const answers = stdout.trim().split('\n');
    if (answers.length !== payloads.length) throw new Error(`${answers.length} answers: ${stderr}`);
    return answers.map((it) => it === '1');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
