/**
 * Statements that are worth more than the session in which they were made: a decision, a trap, what somebody
 * prefers, demands for good, or asks to be remembered. Found by their words in six languages, sentence by sentence.
 */
import type { NoteKind } from '../store/recall.ts';

/** A word that no Latin letter touches: `\b` knows none outside of ASCII. */
const words = (...alternatives: string[]): RegExp =>
  new RegExp(
    alternatives
      .map((it) =>
        /[\u3040-\u9fff]/.test(it) ? it : `(?<![\\p{sc=Latin}\\d])(?:${it})(?![\\p{sc=Latin}])`,
      )
      .join('|'),
    'iu',
  );

/** The first kind that fits. `for good` stands before what is only demanded here. */
const KINDS: readonly (readonly [NoteKind, RegExp])[] = [
  [
    'decision',
    words(
      'decisions?(?= ?[:\u2013-])|decided (?:to|on|that|against|for|in)|agreed (?:to|on|that)|settled (?:on|for)',
      "(?:we|i|team)(?:[\u2019']ve| have)? (?:went|gone) with|(?:we|i)(?:[\u2019']ll| will|[\u2019']re going to| are going to)? (?:go|going|stick|stay|sticking|staying) with",
      "let[\u2019']?s (?:go|stick|stay) with|(?:we|i)(?:[\u2019']ve| have)? (?:chose|chosen|picked|opted|dropped|ruled out|rejected)",
      "we(?:[\u2019']ll| will) (?:use|keep)|we(?:[\u2019']re| are)? (?:dropping|keeping|going|taking)|we(?:[\u2019']ll| will) (?:take|drop)|made up my mind|(?:it[\u2019']?s|its|call is) final|the team voted|(?:was|were) agreed|no longer support|will not support|go for|scrap|from here on|per your answer|we use .{1,80}(?:because|instead of|rather than)|(?:use|using|uses|chose) .{1,80}(?:instead of|rather than)",
      'entscheidung(?= ?[:\u2013-])|entschieden|beschlossen|wir (?:nehmen|bleiben bei|nutzen|verwenden|setzen) .{1,80}(?:weil|denn|statt|anstelle)|wir (?:bleiben bei|setzen auf)|einigen uns|geeinigt|(?:dann )?machen wir das|wie besprochen',
      'd\u00e9cisions?(?= ?[:\u2013-])|(?:on|nous|avons|a) (?:a |avons )?(?:d\u00e9cid\u00e9|choisi|opt\u00e9|retenu|tranch\u00e9)|on (?:part|reste|garde) (?:sur|avec)|on abandonne|finalement .{1,80}ce sera|nous (?:partons|restons) (?:sur|avec)|on utilise .{1,80}(?:plut\u00f4t que|au lieu|parce|car)',
      'decisi\u00f3n(?= ?[:\u2013-])|(?:hemos )?(?:decidido|optado|elegido|acordado)|decidimos|optamos por|elegimos|acordamos|nos quedamos con|usamos .{1,80}(?:en lugar|en vez|porque)',
      '\u51b3\u5b9a|\u6c7a\u5b9a|\u6211\u4eec(?:\u6700\u7ec8)?(?:\u9009\u62e9|\u91c7\u7528|\u9009\u7528|\u9009\u4e86|\u6539\u7528)|\u6700\u7ec8\u9009|\u5b9a\u4e86|\u5546\u91cf\u8fc7|\u8fd8\u662f\u5148',
      '\u6c7a\u5b9a\u4e8b\u9805|\u306b\u6c7a\u3081|[\u306b\u3068]\u6c7a\u307e|\u65b9\u91dd\u3068|\u3053\u3068\u306b(?:\u3057\u305f|\u3057\u307e\u3057\u305f|\u3059\u308b|\u3057\u307e\u3059)|\u3092(?:\u63a1\u7528|\u9078\u629e)',
    ),
  ],
  [
    'preference',
    words(
      "i(?:[\u2019']d)? (?:\\w+ )?prefer|i(?:[\u2019']d| would)(?: much)? rather|my preference|not a fan of|beats|(?:i )?can[\u2019']?t stand|(?:way )?easier than|more of a .{1,40} person|(?:i )?would like .{1,60} if possible|i (?:don[\u2019']?t|do not) (?:need|read)|i (?:\\w+ )?(?:like|love|want|hate|dislike) .{1,80}(?:better|more than|over)|i (?:really )?(?:hate|dislike|can[\u2019']t stand)|i (?:don[\u2019']t|do not) (?:like|want) (?:it when|you to|to see|any)|i like (?:my|short|small|it when)",
      'ich bevorzuge|ich mag (?:\\S+ ){1,6}lieber|(?:ist|w\u00e4re|sind|hab(?:e)? ich|h\u00e4tte ich|m\u00f6chte ich|m\u00f6chte|will) (?:es )?(?:mir )?(?:\\S+ ){0,4}lieber|lieber (?:w\u00e4re|ist|sind) mir|ich hasse|ich mag (?:keine?n?|es nicht)|am liebsten',
      "je pr\u00e9f\u00e8re|j[\u2019']aime mieux|j[\u2019']aimerais mieux|ma pr\u00e9f\u00e9rence|je d\u00e9teste|j[\u2019']aime autant|c[\u2019']est mieux|je n[\u2019']aime pas",
      'prefiero|preferir\u00eda|me gusta(?:n)? m[\u00e1a]s|mi preferencia|odio|no me gusta(?:n)?',
      '\u6211(?:\u66f4|\u6bd4\u8f83|\u8fd8\u662f)?(?:\u559c\u6b22|\u504f\u597d|\u504f\u7231|\u503e\u5411)|\u6211\u4e0d(?:\u559c\u6b22|\u7231)|\u6211\u5b81\u613f|\u5c3d\u91cf|\u6211\u8ba8\u538c',
      '\u307b\u3046\u304c(?:\u597d\u304d|\u597d\u307f|\u3044\u3044|\u3088\u3044|\u826f\u3044)|\u65b9\u304c(?:\u597d\u304d|\u597d\u307f|\u3044\u3044|\u826f\u3044)|\u307b\u3046\u304c\u3042\u308a\u304c\u305f|\u304a\u9858\u3044\u3057\u305f\u3044|\u304c\u597d\u307f|\u3092\u597d\u307f|\u597d\u307f\u306f|\u5acc\u3044',
    ),
  ],
  [
    'fact',
    words(
      "(?:please |and )?remember (?:that|this|the|:|we|our|to)|remember[,:]|keep in mind|fyi|just so you know|(?:for|worth) (?:future reference|remembering)|you(?:[\u2019']?ll need (?:that|this)| should know)|save this|(?:dont|don[\u2019']t) forget|for the record|note to self|bear in mind|don[\u2019']t forget (?:that|the|we|our)",
      'merke? dir|denke? daran|nicht vergessen|vergiss nicht|zur erinnerung|behalte? im kopf|zur info|für später',
      "souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|n[\u2019']oublie(?:z)? pas|retiens|retenez|garde(?:z)? en t\u00eate|pour rappel|pour info|\u00e0 noter|note(?:z)? (?:bien )?que",
      'recuerda|recuerde|acu\u00e9rdate|no olvides|ten(?:ga)? en cuenta|ten(?:ga)? presente|para que conste|para m\u00e1s adelante',
      '\u8bb0\u4f4f|\u8bf7\u8bb0\u5f97|\u8bb0\u5f97|\u522b\u5fd8|\u4e0d\u8981\u5fd8\u8bb0|\u7262\u8bb0|\u5907\u5fd8|\u8ddf\u4f60\u8bf4\u4e00\u4e0b',
      '\u899a\u3048\u3066|\u3061\u306a\u307f\u306b|\u5f8c\u306e\u305f\u3081|\u5fd8\u308c\u306a\u3044|\u5fd8\u308c\u305a|\u5ff5\u982d\u306b',
    ),
  ],
  [
    'gotcha',
    words(
      "watch out|gotchas?|pitfalls?|be careful|careful (?:with|when|not)|careful(?= ?[:,])|caution(?= ?:)|beware|(?:dont|don[\u2019']t) be fooled|turn(?:s|ed) out|looks harmless|root cause(?= ?:)|(?:lost|cost me) .{1,30}(?:hours?|day|time)|silently|only (?:pass(?:es)?|works?) (?:when|if)|unless you|if you .{1,60} twice|caveat|heads[ -]up|be aware|warning(?= ?:)|surprising(?:ly)?|note that|must not|(?:never|don[\u2019']t|do not|avoid) .{1,120}(?:because|otherwise|or else|since|it (?:breaks|deadlocks|fails|hangs))|(?:breaks|fails|hangs|crashes|deadlocks) (?:when|if|unless|silently)",
      'achtung|vorsicht(?:ig)?|aufpassen|pass auf|passt auf|stolperfalle|die falle|falle(?= ?:)|schlagen fehl|schl\u00e4gt fehl|tückisch|(?:niemals|nie|nicht|kein\\w*) .{1,120}(?:weil|denn|sonst)',
      'attention|gare \u00e0|m\u00e9fie[- ]toi|\u00e9choue sans|m\u00e9fiez-vous|pi\u00e8ge|fais gaffe|(?:jamais|pas) .{1,120}(?:car|parce que|sinon)',
      'cuidado(?= ?[:,!]| con| al| que)|ojo(?:(?= ?[:,])| con| que)|resulta que|problema escondido|atenci\u00f3n|trampa|(?:nunca|jam\u00e1s|no) .{1,120}(?:porque|si no|de lo contrario)',
      '\u6ce8\u610f|\u5c0f\u5fc3|\u5f53\u5fc3|\u6709\u4e2a?\u5751|\u5361\u6b7b|\u7684\u5751|\u5207\u52ff|(?:\u5343\u4e07|\u7edd\u5bf9)(?:\u4e0d\u8981|\u522b|\u4e0d\u80fd)|\u5426\u5219',
      '\u6ce8\u610f|\u6c17\u3092(?:\u3064\u3051|\u4ed8\u3051)|\u843d\u3068\u3057\u7a74|\u7f60|\u305f\u307e\u306b\u843d\u3061|\u30cf\u30de',
    ),
  ],
  [
    'instruction',
    words(
      "from now on|whenever you|(?:do not|dont|don[\u2019']t) ever|stop (?:add|writ|us|mak|put|delet|chang|ask)ing|no exceptions|next time|make it a habit|for everything|every new|how we do it|must not .{1,60} again|every time|going forward|in (?:the )?future|as a rule|(?:please )?always|never(?! ?mind)|don[\u2019']t ever",
      'ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|k\u00fcnftig|in zukunft|jedes mal|gilt f\u00fcr alle|immer|nie(?:mals)?',
      "d\u00e9sormais|dor\u00e9navant|\u00e0 partir de maintenant|\u00e0 l[\u2019']avenir|\u00e0 chaque fois|valable partout|toujours|ne .{1,40}jamais",
      'a partir de ahora|de ahora en adelante|en adelante|cada vez|siempre|nunca|jam\u00e1s',
      '\u4ece\u73b0\u5728(?:\u8d77|\u5f00\u59cb)|\u4ece\u4eca|\u4ee5\u540e|\u4eca\u540e|\u59cb\u7ec8|\u603b\u662f|\u6c38\u8fdc|\u7edd\u4e0d|\u6bcf\u6b21|\u4e00\u5f8b|\u522b\u518d',
      '\u4eca\u5f8c|\u3053\u308c\u304b\u3089|\u4ee5\u5f8c|\u5e38\u306b|\u5fc5\u305a|\u6c7a\u3057\u3066|\u7d76\u5bfe\u306b|\u6bce\u56de|\u3069\u306e\u4f5c\u696d\u3067\u3082',
    ),
  ],
];

