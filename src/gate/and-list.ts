import {
  type Command,
  type PipelineNode,
  parse,
  type Redirection,
  type Word,
  type WordPart,
} from 'unbash';

/** One command of a list whose commands run only if all before them have succeeded. */
export interface ListedCommand {
  /** `undefined` if it is not literal text: an assignment, a variable. */
  readonly program: string | undefined;
  /** Program first; `undefined` unless all words are literal, and nothing is set or written for it. */
  readonly argv: readonly string[] | undefined;
  /** The position in the text at which it, or the pipeline around it, begins. */
  readonly start: number;
  /** It is a part of a pipeline: it runs at the same time as the other parts, and its failure may go unseen. */
  readonly piped: boolean;
}

/** `undefined` if the text is anything but simple commands and pipelines that are joined by `&&` alone. */
export function andList(text: string): readonly ListedCommand[] | undefined {
  const { commands, errors } = parse(text);
  const [statement, ...others] = commands;
  if (errors?.length || statement === undefined || others.length > 0 || statement.background) {
    return undefined;
  }
  const { command } = statement;
  if (command.type !== 'AndOr') return elements(command, text);
  if (command.operators.some((it) => it !== '&&')) return undefined;
  const listed = command.commands.map((it) => elements(it, text));
  return listed.every((it) => it !== undefined) ? listed.flat() : undefined;
}

function elements(node: PipelineNode, text: string): readonly ListedCommand[] | undefined {
  if (node.type === 'Command') return [{ ...listed(node, text), piped: false }];
  if (node.type !== 'Pipeline' || node.prefixes.length > 0) return undefined;
  const simple = node.commands.filter((it): it is Command => it.type === 'Command');
  if (simple.length < node.commands.length) return undefined;
  return simple.map((it) => ({ ...listed(it, text), start: node.pos, piped: true }));
}

function listed(
  { pos, name, prefix, args, redirects }: Command,
  text: string,
): Omit<ListedCommand, 'piped'> {
  const program = name !== undefined && isLiteral(name) ? name.value : undefined;
  const literal = args.flatMap((it) => (it.type === 'Word' && isLiteral(it) ? it.value : []));
  const isPlain = prefix.length === 0 && redirects.every((it) => writesNoFile(it, text));
  const argv =
    program !== undefined && isPlain && literal.length === args.length
      ? [program, ...literal]
      : undefined;
  return { program, argv, start: pos };
}

/** True for `2>&1` and `>/dev/null`. */
function writesNoFile({ pos, end }: Redirection, text: string): boolean {
  return /^\d?(?:>&\d|&?>\s*\/dev\/null)$/.test(text.slice(pos, end));
}

function isLiteral({ text, parts = [] }: Word): boolean {
  return !text.startsWith('~') && parts.every(isLiteralPart);
}

function isLiteralPart(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((it) => it.type === 'Literal');
  return part.type === 'Literal' || part.type === 'SingleQuoted';
}
