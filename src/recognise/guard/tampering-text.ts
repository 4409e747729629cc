import { printableLine } from '../../text/printable.ts';

/** What is asked of a person when holds would be lifted by other means; headless it is a no. */
export function tamperingText(
  { what, where }: { readonly what: string; readonly where: string },
  subject: 'command' | 'edit',
): string {
  return (
    `lanehold asks: this ${subject} would ${what} (${printableLine(where, 120)}). ` +
    'Only a person may do that: by agreeing here, or in a terminal of their own.'
  );
}
