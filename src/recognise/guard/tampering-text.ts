import { printableLine } from '../../text/printable.ts';

/** The question to a person before holds are lifted; without a person it is a refusal. */
export function tamperingText(
  { what, where }: { readonly what: string; readonly where: string },
  subject: 'command' | 'edit',
): string {
  return (
    `lanehold asks: this ${subject} would ${what} (${printableLine(where, 120)}). ` +
    'Only a person may do that: by agreeing here, or in a terminal of their own.'
  );
}
