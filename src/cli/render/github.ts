/**
 * Text as a workflow annotation of GitHub Actions.
 *
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(text: string, held: boolean): string {
  const [verdict = '', ...rest] = text.split('\n');
  if (!held) return `::notice title=lanehold::${data(verdict)}`;
  return [`::error title=${property(verdict)}::${data(rest.join('\n'))}`, text].join('\n');
}

/** The same as Markdown, for the page of the run. All of it may come from the repository. */
export function githubSummary(text: string, held: boolean): string {
  const [verdict = '', ...rest] = text.split('\n');
  const body = rest.map((line) => `${line.startsWith('- ') ? '' : '\n'}${markdown(line)}`);
  return [`### ${held ? '❌' : '✅'} ${markdown(verdict)}`, '', ...body, '', ''].join('\n');
}

/** A list stays a list; nothing else of a line is taken for Markdown or HTML. */
function markdown(line: string): string {
  const [, bullet = '', rest = ''] = /^(- )?([\s\S]*)$/.exec(line) ?? [];
  return bullet + rest.trim().replaceAll(/[\\`*_{}[\]<>()#+.!|~&@-]/g, '\\$&');
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
