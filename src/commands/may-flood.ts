/** Whether a command begins with a program whose output may be large; for others nothing is loaded. */
const PROGRAMS =
  /(?:^|&& )\s*(?:cat|bat|nl|tac|sort|strings|xxd|hexdump|od|base64|jq|python3?|[gx]?zcat|bzcat|gunzip|npm|ls|tree|du|find) /;

export const mayFlood = (command: string): boolean => PROGRAMS.test(`${command} `);
