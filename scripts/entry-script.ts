/**
 * What the build makes of `hooks/lanehold-hook.sh`, the script that starts at every hook: with the rule of
 * `hooks/runs-no-release.sh`, and with what each agent takes for a denial.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runsNoRelease } from '../src/agents/kit/hook-shim.ts';
import { agentsWith } from '../src/agents/registry.ts';
import { packageRoot } from '../src/base/files/package.ts';
import { shellQuoted } from '../src/base/text/shell-quote.ts';

const REASON = '@REASON@';

export async function entryScript(): Promise<string> {
  const [refusals, silences, open]: [Map<string, string[]>, Map<string, string[]>, string[]] = [
    new Map(),
    new Map(),
    [],
  ];
  for (const { name, hooks } of agentsWith('hooks')) {
    const { render } = hooks.adapter;
    const { stdout, stderr, exitCode } = render('before-tool', {
      decision: 'deny',
      reason: REASON,
    });
    const said = [printed(stdout), stderr && `${printed(stderr)} >&2`, `exit ${exitCode}`];
    add(refusals, said.filter(Boolean).join('; '), name);
    const { stdout: silence } = render('before-tool', { decision: 'none' });
    if (silence !== '') add(silences, printed(silence), name);
    if (hooks.leavesInputOpen) open.push(name);
  }
  return (
    readFileSync(join(packageRoot(), 'hooks/lanehold-hook.sh'), 'utf8')
      // A shell would read all comments at each event.
      .replaceAll(/(?<=\n) *#.*\n/g, '')
      .replace(
        '\n',
        '\n# Made of hooks/lanehold-hook.sh in the package of lanehold, which says what it does.\n',
      )
      .replace('@RUNS_NO_RELEASE@', () => runsNoRelease())
      .replace('@OPEN_INPUTS@', () => open.join('|'))
      .replace(/ *@SILENCES@\n/, () => cases(silences, '      '))
      .replace(/ *@REFUSALS@\n/, () => cases(refusals, '    '))
  );
}

function add(lines: Map<string, string[]>, line: string, name: string): void {
  lines.set(line, [...(lines.get(line) ?? []), name]);
}

const cases = (lines: ReadonlyMap<string, readonly string[]>, indent: string): string =>
  [...lines].map(([line, names]) => `${indent}${names.join('|')}) ${line} ;;\n`).join('');

/** The reason stands in JSON, or alone. */
function printed(text: string): string {
  if (text === '') return '';
  const variable = text.startsWith('{') ? '$lanehold_quoted' : '$lanehold_reason';
  return `printf %s ${shellQuoted(text).replaceAll(REASON, `'"${variable}"'`)}`;
}