/** Questions, and what is only considered. */
const OPEN =
  /[?\uff1f\u00bf]|^(?:suppose|imagine|assuming|translate|angenommen|supposons|supongamos|should|could|would|can|do|does|did|is|are|what|why|how|when|where|who|which|maybe|perhaps|if|soll(?:en|te)?|kann|k\u00f6nnen|warum|wie|was|vielleicht|wenn|est-ce|peut-\u00eatre|pourquoi|si|quiz\u00e1s?|tal vez|por qu\u00e9)(?![\p{sc=Latin}])|\u5417|\u304b(?:\u3002)?$/iu;

/** Who decides, demands or warns of something that always happens only tells what is. */
const TELLS_WHAT_IS =
  /(?<![\p{sc=Latin}])(?:i|we|it|they|he|she|that|this|which|there|users?|tests?|\w+s|function|method|code|build|server|parser|loop|er|sie|es|das|man|il|elle|ils|\u00e7a|cela)(?: still| just|[\u2019']s| is| are| was| has| have| had| would| will| can| could| ist| wird| est)? (?:never|always|(?!.*\bjamais\b)ne |immer|nie|toujours|siempre|nunca)(?![\p{sc=Latin}])/iu;

/** The sentence has a subject that nobody commands. */
const HAS_SUBJECT = /^(?:the|this|these|our|die|der|das|le|la|les|l[\u2019']|el|los|las) /iu;
const DEMANDS =
  /(?<![\p{sc=Latin}])(?:must|shall|should|has to|have to|muss|m\u00fcssen|soll(?:en)?|doit|doivent|debe[n]?|tiene[n]? que)(?![\p{sc=Latin}])/iu;

/** What an agent decided to do next is not what holds. */
const OWN_STEP =
  /(?<![\p{sc=Latin}])(?:i[\u2019']ve |i have |i )?(?:decided to (?:look|check|read|start|first|try|run|search|investigate|see)|chose the .{1,40}(?:result|candidate)|[\u2019']ll go with \w+ing)|(?:zuerst|primero|d[\u2019']abord|\u5148\u770b|\u5148\u8bfb|\u5148\u67e5|\u307e\u305a)(?![\p{sc=Latin}])|(?:haven[\u2019']t|not yet|todav\u00eda no|noch nicht|pas encore)/iu;

/** What somebody else says, or a program prints. */
const QUOTED =
  /"[^"]{3,}"|\u201c[^\u201d]{3,}\u201d|\u201e[^\u201c\u201d]{3,}[\u201c\u201d]|\u00ab[^\u00bb]{3,}\u00bb|\u300c[^\u300d]{3,}\u300d/g;

/** @returns `undefined` for what is said for the moment. */
export function statementIn(text: string): NoteKind | undefined {
  const sentence = text.replaceAll(QUOTED, ' ');
  if (OPEN.test(sentence) || OWN_STEP.test(sentence)) return undefined;
  const found = KINDS.find(([, pattern]) => pattern.test(sentence))?.[0];
  if (found !== 'instruction' || DEMANDS.test(sentence)) return found;
  return TELLS_WHAT_IS.test(sentence) || HAS_SUBJECT.test(sentence) ? undefined : found;
}
