/**
 * What a tool of an MCP server sends: judged by the tool's name, its server and its arguments, because
 * nothing else is known of it.
 */
import type { AddedBoundary, BoundaryKind, ReleaseContent } from '../base/config/policy.ts';
import type { JsonObject } from '../base/text/json.ts';
import { words } from '../base/text/options.ts';
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

const RULES: readonly ToolRule[] = [
  { has: ['push', 'files file'], kind: 'push', carries: true },
  {
    has: [
      'create update write edit put commit replace',
      'file files content contents commit commits tree blob',
    ],
    kind: 'push',
    carries: true,
    when: isOnForge,
  },
  { has: ['create update', 'ref refs'], kind: 'push', leaves: 'head', when: isOnForge },
  {
    has: ['update sync merge', 'branch branches upstream fork'],
    kind: 'push',
    leaves: 'head',
    when: isOnForge,
  },
  {
    has: ['push'],
    kind: 'push',
    leaves: 'head',
    when: ({ server }) => /(^|[-_])git($|[-_])/i.test(server),
  },
  {
    has: ['create merge open complete accept ready enable', 'pr pull mr merge'],
    kind: 'pull-request',
  },
  {
    has: ['create publish upload edit update', 'release releases asset assets'],
    kind: 'release',
    leaves: 'head',
  },
  {
    has: [
      'run trigger dispatch start rerun execute',
      'workflow workflows pipeline pipelines job build action actions',
    ],
    kind: 'deploy',
    leaves: 'head',
    when: ({ name, input }) =>
      RELEASE.test(name) || RELEASE.test(JSON.stringify(input).slice(0, 10_000)),
  },
  {
    has: ['image images docker oci'],
    kind: 'image-push',
    when: ({ name }) => /push|publish|copy/i.test(name),
  },
  {
    has: ['publish'],
    kind: 'publish',
    when: ({ server }) => !/mqtt|kafka|nats|redis|pubsub|rabbit|notion|slack/i.test(server),
  },
  {
    has: [
      'upload put sync',
      'package artifact artifacts bundle app site object objects bucket blob s3 assets build theme',
    ],
    kind: 'deploy',
  },
  {
    has: ['deploy redeploy promote rollout ship deployment deployments release'],
    kind: 'deploy',
    when: changesSomething,
  },
  {
    has: [
      'apply install upgrade scale restart patch',
      'kubectl helm k8s kubernetes manifest resource resources chart terraform stack infrastructure migration',
    ],
    kind: 'deploy',
  },
  {
    has: ['apply up'],
    kind: 'deploy',
    when: ({ server }) => /kube|k8s|helm|terraform|pulumi|tofu|cloudformation|argo/i.test(server),
  },
];

/** `deployment_history` names a thing, `create_deployment` and `deploy_site` do it. */
function changesSomething({ name }: ServerTool): boolean {
  const all = namesIn(name);
  return (
    !all.every((it) => /^(deployments?|releases?)$/.test(it)) &&
    /deploy(?!ment)|promote|rollout|ship|(create|start|trigger|update|run|new)[-_]?(deployment|release)/i.test(
      name,
    )
  );
}

/** The boundary that a call of the tool is, if it is one. */
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
    ...{ verdict: 'boundary', kind, rule: id, argv, path: [id] },
    ...{ operands: [], config: [], before: [] },
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

function namesIn(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_.:/\s]+/);
}

/** The folder that a local server is told to work in. */
function folderOf(input: JsonObject): string | undefined {
  const path = input.repo_path ?? input.repoPath ?? input.cwd;
  return typeof path === 'string' && path.startsWith('/') && !path.includes('\0')
    ? path
    : undefined;
}

/** The shell command that the tool runs, if that is what it is for. */
export function commandOfTool({ name, input }: ServerTool): string | undefined {
  if (!/(run|exec|execute|shell|bash|terminal|command|process|script)/i.test(name))
    return undefined;
  const command = input.command ?? input.cmd ?? input.script;
  if (typeof command !== 'string') return undefined;
  const { args } = input;
  if (!Array.isArray(args) || !args.every((it) => typeof it === 'string')) return command;
  return [command, ...args.map((it) => `'${it.replaceAll("'", `'\\''`)}'`)].join(' ');
}
