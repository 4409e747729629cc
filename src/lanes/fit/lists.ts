/**
 * Lists of a file in which a new element may be at any place: declarations, imported names, cases of different values,
 * named members. The order counts in anything that is not known to be such a list. Pure.
 */
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, syntaxOf } from '../judge/syntax-tree.ts';
import { mayHoldTests } from '../judge/test-cases.ts';
import { type Item, type Lists, listsOfLines } from './line-lists.ts';

/** Code that iterates over its own declarations depends on their order. */
const REFLECTION =
  /\b(?:globals|locals|vars|dir)\(|__dict__|__subclasses__|getOwnProperty|ownKeys|\((?:this|exports)\)/;

/** The lists; `undefined` if the language is unknown, or the file has a syntax error. */
export async function listsOf(path: string, source: string): Promise<Lists | undefined> {
  const parse = await syntaxOf(path);
  if (parse === undefined) return listsOfLines(path, source);
  if (REFLECTION.test(source)) return new Map();
  const top = parse(source);
  const cursor = top.cursor();
  do if (cursor.type.isError) return undefined;
  while (cursor.next());
  const found = new Map<string, Item[]>();
  const twice = new Set<string>();
  const within = mayHoldTests(path) ? `Tests ${top.name}` : top.name;
  collect(source, top, '', within, (place, items) => {
    if (found.has(place)) twice.add(place);
    found.set(place, items);
  });
  // With two lists of one name it is uncertain which one is meant.
  for (const place of twice) found.delete(place);
  return found;
}

/** Nodes that belong together: a name of an import with its alias, a case with its statements. */
type Group = readonly [SyntaxNode, ...SyntaxNode[]];

/** @param within types of the nodes around, from the outside in. */
function collect(
  source: string,
  node: SyntaxNode,
  place: string,
  within: string,
  found: (place: string, items: Item[]) => void,
): void {
  const rules = RULES.filter((it) => it.list.test(within));
  const groups = rules.length === 0 ? [] : groupsIn(node);
  const items = groups.map((group, at) =>
    itemOf(source, group, rules, { within, previous: groups[at - 1] }),
  );
  if (rules.length > 0) found(`${place} ${node.name}`, items);
  const inside = rules.length === 0 ? [childrenOf(node)] : groups;
  for (const [at, group] of inside.entries()) {
    const id = items[at] ? `${place} ${node.name} ${items[at].id}` : place;
    for (const it of group) collect(source, it, id, `${within} ${it.name}`, found);
  }
}

const LITERAL = /(?<name>"[^"\\]*"|'[^'\\]*'|-?(?:0|[1-9]\d*)(?![\w.]))/.source;
const MODIFIERS =
  /^(?:(?:export|async|static|public|private|protected|abstract|pub(?:\([^)]*\))?|#\[(?:derive|test|inline|allow|must_use|cfg)\b[^\]]*\]|@(?:property|staticmethod|classmethod)\b)\s+)*/
    .source;
const BRANCH = String.raw`^(?:else\s+)?(?:el)?if\s+\(?(?<subject>[A-Za-z]\w*) ={2,3} ${LITERAL}\s*[):{]`;
const SEQUENCE = /(?:Script|SourceFile|Block|Body|ClassBody|DeclarationList)$/;
const KEY = /^["']?(?<name>[\w$./@-]+)["']?\s*(?:[:(]|$)/;
/** The whole value of a variable of the file. */
const VALUE =
  /^Script (?:ExportDeclaration )?(?:Variable|Assign)\w+ (?:BinaryExpression )?(?:Object|Dictionary)Expression$/;
/** Precedes an enum or a struct of Rust that derives nothing that depends on the order. */
const PLAIN =
  /^\s*(?:\/\/.*\s+)*(?:#\[derive\((?:(?:Debug|Clone|Copy|PartialEq|Eq|Hash|Default)[, ]*)*\)\]\s*)?(?:pub\S* )?(?:enum|struct) [\w<>', ]+$/;

const NAME = /^(?:type )?(?:\w+ as )?(?<name>[\w$]+)$/;
const OF_PACKAGE = /^JsonText Object Property Object$/;

interface Rule {
  /** The types of a list's node, and of those around. */
  readonly list: RegExp;
  /** Matches an element, which adds `name`, or the words of `names`. */
  readonly item: RegExp;
  /** Matches the text before the list. */
  readonly after?: RegExp;
  /** Matches a text that the list has to contain, and one that the file must not contain. */
  readonly has?: RegExp;
  readonly unless?: RegExp;
  /** The element is selected by its value. */
  readonly isChoice?: true;
  readonly isOwned?: true;
}

/** The first rule that matches an element counts. */
const RULES: readonly Rule[] = [
  { list: SEQUENCE, item: /^import (?:type )?(?<names>[^'"*]+|\* as \w+) from .*$/s },
  { list: SEQUENCE, item: /^(?:from [\w.]+ )?import (?<names>[^'"*]+)$/s },
  { list: SEQUENCE, item: /^(?:pub )?use (?:\w+::)*(?<names>\w+|\{[^*]+\})(?: as \w+)?;$/s },
  { list: SEQUENCE, item: /^export (?:type )?\{(?<names>[^}]*)\}.*$/s, isChoice: true },
  {
    list: SEQUENCE,
    item: new RegExp(
      `${MODIFIERS}(?:function\\*?|interface|type|enum|def|fn|func(?: \\([^)]*\\))?|struct|trait|const|let)\\s+(?<name>[\\w$]+)`,
    ),
  },
  {
    // Some base classes of Python are notified of each new subclass.
    list: SEQUENCE,
    item: new RegExp(
      `${MODIFIERS}class\\s+(?<name>[\\w$]+)(?=\\s*(?:[:{]|extends|implements|\\(\\w*(?:Exception|Error|TestCase)\\)))`,
    ),
  },
  { list: /^Script$/, item: /^(?<name>[A-Z_\d]+) = / },
  { list: /ClassBody$/, item: new RegExp(`${MODIFIERS}(?<name>[\\w$]+)(?:<[^>]*>)?\\(`) },
  {
    list: / ClassDefinition Body$/,
    item: /^(?<name>[A-Z]\w*) = (?:"[^"]*"|'[^']*')$/,
    isOwned: true,
  },
  {
    list: /(?:MethodDeclaration Block|ClassDefinition Body FunctionDefinition Body)$/,
    item: /^(?:this|self)\.(?<name>\w+) = (?:-?[\d.]+|"[^"]*"|'[^']*'|[Tt]rue|[Ff]alse|null|None|\[\]|\{\});?$/,
    // A setter may be a function.
    unless: /\b(?:extends|set)\b|setter|__set|class \w+\(/,
    isChoice: true,
  },
  {
    list: /^Tests Script$/,
    item: /^(?:test|it|describe)(?:\.\w+)*\(\s*(?<name>"[^"]*"|'[^']*')/,
    isChoice: true,
  },
  {
    list: /(?:Block|Body)$/,
    item: new RegExp(`${BRANCH}[\\s{]*(?:return|throw|raise)\\b[^;{}\n]*;?\\s*\\}?$`),
    isChoice: true,
  },
  { list: / If(?:Statement|Expression)$/, item: new RegExp(BRANCH), isChoice: true },
  {
    list: / (?:Switch|Match)B\w+$/,
    item: new RegExp(`^(?:case )?${LITERAL}(?::| =>)`),
    isChoice: true,
  },
  {
    // The element is a variant: a constant may equal another one.
    list: / MatchBlock$/,
    item: /^(?:\w+::)+(?<name>\w*[a-z]\w*)\s*(?:[({][^|=]*[)}]\s*)?=>/,
    isChoice: true,
  },
  {
    list: / (?:ImportGroup|UseList|ImportStatement)$/,
    item: NAME,
  },
  { list: / ExportGroup$/, item: NAME, isChoice: true },
  { list: / ImportDecl SpecList$/, item: /^(?:[A-Za-z]\w* )?"(?:.*\/)?(?<name>[\w.-]+)"$/ },
  { list: / (?:ObjectType|InterfaceBody)$/, item: /^(?:readonly )?(?<name>\w+)(?=\??:|\()/ },
  {
    // Values of other types may run code when they are dropped, in their order.
    list: / FieldDeclarationList$/,
    item: /^(?:pub\S* )?(?<name>\w+): (?:Option<)?(?:[ui](?:size|\d+)|f\d+|bool|char|String)>?$/,
    after: PLAIN,
  },
  // Variants without fields have numbers.
  { list: / EnumVariantList$/, item: /^(?<name>\w+)/, after: PLAIN, has: /[{,]\s*\w+[({]/ },
  { list: / UnionType$/, item: /^(?<name>.+)$/s },
  { list: VALUE, item: KEY, isOwned: true },
  {
    list: /^Script (?:ExportDeclaration )?VariableDeclaration NewExpression ArgList ArrayExpression$/,
    item: /^\[\s*(?<name>"[^"]*"|'[^']*')\s*,/,
    after: /new Map\($/,
    isOwned: true,
  },
  {
    list: / ArrayExpression$/,
    item: /^\(\s*(?<name>"[^"]*")\s*,/,
    after: /(?:Hash|BTree)Map::from\($/,
  },
  { list: / FieldInitializerList$/, item: KEY },
  { list: / LiteralValue$/, item: /^"?(?<name>\w+)"?:/ },
  { list: OF_PACKAGE, item: KEY, after: /"\w*[dD]ependencies": $/ },
  { list: OF_PACKAGE, item: /^"(?<name>(?!pre|post)[\w:-]+)"/, after: /"scripts": $/ },
];

function itemOf(
  source: string,
  group: Group,
  rules: readonly Rule[],
  { within, previous }: { readonly within: string; readonly previous: Group | undefined },
): Item {
  const [first] = group;
  const text = source.slice(first.from, group.at(-1)?.to).trimEnd();
  const end = first.from + text.length;
  const comment = /^[ \t]*(?:\/\/|#).*/.exec(source.slice(end))?.[0] ?? '';
  const span = { from: first.from, to: end + comment.length };
  const rule = ruleFor(source, rules, text, first.parent);
  const frame = () => group.map((it) => frameOf(source, it, `${within} ${it.name}`)).join(' ');
  if (rule === undefined) return { id: frame(), ...span };
  const found = rule.item.exec(text);
  const { name = '', names, subject } = found?.groups ?? {};
  const isFree = rule.isChoice
    ? [group, previous ?? group].every(ends)
    : !group.some(isRun) && (!names || wordsIn(names).every((it) => source.split(it).length > 2));
  return {
    id: first.name.startsWith('If') ? frame() : (found?.[0] ?? '').replace(BROUGHT, ''),
    ...span,
    names: isFree ? namesIn(rule, name, names, text) : undefined,
    // In some languages a number equals a text.
    subject: subject && `${subject} ${/^\d/.test(name)}`,
    owner: rule.isOwned && ownerOf(source, first),
  };
}

const wordsIn = (names: string): string[] => names.match(/\b(?!(?:as|type)\b)[\w$]+/g) ?? [];

function namesIn(rule: Rule, name: string, names: string | undefined, text: string): string[] {
  const words = names === undefined ? [name.replace(/^["']|["']$/g, '')] : wordsIn(names);
  const number = names || rule.list === OF_PACKAGE ? undefined : NUMBER.exec(text)?.[1];
  // The other side may use a value as a word; two sides that continue a numbering use the same number.
  const values = [...(rule.isChoice ? words : []), ...(number ? [number] : [])];
  return [...(rule.isChoice ? [] : words), ...values.map((it) => `= ${it}`)];
}

function ruleFor(source: string, rules: readonly Rule[], text: string, list: SyntaxNode | null) {
  const before = source.slice(0, list?.from).replace(/^[\s\S]*[;}]/, '');
  const inside = source.slice(list?.from, list?.to);
  return rules.find(
    ({ item, after = ANY, has = ANY, unless }) =>
      item.test(text) && after.test(before) && has.test(inside) && !unless?.test(source),
  );
}

const ANY = /^/;
/** The end of an element, if it has a digit: a code, a bit, a version. */
const NUMBER = /(?:[:=,>]|return)\s+([^;,{}()\n]*\d[^;,{}()\n]*)[;)\]\s}]*$/;
/** The part of an import that the next addition changes. */
const BROUGHT = /\{[^{}]*\}|(?<=^from \S+ import )[\s\S]*/;
const RUNS =
  /^(?:Call|New|Await|Yield|Postfix|Update|AssignmentExpr|Named|Tagged|Macro|Decorator|StaticBlock|DynamicImport|delete)/;

/** Whether code runs when this is reached; the body of a function runs when it is called. */
function isRun(node: SyntaxNode): boolean {
  const isFunction = /^(?:Function|Method|Arrow|Lambda|Closure)/.test(node.name);
  const children = childrenOf(node).filter(({ name }) => !isFunction || /^Param/.test(name));
  const isCount = node.name === 'ArithOp' && node.to - node.from > 1;
  return isCount || RUNS.test(node.name) || children.some(isRun);
}

/** Whether a case does not fall through to the next one. */
function ends(group: Group): boolean {
  const last = group.at(-1)?.name ?? '';
  if (group[0].name !== 'CaseLabel') return !last.startsWith('Fallthrough');
  return /^(?:Return|Break|Throw|Continue)/.test(last);
}

/** The rest of a text without the elements of its lists. */
function frameOf(source: string, node: SyntaxNode, within: string): string {
  const children = childrenOf(node);
  const text = source.slice(node.from, node.to);
  if (node.name.startsWith('If')) return text.slice(0, (children[1]?.to ?? node.to) - node.from);
  if (RULES.some(({ list }) => list.test(within))) return node.name;
  if (children.length === 0) return text;
  return children.map((it) => frameOf(source, it, `${within} ${it.name}`)).join(' ');
}

function ownerOf(source: string, node: SyntaxNode): string | undefined {
  if (/^(?:Variable|Assign|ClassDefinition)/.test(node.name) && node.parent?.name !== 'Body')
    return /^(?:(?:const|let|var|class)\s+)?([\w$]+)/.exec(source.slice(node.from))?.[1];
  return node.parent ? ownerOf(source, node.parent) : undefined;
}

const FLAT = /^(?:ImportGroup|ExportGroup|ImportStatement|DictionaryExpression)$/;

function groupsIn(node: SyntaxNode): Group[] {
  const groups: [SyntaxNode, ...SyntaxNode[]][] = [];
  const isFlat = FLAT.test(node.name);
  const begins = isFlat ? /^,$/ : STARTS.find(([type]) => type.test(node.name))?.[1];
  let isNew = true;
  for (const it of partsOf(node)) {
    isNew ||= begins === undefined || begins.test(it.name);
    if (/Comment$|^[{}()[\]:;,]$|^LogicOp$/.test(it.name)) continue;
    if (isNew || groups.length === 0) groups.push([it]);
    else groups.at(-1)?.push(it);
    isNew = false;
  }
  return groups;
}

/** The first node of an element of several nodes, if nothing separates the elements. */
const STARTS: readonly (readonly [list: RegExp, node: RegExp])[] = [
  [/^(?:Switch|Match)B/, /^(?:Case|Default|Match)/],
  [/^If/, /^(?:else|elif)$/],
];

/** The parts of a chain: an `else if` is nested in the one before. */
function partsOf(node: SyntaxNode): SyntaxNode[] {
  const parts = childrenOf(node);
  if (node.name === 'ImportStatement')
    return parts.slice(1 + parts.findIndex(({ name }) => name === 'import'));
  const last = parts.at(-1);
  const isNested = last !== undefined && /^If/.test(node.name) && last.name === node.name;
  return isNested ? [...parts.slice(0, -1), ...partsOf(last)] : parts;
}
