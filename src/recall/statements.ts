/**
 * Statements that are worth more than the session in which they were made: a decision, a trap, a preference, a lasting
 * demand, or something to be remembered. Found sentence by sentence, by words in six languages.
 */
import type { NoteKind } from '../store/recall.ts';

/**
 * A word with no Latin letter beside it, and no part of a compound; `\b` knows only ASCII. Made when it is first tested:
 * most events test none.
 */
function words(...alternatives: string[]): Pick<RegExp, 'test'> {
  let pattern: RegExp | undefined;
  const bounded = (it: string) =>
    /[\u3040-\u9fff]/.test(it)
      ? it
      : `(?<![\\p{sc=Latin}\\d])(?:${it})(?![\\p{sc=Latin}]|-\\p{sc=Latin})`;
  return {
    test(text) {
      pattern ??= new RegExp(alternatives.map(bounded).join('|'), 'iu');
      return pattern.test(text);
    },
  };
}

/** The first matching kind counts, so a demand with its reason is a trap before it is an instruction. */
const KINDS: readonly (readonly [NoteKind, Pick<RegExp, 'test'>])[] = [
  [
    'decision',
    words(
      'decisions?(?= ?[:\u2013-])|(?:final call|settled)(?= ?:)|decided (?:to|on|that|against|for|in)|agreed (?:to|on|that)|settled (?:on|for)',
      "(?:we|i|team)(?:[\u2019']ve| have)? (?:went|gone) with(?! (?:my|him|her|them|you|us) )|(?:we|i)(?:[\u2019']ll| will|[\u2019']re going to| are going to)? (?:go|going|stick|stay|sticking|staying) with",
      "let[\u2019']?s (?:(?:go|stick|stay) with|settle on)|(?:we|i)(?:[\u2019']ve| have)? (?:chose|chosen|picked|opted|dropped|ruled out|rejected)",
      "we(?:[\u2019']ll| will) (?:use|keep)|we(?:[\u2019']re| are)? (?:dropping|keeping|going|taking|moving|switching)|we(?:[\u2019']ll| will) (?:take|drop)|made up my mind|(?:it[\u2019']?s|its|call is) final|the team voted|(?:was|were) agreed|no longer support|will not support|go for|scrap|from here on|per your answer|we use .{1,80}(?:because|instead of|rather than)|(?:use|using|uses|chose) .{1,80}(?:instead of|rather than)",
      '(?:entscheidung|beschluss)(?= ?[:\u2013-])|entschieden|beschlossen|wir (?:nehmen|bleiben bei|nutzen|verwenden|setzen) .{1,80}(?:weil|denn|statt|anstelle)|wir (?:bleiben bei|setzen auf)|einigen uns|geeinigt|(?:dann )?machen wir das|wie besprochen',
      'décisions?(?= ?[:\u2013-])|(?:on|nous|avons|a) (?:a |avons )?(?:décidé|choisi|opté|retenu|tranché)|on (?:part|reste|garde) (?:sur|avec)|on abandonne|finalement .{1,80}ce sera|nous (?:partons|restons) (?:sur|avec)|on utilise .{1,80}(?:plutôt que|au lieu|parce|car)',
      'decisión(?= ?[:\u2013-])|(?:hemos )?(?:decidido|optado|elegido|acordado)|decidimos|optamos por|elegimos|acordamos|nos quedamos con|usamos .{1,80}(?:en lugar|en vez|porque)',
      '决定|決定|我们(?:最终)?(?:选择|采用|选用|选了|改用)|最终选|定了|商量过|还是先',
      '決定事項|に決め|[にと]決ま|方針と|ことに(?:した|しました|する|します)|を(?:採用|選択)',
    ),
  ],
  [
    'preference',
    words(
      "i(?:[\u2019']d)? (?:\\w+ )?prefer|i(?:[\u2019']d| would)(?: much)? rather|my preference|not a fan of|beats|(?:i )?can[\u2019']?t stand|(?:way )?easier than|more of a .{1,40} person|(?:i )?would like .{1,60} if possible|i (?:don[\u2019']?t|do not) (?:need|read)|i (?:\\w+ )?(?:like|love|want|hate|dislike) .{1,80}(?:better|more than|over)|i (?:really )?(?:hate|dislike|can[\u2019']t stand)|i (?:don[\u2019']t|do not) (?:like|want) (?:it when|you to|to see|any)|i like (?:my|short|small|it when)",
      'ich bevorzuge|ich mag (?:\\S+ ){1,6}lieber|(?:ist|wäre|sind|hab(?:e)? ich|hätte ich|möchte ich|möchte|will) (?:es )?(?:mir )?(?:\\S+ ){0,4}lieber|lieber (?:wäre|ist|sind) mir|ich hasse|ich mag (?:keine?n?|es nicht)|am liebsten',
      "je préfère|j[\u2019']aime mieux|j[\u2019']aimerais mieux|ma préférence|je déteste|j[\u2019']aime autant|c[\u2019']est mieux|je n[\u2019']aime pas",
      'prefiero|preferiría|me gusta(?:n)? m[áa]s|mi preferencia|odio|no me gusta(?:n)?',
      '我(?:更|比较|还是)?(?:喜欢|偏好|偏爱|倾向)|我不(?:喜欢|爱)|我宁愿|尽量|我讨厌',
      'ほうが(?:好き|好み|いい|よい|良い)|方が(?:好き|好み|いい|良い)|ほうがありがた|お願いしたい|が好み|を好み|好みは|嫌い',
    ),
  ],
  [
    'fact',
    words(
      "(?<!(?:can|to|will|not|i|we|they|users|[\u2019']ll) )remember (?:that|this|the|:|we|our|to)|remember[,:]|keep in mind|fyi|just so you know|(?:for|worth) (?:future reference|remembering)|you(?:[\u2019']?ll need (?:that|this)| should know)|save this|(?:dont|don[\u2019']t) forget|for the record|note (?:to self|for later)|bear in mind|don[\u2019']t forget (?:that|the|we|our)",
      'merke? dir|denke? daran|nicht vergessen|vergiss nicht|zur erinnerung|behalte? im kopf|zur info|für später',
      "souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|n[\u2019']oublie(?:z)? pas|retiens|retenez|garde(?:z)? en tête|pour rappel|pour info|à noter|note(?:z)? (?:bien )?que",
      'recuerda|recuerde|acuérdate|no olvides|ten(?:ga)? en cuenta|ten(?:ga)? presente|para que conste|para más adelante',
      '记住|请记得|记得|别忘|不要忘记|牢记|备忘|跟你说一下',
      '覚えて|ちなみに|後のため|忘れない|忘れず|念頭に',
    ),
  ],
  [
    'gotcha',
    words(
      "watch out|gotchas?|traps?(?= ?:)|pitfalls?|be careful|careful (?:with|when|not)|careful(?= ?[:,])|caution(?= ?:)|beware|(?:dont|don[\u2019']t) be fooled|turn(?:s|ed) out|looks harmless|root cause(?= ?:)|(?:lost|cost me) .{1,30}(?:hours?|day|time)|silently|only (?:pass(?:es)?|works?) (?:when|if)|unless you|if you .{1,60} twice|caveat|heads[ -]up|be aware|warning(?= ?:)|surprising(?:ly)?|note that|must not|(?:never|don[\u2019']t|do not|avoid) .{1,120}(?:because|otherwise|or else|since|it (?:breaks|deadlocks|fails|hangs))|(?:breaks|fails|hangs|crashes|deadlocks) (?:when|if|unless|silently)",
      'achtung|vorsicht(?:ig)?|aufpassen|pass auf|passt auf|stolperfalle|die falle|falle(?= ?:)|schlagen fehl|schlägt fehl|tückisch|(?:niemals|nie|nicht|kein\\w*) .{1,120}(?:weil|denn|sonst)',
      'attention|gare à|méfie[- ]toi|échoue sans|méfiez-vous|piège|fais gaffe|(?:jamais|pas) .{1,120}(?:car|parce que|sinon)',
      'cuidado(?= ?[:,!]| con| al| que)|ojo(?:(?= ?[:,])| con| que)|resulta que|problema escondido|atención|trampa|(?:nunca|jamás|no) .{1,120}(?:porque|si no|de lo contrario)',
      '注意|小心|当心|有个?坑|卡死|的坑|切勿|(?:千万|绝对)(?:不要|别|不能)|否则',
      '注意(?!書)|ないでください.{0,80}から|気を(?:つけ|付け)|落とし穴|罠|たまに落ち|ハマ',
    ),
  ],
  [
    'instruction',
    words(
      "from now on|whenever you|(?:do not|dont|don[\u2019']t) ever|stop (?:add|writ|us|mak|put|delet|chang|ask)ing|no exceptions|next time|make it a habit|for everything|every new|how we do it|must not .{1,60} again|every time|going forward|(?:don[\u2019']t|do not) .{1,60} by hand|in (?:the )?future|as a rule|(?:please )?always|never(?! ?mind)|don[\u2019']t ever",
      'ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|künftig|in zukunft|jedes mal|gilt für alle|immer|nie(?:mals)?',
      "désormais|dorénavant|à partir de maintenant|à l[\u2019']avenir|à chaque fois|valable partout|toujours|ne .{1,40}jamais",
      'a partir de ahora|de ahora en adelante|en adelante|cada vez|siempre|nunca|jamás',
      '从现在(?:起|开始)|从今|以后|今后|始终|总是|永远|绝不|每次|一律|别再',
      '今後|これから|以後|常に|必ず|決して|絶対に|毎回|どの作業でも',
    ),
  ],
];

