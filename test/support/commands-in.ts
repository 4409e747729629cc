/** The commands that a text names, as a reader would copy them, and the forms among them filled in. */

/** How texts call lanehold: by its name, or by the Node and the file that an agent's shell does not have on PATH. */
const PROGRAM = String.raw`(?:lanehold|\S+/node \S+/lanehold\.js)`;

/** A command stands in backticks, or ends its line after a colon; a line that begins with one tells a fact. */
const IN_BACKTICKS = new RegExp(`(?<!^)\`(${PROGRAM} [^\`]+|git [^\`]+|npm [^\`]+)\``, 'gm');
const AT_LINE_END = new RegExp(`(?<=: )((?:[^:\`\\n]* && )?${PROGRAM} [a-z][^\`\\n]*)$`, 'gm');

/** In their order; what a verdict says was judged is no advice. */
export function commandsIn(text: string): string[] {
  const advice = text.replaceAll(/^lanehold (?:holds|asks before) .*$/gm, '');
  const found = [IN_BACKTICKS, AT_LINE_END].flatMap((pattern) =>
    [...advice.matchAll(pattern)].map((it) => ({ at: it.index, command: it[1] ?? '' })),
  );
  const inOrder = found.toSorted((one, other) => one.at - other.at);
  return [...new Set(inOrder.map(({ command }) => command))];
}

/** What a person writes in the place of a word in capitals. */
const FORMS: Readonly<Record<string, string>> = {
  NAME: 'extra',
  GLOB: '**',
  COMMAND: 'true',
  REASON: 'the sandbox is down',
  NOTES: 'read it through',
  AGENT: 'claude-code',
};

export const filledIn = (command: string): string =>
  command.replaceAll(/\b[A-Z]{3,}\b/g, (word) => FORMS[word] ?? word);
