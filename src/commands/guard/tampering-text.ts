import { printableLine } from '../../base/text/printable.ts';

/** The question to a person before holds are lifted; what a person can do is said by the agent's adapter. */
export function tamperingText(
  { what, where }: { readonly what: string; readonly where: string },
  subject: 'command' | 'edit',
): string {
  return (
    `lanehold asks: this ${subject} would ${what} (${printableLine(where, 120)}). ` +
    'Only a person may do that.'
  );
}
