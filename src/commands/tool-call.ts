/** What a tool of an MCP server sends: judged by tool name, server and arguments, as nothing else is known. */
import type { AddedBoundary, BoundaryKind, ReleaseContent } from '../base/config/policy.ts';
import type { JsonObject } from '../base/text/json.ts';
import { words } from '../base/text/options.ts';
import { shellWord } from '../base/text/shell-quote.ts';
import type { Boundary } from './finding.ts';
import { matchesWords } from './tools/argv-pattern.ts';
import { CONTENT_OF_KIND } from './tools/match-rules.ts';

export interface ServerTool {
  readonly server: string;
  readonly name: string;
  readonly input: JsonObject;
}

interface ToolRule {
  /** One word of each list has to be in the tool's name. */
  readonly has: readonly string[];
  readonly kind: BoundaryKind;
  readonly leaves?: ReleaseContent;
  /** The call itself contains what is sent. */
  readonly carries?: true;
  readonly when?: (tool: ServerTool) => boolean;
}

/** A tool with one of these words in its name reads, talks, or takes back. */
const HARMLESS = words(
  'list get read search find view show describe status log logs check preview plan diff download fetch query comment comments review ' +
    'reviews reply notification notifications cancel rollback delete remove unpublish revert help docs validate dry label labels issue ' +
    'issues assign close lock subscribe star browser page screenshot local emulator',
);

const BROWSER = /browser|playwright|puppeteer|chrome/i;
const FORGE = /git(hub|lab|ea|ee)|bitbucket|codeberg|forgejo|azure[-_]?devops|(^|[-_])ado($|[-_])/i;
const RELEASE = /release|publish|deploy/i;

/** A repository elsewhere: the forge's own server, or arguments that name one. */
const isOnForge = ({ server, input }: ServerTool): boolean =>
  FORGE.test(server) ||
  ('repo' in input && 'owner' in input) ||
  ['project_id', 'projectId', 'repository', 'repo_full_name'].some((it) => it in input);

const rule = (
  kind: BoundaryKind,
  has: readonly string[],
  rest: Omit<ToolRule, 'kind' | 'has'> = {},
): ToolRule => ({ kind, has, ...rest });

const FORGE_CONTENT = 'file files content contents commit commits tree blob';
const ARTEFACTS =
  'package artifact artifacts bundle app site object objects bucket blob s3 assets build theme';
const PIPELINES = 'workflow workflows pipeline pipelines job build action actions';
const CLUSTERS =
  'kubectl helm k8s kubernetes manifest resource resources chart terraform stack infrastructure migration';

const RULES: readonly ToolRule[] = [
  rule('push', ['push', 'files file'], { carries: true }),
  rule('push', ['create update write edit put commit replace', FORGE_CONTENT], {
    carries: true,
    when: isOnForge,
  }),
  rule('push', ['create update', 'ref refs'], { leaves: 'head', when: isOnForge }),
  rule('push', ['update sync merge', 'branch branches upstream fork'], {
    leaves: 'head',
    when: isOnForge,
  }),
  rule('push', ['push'], {
    leaves: 'head',
    when: ({ server }) => /(^|[-_])git($|[-_])/i.test(server),
  }),
  rule('pull-request', ['create merge open complete accept ready enable', 'pr pull mr merge']),
  rule('release', ['create publish upload edit update', 'release releases asset assets'], {
    leaves: 'head',
  }),
  rule('deploy', ['run trigger dispatch start rerun execute', PIPELINES], {
    leaves: 'head',
    when: ({ name, input }) => {
      const text = JSON.stringify(input).slice(0, 10_000);
      // A number does not say what runs.
      return (
        RELEASE.test(name + text) || /"\w*(?:pipeline|workflow|definition)\w*":"?\d/i.test(text)
      );
    },
  }),
  rule('image-push', ['image images docker oci'], {
    when: ({ name }) => /push|publish|copy/i.test(name),
  }),
  rule('publish', ['publish'], {
    when: ({ server }) => !/mqtt|kafka|nats|redis|pubsub|rabbit|notion|slack/i.test(server),
  }),
  rule('deploy', ['upload put sync', ARTEFACTS]),
  rule('deploy', ['deploy redeploy promote rollout ship deployment deployments release'], {
    when: changesSomething,
  }),
  rule('deploy', ['apply install upgrade scale restart patch', CLUSTERS]),
  rule('deploy', ['apply up'], {
    when: ({ server, input }) =>
      /kube|k8s|helm|terraform|pulumi|tofu|cloudformation|argo/i.test(server) ||
      ['manifest', 'yaml', 'resource', 'stack', 'plan', 'namespace'].some((it) => it in input),
  }),
];

/** `deployment_history` only names a deployment; `create_deployment` and `deploy_site` start one. */
function changesSomething({ name }: ServerTool): boolean {
  const all = namesIn(name);
  return (
    !all.every((it) => /^(deployments?|releases?)$/.test(it)) &&
    /deploy(?!ment)|promote|rollout|ship|(create|start|trigger|update|run|new)[-_]?(deployment|release)/i.test(
      name,
    )
  );
}

