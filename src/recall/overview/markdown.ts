/** Writes an overview as a short document. Names come from files of the repository, and cannot end their line. */
import { plural } from '../../base/text/printable.ts';
import { inert } from '../fence.ts';
import type { Overview } from './overview.ts';

export function overviewMarkdown(overview: Overview): string {
  const { name, about, packages, commands, entryPoints, folders, changed, features } = overview;
  const said = about === '' ? [] : ['', inert(about, 200)];
  return [
    `# ${inert(name, 80)}`,
    '',
    summary(overview),
    ...said,
    ...section(
      'Commands',
      commands.map((it) => `${it.purpose}: ${code(it.command)} (${inert(it.from, 60)})`),
    ),
    ...section('Packages', [
      ...packages.slice(0, MOST_LISTED).map((it) => `${code(it.folder)}: ${inert(it.name, 80)}`),
      ...more(packages),
    ]),
    ...section(
      'Entry points',
      entryPoints.map(({ path, name: command, present }) => {
        const typed = command === '' ? '' : `, started as ${code(command)}`;
        const isMade = !present && !path.includes(':');
        return `${code(path)}${typed}${isMade ? ', made by the build' : ''}`;
      }),
    ),
    ...section(
      'Where the source is',
      folders.map((it) => `${code(it.path)}: ${plural(it.files, 'file')}`),
    ),
    ...section(
      `Changed most in the last ${plural(changed.commits, 'commit')}`,
      changed.files.map((it) => `${code(it.path)}: ${it.commits}`),
    ),
    ...section('Features', [
      ...features
        .slice(0, MOST_LISTED)
        .map((it) => `${code(it.name)}: ${plural(it.files, 'file')}`),
      ...more(features),
    ]),
  ].join('\n');
}

/** The most packages, and the most features. */
const MOST_LISTED = 40;

const more = ({ length }: readonly unknown[]): string[] =>
  length <= MOST_LISTED ? [] : [`and ${length - MOST_LISTED} more`];

/** One line, whose beginning is shown at the start of a session. */
function summary({ languages, packages, commands }: Overview): string {
  const main = (['test', 'build', 'run'] as const).flatMap((purpose) => {
    const command = commands.find((it) => it.purpose === purpose)?.command;
    return command === undefined ? [] : `${purpose} with ${code(command)}`;
  });
  const written = languages.map((it) => `${it.name} (${plural(it.files, 'file')})`).join(', ');
  const parts = [
    ...main,
    written === '' ? 'no source files' : written,
    ...(packages.length === 0 ? [] : [plural(packages.length, 'package')]),
  ];
  return `${parts.join('; ').replace(/^./, (it) => it.toUpperCase())}.`;
}

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines.map((it) => `- ${it}`)];

const code = (text: string): string => `\`${inert(text, 120).replaceAll('`', "'")}\``;
