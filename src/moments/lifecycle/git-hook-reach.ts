/** Whether a push that an agent is about to make certainly reaches git's own hook. */
import type { Git } from '../../base/git/git.ts';
import { words } from '../../base/text/options.ts';
import type { Boundary, Preceding } from '../../commands/finding.ts';
import { HOOK_WRITERS } from '../../commands/guard/tampering.ts';
import type { GitHookUse } from '../../gate/answer.ts';
import { orElse } from '../../gate/errors.ts';

/**
 * `reached` only if the hook is in force for the repository, and nothing in the command can go around it; otherwise the
 * agent's hook answers as it does without git's.
 */
export async function gitHookFor(
  push: Boundary,
  git: Git,
  env: NodeJS.ProcessEnv,
): Promise<GitHookUse> {
  if (!isPlain(push) || REDIRECTING.some((name) => env[name])) return 'evaded';
  const { heldByGit } = await import('../../git-hold/git-hold.ts');
  return orElse('evaded', async () => {
    const form = await heldByGit(git, env);
    const isSafe = !push.afterUnknownWrite && !push.before.some(writesHooks);
    if (form === 'configuration' || (form === 'clone' && isSafe)) return 'reached';
    return form === undefined ? 'absent' : 'evaded';
  });
}

/** True for the git of PATH, run as this user, on this machine, with its hooks. */
function isPlain({ rule, argv, path, tricks = [], otherGit = false }: Boundary): boolean {
  const isGit = rule === 'git push' && argv[0] === 'git';
  return isGit && tricks.length === 0 && !otherGit && path.slice(0, -1).every(isShell);
}

/** Steps on the way to the push that run it in the same surroundings; `sudo` and `ssh` do not. */
const isShell = (step: string): boolean =>
  /^(?:line \d+|function .*|(?:input of )?(?:ba|da|z|k)?sh(?: -c)?|eval|exec|command|builtin|timeout|nohup|nice)$/.test(
    step,
  );

/** Variables of the agent with which its git differs from the one that is asked here. */
const REDIRECTING = [
  ...['GIT_CONFIG_PARAMETERS', 'GIT_CONFIG_COUNT', 'GIT_CONFIG'],
  ...['GIT_DIR', 'GIT_COMMON_DIR', 'LANEHOLD_DISABLE'],
];

/** Whether a program may write the hooks of a clone again: an installation of packages can run husky. */
function writesHooks({ argv }: Preceding): boolean {
  const [program = '', ...given] = argv.map((word) => word ?? '');
  const name = program.slice(program.lastIndexOf('/') + 1);
  if (MAY_WRITE_HOOKS.has(name)) return true;
  const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(name);
  return isManager && (given.length === 0 || given.some((word) => INSTALLS.test(word)));
}

const MAY_WRITE_HOOKS = words(`${HOOK_WRITERS} pre-commit prek npx bunx pnpx pipx uvx bundle`);
const INSTALLS = /^(?:install|i|ci|add|update|up|exec|x|dlx|prepare)$/;