/** Questions, and ideas that are only considered. Expressions with letters of all scripts are made when one is tested. */
const open = (): RegExp =>
  /[?\uff1f\u00bf]|^(?:suppose|imagine|assuming|translate|angenommen|supposons|supongamos|should|could|would|can|do(?! not)|does|did|is|are|what|why|how|when|where|who|which|maybe|perhaps|if|soll(?:en|te)?|kann|können|warum|wie|was|vielleicht|wenn|est-ce|peut-être|pourquoi|si|quizás?|tal vez|por qué)(?![\p{sc=Latin}])|吗|か(?:\u3002)?$/iu;

/** A sentence with such a subject describes what always happens, and demands nothing. */
const describing = (): RegExp =>
  /(?<![\p{sc=Latin}])(?:i|we|it|they|he|she|that|this|which|there|users?|tests?|\w+s|function|method|code|build|server|parser|loop|er|sie|es|das|man|il|elle|ils|ça|cela)(?: still| just|[\u2019']s| is| are| was| has| have| had| would| will| can| could| ist| wird| est)? (?:never|always|(?!.*\bjamais\b)ne |immer|nie|toujours|siempre|nunca)(?![\p{sc=Latin}])|nunca (?:vi|he|ha|hab[íi]a|funcion\S*)(?![\p{sc=Latin}])|总是|始终|永远|每次|常に/iu;

/** A sentence that begins like this describes a thing, unless it says what that must do. */
const HAS_SUBJECT = /^(?:the|this|these|our|die|der|das|le|la|les|l[\u2019']|el|los|las) /iu;
const demanding = (): RegExp =>
  /(?<![\p{sc=Latin}])(?:must|shall|should|has to|have to|muss|müssen|soll(?:en)?|doit|doivent|debe[n]?|tiene[n]? que|要|请|必须|从现在|今后|from now on|ab (?:jetzt|sofort)|désormais|à partir de maintenant|a partir de ahora|en adelante|应该|别|ください|ように|こと)(?![\p{sc=Latin}])/iu;

/** An agent's decision about its next step is no lasting decision. */
const ownStep = (): RegExp =>
  /(?<![\p{sc=Latin}])(?:i[\u2019']ve |i have |i )?(?:decided to (?:look|check|read|start|first|try|run|search|investigate|see)|chose the .{1,40}(?:result|candidate)|[\u2019']ll go with \w+ing)|(?:zuerst|primero|d[\u2019']abord|先看|先读|先查|まず)(?![\p{sc=Latin}])|(?:haven[\u2019']t|not yet|todavía no|noch nicht|pas encore)/iu;

/** The words of somebody else, or the output of a program. */
const QUOTED =
  /"[^"]{3,}"|\u201c[^\u201d]{3,}\u201d|\u201e[^\u201c\u201d]{3,}[\u201c\u201d]|\u00ab[^\u00bb]{3,}\u00bb|\u300c[^\u300d]{3,}\u300d/g;

/** @returns `undefined` for a statement that only counts for the moment. */
export function statementIn(text: string): NoteKind | undefined {
  const sentence = text.replaceAll(QUOTED, ' ');
  if (open().test(sentence) || ownStep().test(sentence)) return undefined;
  const found = KINDS.find(([, pattern]) => pattern.test(sentence))?.[0];
  if (found !== 'instruction' || demanding().test(sentence)) return found;
  return describing().test(sentence) || HAS_SUBJECT.test(sentence) ? undefined : found;
}
