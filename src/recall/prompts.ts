/** Cleans the words of users and agents before they are stored: nothing private, secret or pasted remains. */
import { cut, shortened } from '../base/text/quoting.ts';
import { redact } from '../base/text/redact/redact.ts';
import { withoutOwn } from './fence.ts';

const LONGEST_PROMPT = 4_000;
const LONGEST_SAID = 4_000;
const MOST_RULES = 12;
const LONGEST_RULE = 240;

/** `undefined` if nothing is left, or the text is one of an agent's own tags. */
export function spokenBy(prompt: string): { text: string; rules: readonly string[] } | undefined {
  const open = withoutOwn(withoutPrivate(prompt)).trim();
  if (open === '' || /^<[a-z][\w-]*>[\s\S]*<\/[\w-]+>$/.test(open)) return undefined;
  const clean = redact(open);
  return { text: folded(clean, LONGEST_PROMPT), rules: rulesIn(clean) };
}

export function saidText(said: string): string {
  return folded(redact(withoutOwn(withoutPrivate(said)).trim()), LONGEST_SAID);
}

/** The beginning and the end of a long text: a question often follows what is pasted, a result what was tried. */
function folded(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = text.slice(-Math.floor(most / 3)).replace(/^[\uDC00-\uDFFF]/, '');
  return `${cut(text, most - end.length - 3)} … ${end}`;
}

/** The text without private parts; an unclosed tag hides the rest. */
export function withoutPrivate(text: string): string {
  return text.replaceAll(/<private>[\s\S]*?(?:<\/private>|$)/gi, ' ');
}

/** Sentences in which the user says what must, or must not, be done. */
export function rulesIn(text: string): string[] {
  return sentences(withoutCode(text))
    .filter((it) => RULE.test(it) && !NO_RULE.test(it) && !withdraws(it))
    .slice(0, MOST_RULES)
    .map((it) => shortened(it, LONGEST_RULE));
}

export const withoutCode = (text: string): string => text.replaceAll(/```[\s\S]*?(?:```|$)/g, ' ');

/** The sentence without a word that says its kind, which is shown beside it. */
export const withoutLabel = (sentence: string): string => sentence.replace(LABEL, '');

const LABEL =
  /^(?:next(?: steps?)?|todo|note|done|decisions?|learned|gotchas?|entscheidung|beschluss|décision|decisión)\s*[:\u2013-]\s*/iu;

export function sentences(text: string): string[] {
  return text
    .split(/(?<=[.!?;])\s+|(?<=[\u3002\uff01\uff1f])\s*|\n+/)
    .map((it) => it.replace(/^\s*(?:[-*\u2022]|\d+[.)])\s+/, '').trim())
    .filter((it) => it.length > 5);
}

/** Alternatives in languages with spaces, in which no letter stands beside a word, and in those without. */
const words = (spaced: readonly string[], unspaced: readonly string[]): RegExp =>
  new RegExp(
    `(?<![\\w\\u00c0-\\u024f])(?:${spaced.join('|')})(?![\\w\\u00c0-\\u024f])|${unspaced.join('|')}`,
    'i',
  );

