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

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
