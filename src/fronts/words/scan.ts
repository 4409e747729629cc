/** How the overview of a project looks. */
import type { SavedOverview, Scanned } from '../../app/recall/scan.ts';

export const scannedText = ({ markdown, saved }: Scanned): string =>
  saved === null ? markdown : `${markdown}\n\n${savedText(saved)}`;

function savedText({ path, id, state }: SavedOverview): string {
  if (state === 'unchanged') return `${path} says this already (${id})`;
  const before = state === 'changed' ? '; its earlier text stays as superseded' : '';
  return `Saved as ${path} (${id})${before}`;
}