export function toolCallBoundary(
  tool: ServerTool,
  directory: string,
  added: readonly AddedBoundary[],
): Boundary | undefined {
  const argv = ['mcp', tool.server, tool.name];
  const more = added.find((it) => matchesWords(it.argv, argv));
  const rule = more ?? ruleFor(tool);
  if (rule === undefined) return undefined;
  const { kind, leaves = CONTENT_OF_KIND[kind] } = rule;
  const id = more?.name ?? argv.join(' ');
  return {
    verdict: 'boundary',
    kind,
    rule: id,
    argv,
    path: [id],
    operands: [],
    config: [],
    before: [],
    leaves: leaves === 'refs' ? 'head' : leaves,
    directory: folderOf(tool.input) ?? directory,
    toolCall: 'carries' in rule && rule.carries ? 'carries-content' : 'names-content',
  };
}

function ruleFor(tool: ServerTool): ToolRule | undefined {
  const all = namesIn(tool.name);
  if (all.some((it) => HARMLESS.has(it)) || BROWSER.test(tool.server)) return undefined;
  return RULES.find(
    ({ has, when }) =>
      has.every((list) => all.some((it) => words(list).has(it))) && (when?.(tool) ?? true),
  );
}

export function namesIn(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.:/\s]+/);
}

function folderOf(input: JsonObject): string | undefined {
  const keys = ['repo_path', 'repoPath', 'cwd', 'workdir', 'working_directory', 'workingDirectory'];
  const path = keys.map((it) => input[it]).find(Boolean);
  return typeof path === 'string' && path.startsWith('/') && !path.includes('\0')
    ? path
    : undefined;
}

/** A tool with one of these words in its name runs nothing, whatever its input says. */
const READS = words('list get read search find view show describe status log logs');
const RUNS = /run|exec|shell|bash|terminal|command|process|script|eval|code|cell|repl/i;
/** A tool that types into a terminal, which runs what is typed. */
const TERMINAL = /terminal|tmux|\bpty|console|shell|screen|process|\bssh/i;
/** A tool of this name is that program: its input holds the words that follow. */
const PROGRAM = /\b(git|gh|docker|kubectl|helm|terraform|tofu|pulumi|npm|aws|gcloud|az|vercel)\b/i;
const LANGUAGES = [
  [/^(?:ba|z)?sh$|shell/i, ''],
  [/py|jupyter|notebook|^ide$/i, 'python3 -c '],
  [/^js|javascript|typescript|node|^ts/i, 'node -e '],
  [/ruby/i, 'ruby -e '],
] as const;

/** The shell text that stands for what the tool runs, by the words, keys or program of its input. */
export function commandOfTool(tool: ServerTool): string | undefined {
  const { server, name, input } = tool;
  if (namesIn(name).some((it) => READS.has(it)) || BROWSER.test(server)) return undefined;
  const typed = TERMINAL.test(`${server} ${name}`)
    ? ['keys', 'text', 'input', 'data', 'chars'].flatMap((it) =>
        // The enter key of a terminal.
        textsIn(input[it]).join(' ').replaceAll('\r', '\n'),
      )
    : [];
  const lines = [...wordsGiven(tool), ...programGiven(tool), ...typed].filter(Boolean);
  const folder = folderOf(input);
  if (lines.length === 0) return undefined;
  return [...(folder === undefined ? [] : [`cd ${shellWord(folder)}`]), ...lines].join('\n');
}

function wordsGiven({ server, name, input }: ServerTool): readonly string[] {
  const program = PROGRAM.exec(namesIn(name).join(' ')) ?? PROGRAM.exec(namesIn(server).join(' '));
  const { command = input.cmd ?? input.argv ?? input.cli_command, args = input.arguments } = input;
  const first = command ?? input.program ?? input.executable;
  const given = [...wordsIn(first), ...wordsIn(args)].join(' ');
  const texts = given === '' ? [] : [given];
  const plain = RUNS.test(name)
    ? [...texts, ...textsIn(input.script), ...textsIn(input.commands)]
    : [];
  const isWhole = program === null || given.startsWith(program[0]);
  return isWhole ? plain : [...plain, ...texts.map((it) => `${program[0]} ${it}`)];
}

const wordsIn = (value: unknown): readonly string[] =>
  typeof value === 'string' ? [value] : textsIn(value).map(shellWord);

const textsIn = (value: unknown): readonly string[] =>
  [value].flat().filter((it): it is string => typeof it === 'string');

/** The code of a tool such as `executeCode`. If the language is not named, Python and JavaScript are tried. */
function programGiven({ server, name, input }: ServerTool): readonly string[] {
  const { code, language = input.lang } = input;
  if (typeof code !== 'string' || !RUNS.test(name)) return [];
  const names = [language, ...namesIn(name), ...namesIn(server)].filter(
    (it) => typeof it === 'string',
  );
  const starts = names.flatMap((it) => {
    const start = LANGUAGES.find(([pattern]) => pattern.test(it))?.[1];
    return start === undefined ? [] : [start];
  });
  const [start] = starts;
  const all = start === undefined ? ['python3 -c ', 'node -e '] : [start];
  return all.map((it) => (it === '' ? code : it + shellWord(code)));
}
