import type { VisitedCommand } from './finding.ts';

/** Programs whose output may be large; for others nothing is loaded. */
const PROGRAMS =
  /(?:^|\/)(?:cat|bat|less|more|head|tail|sed|nl|tac|sort|strings|xxd|hexdump|od|base64|jq|python3?|[gx]?zcat|bzcat|gunzip|npm|ls|tree|du|find)$/;

export const mayFlood = ({ argv: [name = ''], outputIsUsed }: VisitedCommand): boolean =>
  !outputIsUsed && PROGRAMS.test(name);
