/** Forges: pull requests, releases, and writes by their own command-line tools. */
import { isReleasingPath, isWrite } from './forge-address.ts';
import type { Tool, Use } from './rule.ts';

const GH_VALUES = '-R --repo --hostname';
const CREATE =
  '-t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover';

export function forgesTools(): readonly Tool[] {
  return [
    {
      names: 'gh',
      values: GH_VALUES,
      rules: [
        {
          id: 'gh pr create',
          kind: 'pull-request',
          path: 'pr create|new',
          values: CREATE,
          flags:
            '-f --fill --fill-first --fill-verbose -d --draft -w --web --no-maintainer-edit -e --editor',
          dry: '--dry-run',
        },
        {
          id: 'gh pr merge',
          kind: 'pull-request',
          path: 'pr merge',
          values: '-b --body -F --body-file -t --subject --match-head-commit -A --author-email',
          flags: '-m --merge -s --squash -r --rebase -d --delete-branch --auto --admin',
          when: (use) => !use.has('--disable-auto'),
        },
        {
          id: 'gh pr ready',
          kind: 'pull-request',
          path: 'pr ready',
          when: (use) => !use.has('--undo'),
        },
        { id: 'gh pr update-branch', kind: 'push', path: 'pr update-branch' },
        {
          id: 'gh release create',
          kind: 'release',
          leaves: 'head',
          path: 'release create|new',
          values:
            '-t --title -n --notes -F --notes-file --target --discussion-category --notes-start-tag',
          flags:
            '-d --draft -p --prerelease --generate-notes --latest --verify-tag --notes-from-tag --fail-on-no-commits',
        },
        { id: 'gh release upload', kind: 'release', path: 'release upload', flags: '--clobber' },
        {
          id: 'gh release edit',
          kind: 'release',
          leaves: 'head',
          path: 'release edit',
          values: '-t --title -n --notes -F --notes-file --target --tag --discussion-category',
          when: (use) =>
            use.options.some(
              ({ name, value }) =>
                (name === '--draft' && value === 'false') ||
                name === '--target' ||
                name === '--latest',
            ),
        },
        {
          id: 'gh repo create --push',
          kind: 'push',
          path: 'repo create|new',
          values:
            '-s --source -r --remote -d --description -t --team -g --gitignore -l --license -p --template -h --homepage',
          flags: '--public --private --internal --push --clone -c',
          when: (use) => use.has('--push'),
        },
        {
          id: 'gh repo sync',
          kind: 'push',
          path: 'repo sync',
          values: '-s --source -b --branch',
          when: (use) => use.operands.length > 0,
        },
        {
          id: 'gh gist create',
          kind: 'publish',
          path: 'gist create|new',
          values: '-d --desc -f --filename',
        },
        {
          id: 'gh workflow run',
          kind: 'deploy',
          leaves: 'head',
          path: 'workflow run',
          values: '-r --ref -f --raw-field -F --field',
          when: (use) => use.operands.some(namesRelease),
        },
        {
          id: 'gh api',
          kind: 'push',
          leaves: 'head',
          path: 'api',
          values:
            '-X --method -H --header -f --raw-field -F --field --input -q --jq -t --template --cache -p --preview',
          flags: '--paginate --slurp -i --include --silent --verbose',
          when: isForgeWrite,
        },
        {
          id: 'gh extension',
          kind: 'push',
          path: 'poi|stack|dash-push',
          when: (use) => use.operands.includes('push') || use.operands.includes('submit'),
        },
      ],
    },
    {
      names: 'glab',
      values: GH_VALUES,
      rules: [
        {
          id: 'glab mr create',
          kind: 'pull-request',
          path: 'mr|merge-request create|new|for',
          values:
            '-t --title -d --description -b --target-branch -s --source-branch -a --assignee -l --label -m --milestone --reviewer -H --head -i --related-issue --template',
          flags:
            '-f --fill --fill-commit-body --push -y --yes --draft --wip -w --web --squash-before-merge --remove-source-branch --no-editor --allow-collaboration',
        },
        { id: 'glab mr merge', kind: 'pull-request', path: 'mr|merge-request merge|accept' },
        {
          id: 'glab release create',
          kind: 'release',
          leaves: 'head',
          path: 'release create',
          values:
            '-N --name -n --notes -F --notes-file -r --ref -m --milestone -a --assets-links -D --released-at',
        },
        { id: 'glab release upload', kind: 'release', path: 'release upload' },
        { id: 'glab repo create', kind: 'push', path: 'repo|project publish' },
        { id: 'glab stack sync', kind: 'push', path: 'stack sync' },
        { id: 'glab snippet create', kind: 'publish', path: 'snippet create' },
        {
          id: 'glab ci run',
          kind: 'deploy',
          leaves: 'head',
          path: 'ci|pipeline|pipe trigger',
          when: (use) => use.operands.some(namesRelease),
        },
        {
          id: 'glab api',
          kind: 'push',
          leaves: 'head',
          path: 'api',
          values: '-X --method -H --header -f --raw-field -F --field --input --hostname',
          flags: '--paginate -i --include --silent',
          when: isForgeWrite,
        },
      ],
    },
    {
      names: 'hub',
      rules: [
        { id: 'hub push', kind: 'push', path: 'push|sync', dry: '-n --dry-run' },
        {
          id: 'hub pull-request',
          kind: 'pull-request',
          path: 'pull-request',
          values: '-m -F -b -h -r -a -M -l',
        },
        { id: 'hub pr merge', kind: 'pull-request', path: 'pr merge' },
        {
          id: 'hub release create',
          kind: 'release',
          leaves: 'head',
          path: 'release create|edit',
          values: '-a -m -F -t',
        },
        { id: 'hub create', kind: 'push', path: 'api', when: isForgeWrite },
      ],
    },
    {
      names: 'tea',
      rules: [
        { id: 'tea pr create', kind: 'pull-request', path: 'pulls|pull|pr create|c|merge|m' },
        {
          id: 'tea release create',
          kind: 'release',
          leaves: 'head',
          path: 'releases|release|r create|c',
        },
      ],
    },
    {
      names: 'berg fj',
      rules: [
        { id: 'forgejo pr create', kind: 'pull-request', path: 'pr|pull create|merge' },
        { id: 'forgejo release create', kind: 'release', leaves: 'head', path: 'release create' },
      ],
    },
    { names: 'bb', rules: [{ id: 'bb pr create', kind: 'pull-request', path: 'pr create|merge' }] },
    {
      names: 'az',
      rules: [
        { id: 'az repos pr create', kind: 'pull-request', path: 'repos pr create' },
        {
          id: 'az repos pr update',
          kind: 'pull-request',
          path: 'repos pr update',
          when: (use) => use.value('--status') === 'completed' || use.has('--auto-complete'),
        },
      ],
    },
    {
      names: 'github-release ghr',
      rules: [
        { id: 'github-release', kind: 'release', path: '', values: '-u -t -r -p -n -b -c --tag' },
      ],
    },
  ];
}

function namesRelease(word: string): boolean {
  return /(release|publish|deploy)/i.test(word);
}

/** `gh api` writes when it is told so, or given fields; what it writes is in the path. */
function isForgeWrite(use: Use): boolean {
  const [path = ''] = use.operands;
  const fields = use.has('-f', '--raw-field', '-F', '--field', '--input');
  const method = use.value('-X', '--method') ?? (fields ? 'POST' : 'GET');
  if (/(^|\/)graphql$/.test(path)) return use.argv.some((word) => MUTATION.test(word));
  return isWrite(method) && isReleasingPath(path);
}

const MUTATION =
  /\b(createPullRequest|mergePullRequest|enablePullRequestAutoMerge|createCommitOnBranch|(create|update|delete)Refs?|mergeBranch|createDeployment|markPullRequestReadyForReview)\b/;
