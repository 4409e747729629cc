/** The texts of `init`: the plan, or the result, in at most 25 lines of 80 columns. */
import type { GitHoldHere } from '../../app/setup/git-hook.ts';
import type { InitReport } from '../../app/setup/init.ts';
import { plural, printable } from '../../base/text/printable.ts';
import { shellWord } from '../../base/text/shell-quote.ts';
import { draftText } from './features.ts';
import { fitted } from './fit.ts';
import { installText, isChanged } from './install.ts';
import type { Output } from './output.ts';
import { renderTable } from './table.ts';
import { outcome, remarksOn } from './tried.ts';

const COLUMNS = 80;
const LEARN = '`lanehold feature learn` measures which files the tests read';
const HOLDS =
  '. What it pushes or publishes is held until the tests of what it changed have passed; it is told how.';
const LABEL = 10;
const MOST_FEATURES = 7;
const MOST_REMARKS = 6;
const MOST_WARNINGS = 2;

export const changesNothing = ({ agents, discovered, git }: InitReport): boolean =>
  (agents === null || !isChanged({ dryRun: false, agents })) &&
  (discovered?.proposed.length ?? 0) === 0 &&
  (discovered?.uncovered ?? null) === null &&
  git?.state !== 'new' &&
  git?.husky?.state !== 'new';

/** The plan; with `--verbose`, every line that would be written. */
export async function planText(plan: InitReport, context: Output): Promise<string> {
  const { agents, discovered } = plan;
  const rows = [initText(plan, context.streams.stdout.columns)];
  if (changesNothing(plan)) return rows.join('\n');
  if (!context.verbose)
    return [...rows, row('All of it', '`lanehold init --dry-run --verbose`')].join('\n');
  if (agents !== null) rows.push(await installText(context, { dryRun: true, agents }));
  if (discovered !== null && discovered.draft !== null)
    rows.push('lanehold.json:', draftText(discovered));
  return rows.join('\n');
}

export function initText(report: InitReport, columns = COLUMNS): string {
  return fitted(rowsOf(report, columns).join('\n'), columns);
}

function rowsOf(report: InitReport, columns: number): string[] {
  const { dryRun, interrupted, discovered, registered, toCommit } = report;
  const isCurrent = changesNothing(report);
  const lines = [
    ...(isCurrent ? ['Nothing to change'] : []),
    ...agentLines(report),
    ...gitLines(report),
    ...(interrupted ? ['Interrupted: no features were written'] : featureLines(report, columns)),
  ];
  if (interrupted || dryRun) return lines;
  if (toCommit.length > 0) {
    const files = toCommit.map((file) => shellWord(printable(file))).join(' ');
    lines.push(row('Commit', `git add ${files} && git commit -m 'Add lanehold'`));
  }
  if (isCurrent) return lines;
  const proposed = discovered?.proposed ?? [];
  const holds = proposed.length + registered.length > 0 ? HOLDS : '';
  lines.push(
    ...(report.agents === null ? [] : [row('Next', `start a new session of your agent${holds}`)]),
    ...(proposed.some(({ rest }) => !rest) ? [row('Sharper', LEARN)] : []),
    row(
      'Undo',
      '`lanehold uninstall`, in all your projects; here git’s: `lanehold git-hook remove`',
    ),
  );
  return lines;
}

function agentLines({ agents, known, dryRun }: InitReport): string[] {
  if (agents === null) {
    return [
      row(
        'Agents',
        `none found on this machine, so nothing is installed. For one of ${known.join(', ')}: \`lanehold install --agent NAME\``,
      ),
    ];
  }
  const stateOf = (it: (typeof agents)[number]): string => {
    if (it.problem !== null) return `nothing, because ${it.problem.message}`;
    if (!isChanged({ dryRun, agents: [it] })) return 'installed already';
    const extra = it.files.some(({ what }) => what === 'statusline') ? ', status line' : '';
    return dryRun ? `hooks, skills${extra} for all your projects, in their settings` : 'installed';
  };
  const steps = agents.flatMap((it) => {
    const isDone = stateOf(it) === 'installed';
    return [...it.warnings, ...(isDone ? it.afterwards : [])].map(
      (text) => [it.title, text] as const,
    );
  });
  const states = together(agents.map((it) => [it.title, stateOf(it)]));
  const said = together(steps);
  const more = said.length - MOST_WARNINGS;
  return [
    row('Agents', states.join('; ')),
    ...said.slice(0, MOST_WARNINGS).map((it) => row('', it)),
    ...(more > 0 ? [row('', `and ${more} more: \`lanehold doctor\``)] : []),
  ];
}

