/** The part of `doctor` that is about what agents have of ours beside their hooks. */
import { dirname } from 'node:path';
import type { InstallFile, Place } from '../../agents/install.ts';
import { statusLineIn } from '../../agents/kit/status-line.ts';
import { readText } from '../../base/files/user-files.ts';
import { plural } from '../../base/text/count.ts';
import { shellQuoted } from '../../base/text/shell-quote.ts';
import type { Installer } from '../../install/targets.ts';
import { type Finding, guarded, ok, warning } from '../../install/verify.ts';

export interface FoundExtra {
  /** The file as this version would write it. */
  readonly row: InstallFile;
  readonly isRecorded: boolean;
}

/** Nothing here keeps a push from being held, so nothing is broken. */
export async function checkExtras(
  { name, title, settingsFilesInForce }: Installer,
  extras: readonly FoundExtra[],
  place: Place,
): Promise<Finding[]> {
  const skills = extras.filter(({ row }) => row.extra === 'skills');
  const folders = Map.groupBy(skills, ({ row }) => dirname(dirname(row.file)));
  const findings: Finding[] = [];
  const lines = extras.filter(({ row }) => row.extra === 'statusline');
  for (const [folder, found] of folders) {
    findings.push(...(await guarded('skills', () => checkSkills(folder, found))));
  }
  if (findings.length === 0 && skills.length > 0) {
    const hint = `to write them: \`lanehold install --agent ${name}\``;
    findings.push(ok('skills', `${title} has no skills of lanehold`, hint));
  }
  for (const { row } of lines) {
    findings.push(
      ...(await guarded('statusline', () => {
        const others = settingsFilesInForce(place).filter((it) => it !== row.file);
        return checkStatusLine({ name, title }, row, others);
      })),
    );
  }
  return findings.map((it) => (it.state === 'broken' ? { ...it, state: 'warning' } : it));
}

/** @param others settings that count as well; that of a project takes the place of the user's. */
function checkStatusLine(
  { name, title }: Pick<Installer, 'name' | 'title'>,
  { file, editor }: InstallFile,
  others: readonly string[],
): Finding[] {
  const text = readText(file) ?? '{}';
  const found = statusLineIn(text);
  const check = 'statusline';
  const install = `\`lanehold install --agent ${name} --yes\``;
  switch (found.kind) {
    case 'none':
      return [ok(check, `${title}: no status line`, `to show what is held there: ${install}`)];
    case 'theirs':
    case 'unknown':
      return [
        ok(check, `${title}: a status line of your own`, `to have lanehold’s below it: ${install}`),
      ];
    case 'ours': {
      const what = found.theirs === undefined ? 'lanehold’s' : 'lanehold’s, below your own';
      const hiding = others.flatMap((it) => {
        const other = statusLineIn(readText(it) ?? '{}');
        const hides = other.kind === 'theirs' && !other.theirs.includes('lanehold');
        return hides ? [{ it, theirs: other.theirs }] : [];
      });
      if (hiding[0] !== undefined) {
        const { it, theirs } = hiding[0];
        const fact = `${title}: the status line in ${it} takes the place of lanehold’s here`;
        const hint = `to show both: have it run \`lanehold statusline --wrap ${shellQuoted(theirs)}\``;
        return [warning(check, fact, hint)];
      }
      const fact = `${title}: the status line is ${what}`;
      const isCurrent = editor.plan(file, { current: text, bare: undefined }).state === 'current';
      if (isCurrent) return [ok(check, fact)];
      return [warning(check, `${fact}, of another version`, 'run `lanehold doctor --fix`')];
    }
  }
}

function checkSkills(folder: string, found: readonly FoundExtra[]): Finding[] {
  const current = found.filter(({ row }) => stateOf(row) === 'current').length;
  const summary = ok('skills', `${plural(current, 'skill')} in ${folder}`);
  return [...(current === 0 ? [] : [summary]), ...found.flatMap(checkSkill)];
}

function checkSkill({ row, isRecorded }: FoundExtra): Finding[] {
  const { file, what } = row;
  const check = 'skills';
  const hint = 'run `lanehold doctor --fix`';
  switch (stateOf(row)) {
    case 'absent':
      return isRecorded ? [warning(check, `the ${what} is gone: ${file}`, hint)] : [];
    case 'changed':
      return [warning(check, `the ${what} was changed or is of another version: ${file}`, hint)];
    case 'theirs':
      return [ok(check, `the ${what} is not lanehold’s, and stays: ${file}`)];
    case 'current':
      return [];
  }
}

type State = 'absent' | 'theirs' | 'current' | 'changed';

function stateOf({ file, editor }: InstallFile): State {
  const text = readText(file);
  if (text === undefined) return 'absent';
  if (editor.withoutOurs(file, text) === text) return 'theirs';
  const { state } = editor.plan(file, { current: text, bare: undefined });
  return state === 'current' ? 'current' : 'changed';
}