const RULE = words(
  [
    "do not|don[\u2019']?t|never|always|must|make sure|ensure|only (?:use|touch|change|edit|in|with)|without (?:changing|touching|adding|breaking|using)|leave .{1,60} (?:alone|as (?:it|they))|keep .{1,80} (?:unchanged|as (?:it|they)|below|under|intact|compatible)|avoid|no new|at most|stay (?:in|with)|has to|have to",
    'nicht|niemals|nie|immer|muss|nur',
    "(?:^|[,:] )n(?:e |[\u2019'])[^ ]+ (?:pas|jamais|rien|plus)|jamais|toujours|désormais|doi(?:s|t|vent)|devez|il faut|uniquement|sans (?:modifier|toucher|ajouter|casser)|évitez?|assure-toi",
    'no (?:edites|toques|modifiques|cambies|borres|elimines|añadas|uses|hagas)|nunca|jamás|siempre|debe[ns]?|hay que|tienen? que|únicamente|sin (?:cambiar|tocar|añadir|romper)|evita|asegúrate',
  ],
  [
    '不要|切勿|不得|禁止|必须|务必|一律|避免|确保|(?<![特区分个级])别(?![的人名])|只(?:能|用|改|许)|不能[改动删用修提]|从现在|今后|以后',
    'ないで(?:ください|$)|ないこと|いけません|いけない|必ず|絶対に|決して|禁止|今後|毎回',
  ],
);
/** Questions, and statements of fact. */
const NO_RULE =
  /[?\uff1f]\s*$|\b(?:i|we|it|they|he|she|that|this|which|users?|tests?) (?:still |just )?(?:do not|don[\u2019']?t|doesn[\u2019']?t|never|always|have to|has to)\b|\bdon[\u2019']?t (?:worry|know|think|understand|see|care)\b|^(?:[jl][\u2019']|(?:je|ils?|elles?|on|ça|cela|les?|la|yo|el|los|las|esto) )(?!.*(?:doi[st]|doivent|debe|tienen? que))/i;

const WITHDRAWAL = words(
  [
    "you (?:can|may)(?! (?:not|never|only))|forget|never ?mind|no longer|ignore (?:the|my|that|what)|(?:it[\u2019']s|it is) (?:ok|okay|fine)|not? (?:need|necessary)|(?:don[\u2019']?t|do not) (?:need|have) to|scrap|drop the rule|changed my mind",
    'du (?:kannst|darfst)(?!.*(?:nicht|nie|nur|kein))|vergiss|nicht mehr nötig',
    'tu peux|vous pouvez|oublie (?:la|le|ce)|plus (?:besoin|nécessaire)',
    '(?<!no )puedes|olvida (?:la|el|lo)|ya no (?:hace falta|es necesario)',
  ],
  ['(?<!不)可以|不用再|不再需要|不必', 'ても(?:いい|よい|良い|構い)|もう不要'],
);

const withdraws = (sentence: string): boolean => WITHDRAWAL.test(sentence);

/** Whether a later prompt withdraws the rule. */
export const isWithdrawn = (rule: string, later: string): boolean =>
  sentences(later).some((it) => withdraws(it) && sameMatter(rule, it));

/** The rules that still hold, the newest first. @param prompts the oldest first. */
export function standingRules(
  prompts: readonly { readonly text: string | null; readonly rules: readonly string[] | null }[],
): string[] {
  const standing: string[] = [];
  for (const { text, rules } of prompts) {
    const withdrawn = sentences(text ?? '').filter(withdraws);
    // The same rule in other words replaces the earlier one.
    for (const later of [...withdrawn, ...(rules ?? [])]) {
      const at = standing.findIndex((it) => sameMatter(it, later));
      if (at !== -1) standing.splice(at, 1);
    }
    standing.push(...(rules ?? []));
  }
  return standing.reverse();
}

/** Whether most of the significant words of the rule occur in the later sentence. */
function sameMatter(rule: string, later: string): boolean {
  const words = telling(rule);
  const having = telling(later);
  const shared = [...words].filter((it) => having.has(it)).length;
  return shared > 0 && shared >= Math.min(words.size, having.size) * 0.6;
}

function telling(sentence: string): Set<string> {
  const spaced = sentence
    .toLowerCase()
    .replaceAll(UNSPACED, (run) => run.replaceAll(/.(?=(.))/g, '$&$1 ').replace(/^/, ' '));
  const words = spaced.match(/[\p{L}\p{N}_./-]{3,}|[\u3040-\u9fff]{2}/gu) ?? [];
  return new Set(words.map((it) => it.replace(/[./-]+$/, '')).filter((it) => !COMMON.has(it)));
}

/** Chinese and Japanese, of which two letters are as much as a word. */
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]+/g;

const COMMON = new Set(
  'the and you your not don for with this that are can may now must never always only make sure ensure without any all again after before when need have use please forget about what said okay fine longer rule touch change edit edits changing touching nicht nie niemals immer darfst kannst jetzt jamais pas toujours peux nunca siempre puedes'.split(
    ' ',
  ),
);