/** Lines of facts, in which one that is true of several agents is printed once. */
function together(facts: readonly (readonly [title: string, text: string])[]): string[] {
  return [...Map.groupBy(facts, ([, text]) => text)].map(
    ([text, them]) => `${them.map(([title]) => title).join(', ')}: ${printable(text)}`,
  );
}

function gitLines({ git, dryRun }: InitReport): string[] {
  if (git === null) {
    return [row('git', 'left alone; to let it hold pushes, too: `lanehold git-hook install`')];
  }
  return [
    row('git', gitText(git, dryRun)),
    ...(git.husky === null ? [] : [row('', huskyText(git.husky, dryRun))]),
  ];
}

function gitText({ state, file, why }: GitHoldHere, dryRun: boolean): string {
  if (state === 'left') {
    return `left alone: ${printable(why ?? '')}; all the same: \`lanehold git-hook install\``;
  }
  if (state === 'current') return 'holds pushes from this clone already';
  const verb = dryRun ? 'would hold' : 'holds';
  return `${verb} pushes from this clone${file === null ? '' : `, by ${printable(fromHere(file))}`}`;
}

/** The short path of a hook in the repository; git's own `.git` may be anywhere. */
const fromHere = (file: string): string => /\.git\/(?:.*\/)?hooks\/[^/]+$/.exec(file)?.[0] ?? file;

function huskyText({ state, file }: NonNullable<GitHoldHere['husky']>, dryRun: boolean): string {
  if (state === 'current') return `and in every clone, by ${printable(file)}`;
  const verb = dryRun ? 'would get' : 'has';
  return `${printable(file)} ${verb} lines that hold pushes in every clone, where lanehold is`;
}

function featureLines({ discovered, registered, dryRun }: InitReport, columns: number): string[] {
  if (discovered === null) {
    return [row('Features', `${registered.length} registered already: \`lanehold feature list\``)];
  }
  const { proposed, tried, untested } = discovered;
  if (proposed.length === 0 && tried.length === 0) {
    const [why, how] = untested
      ? [
          'nothing is known to run tests here, so you are asked about what leaves. To add one:',
          "`lanehold feature add NAME --files 'GLOB' --smoke 'COMMAND'`",
        ]
      : [
          'no source is here, so nothing is held. Once there is source and a test:',
          '`lanehold feature discover --write`',
        ];
    return [row('Features', `none: ${why}`), row('', how)];
  }
  const results = new Map(tried.map((it) => [it.feature, it]));
  const isPassed = ({ name }: { readonly name: string }) => results.get(name)?.result === 'passed';
  const verified = proposed.filter(isPassed).length;
  const count = `${plural(proposed.length, 'feature')} in lanehold.json`;
  const said = dryRun
    ? `${count}, each to be tested once:`
    : `${count}, ${verified} verified just now:`;
  // Failed proposals come first.
  const shown = proposed.toSorted((one, other) => Number(isPassed(one)) - Number(isPassed(other)));
  const rows = shown
    .slice(0, MOST_FEATURES)
    .map(({ name, fileCount, smoke }) => [
      `  ${name}`,
      plural(fileCount, 'file'),
      ...(dryRun ? [] : [outcome(results.get(name))]),
      smoke.map(({ command }) => command).join(' && ') || '(no test)',
    ]);
  const more = proposed.length - rows.length;
  const remarks = remarksOn(discovered);
  return [
    row('Features', proposed.length === 0 ? 'none proposed' : said),
    ...(rows.length === 0 ? [] : [renderTable(rows, columns)]),
    ...(more > 0 ? [`  and ${more} more: \`lanehold feature list\``] : []),
    ...remarks.slice(0, MOST_REMARKS).map((it) => row('', it)),
  ];
}

const row = (label: string, text: string): string => `${label.padEnd(LABEL)}${text}`;
