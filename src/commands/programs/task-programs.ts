/**
 * Tasks that are written in a language: the part of the file that defines a task, with the parts that
 * it names, is searched for the commands that it starts.
 */

export interface TaskLanguage {
  readonly language: string;
  /** Begins a definition; captures its name. */
  readonly definition: RegExp;
  /** Its texts are shell commands by themselves. */
  readonly texts?: true;
}

export const TASK_LANGUAGES = {
  python: { language: 'python', definition: /^(?:async )?def (?:task_)?(\w+)/gm },
  ruby: {
    language: 'ruby',
    definition: /^\s*(?:(?:multi)?task\s*\(?\s*[:'"]?|def (?:self\.)?|lane :)(\w[\w:-]*\w)/gm,
  },
  javascript: {
    language: 'node',
    definition:
      /^\s*(?:export )?(?:(?:async )?function (\w+)|(?:const|let|var) (\w+)\s*=|(?:module\.)?exports\.(\w+)\s*=|\w*\.?(?:task|registerTask|desc)\(\s*['"]([\w:-]+))/gm,
  },
  gradle: {
    language: 'groovy',
    definition:
      /^\s*(?:tasks\.)?(?:(?:register|create|named)(?:<\w+>)?\(\s*['"](\w+)|task\s*\(?\s*['"]?(\w+)|val (\w+) by|def (\w+)\(|fun (\w+)\()/gm,
  },
  go: { language: 'go', definition: /^func (?:\([^)]*\) )?(\w+)/gm },
} as const satisfies Record<string, TaskLanguage>;

const MOST_PARTS = 400;

/** The text that may run for a task; `undefined` if the file does not name it. */
export function programOfTask(
  text: string,
  task: string | undefined,
  { definition }: TaskLanguage,
): string | undefined {
  const parts = partsOf(text, definition);
  if (task === undefined) return text;
  const name = nameIn(task);
  const pending = parts.filter((it) => it.name === name);
  // The task may have got its name in another way.
  if (pending.length === 0) return new RegExp(`\\b${name}\\b`, 'i').test(text) ? text : undefined;
  const taken = new Set<Part>(parts.slice(0, 1).filter((it) => it.name === ''));
  for (const part of pending) {
    if (taken.has(part)) continue;
    taken.add(part);
    const named = new Set((part.text.match(/\w[\w:-]*\w/g) ?? []).map(nameIn));
    pending.push(...parts.filter((it) => named.has(it.name)));
  }
  return [...taken].map((it) => it.text).join('\n');
}

type Part = Readonly<Record<'name' | 'text', string>>;

/** The part before the first definition has no name. */
function partsOf(text: string, definition: RegExp): readonly Part[] {
  const starts = [...text.matchAll(definition)].slice(0, MOST_PARTS);
  const at = (index: number): number => starts[index]?.index ?? text.length;
  return [
    { name: '', text: text.slice(0, at(0)) },
    ...starts.map((match, index) => ({
      name: nameIn(match.slice(1).find(Boolean) ?? ''),
      text: text.slice(match.index, at(index + 1)),
    })),
  ];
}

export function textsOf(program: string): readonly string[] {
  return [...program.matchAll(/(["'`])((?:(?!\1)[^\\\n])*)\1/g)].map(([, , text = '']) => text);
}

/** The name without its namespaces. The runners write `-` for `_`. */
function nameIn(task: string): string {
  return task
    .slice(Math.max(task.lastIndexOf(':'), task.lastIndexOf('.')) + 1)
    .replaceAll('-', '_')
    .toLowerCase();
}
