/** Forges: pull requests, releases, and writes by their own command-line tools. */
import type { Use } from '../../text/options.ts';
import { isReleasingPath, isWrite } from './forge-address.ts';
import { deploy, publish, pullRequest, push, release, type Tool, tool } from './rule.ts';

const GH_VALUES = '-R --repo --hostname';
const CREATE =
  '-t --title -b --body -F --body-file -B --base -H --head -a --assignee -l --label -m --milestone -p --project -r --reviewer -T --template --recover';

export function forgesTools(): readonly Tool[] {
  return [
    tool('gh', { values: GH_VALUES }, [
      pullRequest('pr create|new', {
        values: CREATE,
        flags:
          '-f --fill --fill-first --fill-verbose -d --draft -w --web --no-maintainer-edit -e --editor',
        dry: '--dry-run',
      }),
      pullRequest('pr merge', {
        values: '-b --body -F --body-file -t --subject --match-head-commit -A --author-email',
        flags: '-m --merge -s --squash -r --rebase -d --delete-branch --auto --admin',
        unless: '--disable-auto',
      }),
      pullRequest('pr ready', { unless: '--undo' }),
      push('pr update-branch'),
      release('release create|new', {
        leaves: 'head',
        values:
          '-t --title -n --notes -F --notes-file --target --discussion-category --notes-start-tag',
        flags:
          '-d --draft -p --prerelease --generate-notes --latest --verify-tag --notes-from-tag --fail-on-no-commits',
      }),
      release('release upload', { flags: '--clobber' }),
      release('release edit', {
        leaves: 'head',
        values: '-t --title -n --notes -F --notes-file --target --tag --discussion-category',
        only: '--draft=false --target --latest',
      }),
      push('repo create|new', {
        id: 'gh repo create --push',
        values:
          '-s --source -r --remote -d --description -t --team -g --gitignore -l --license -p --template -h --homepage',
        flags: '--public --private --internal --push --clone -c',
        only: '--push',
      }),
      push('repo sync', {
        values: '-s --source -b --branch',
        when: (use) => use.operands.length > 0,
      }),
      publish('gist create|new', { values: '-d --desc -f --filename' }),
      deploy('workflow run', {
        leaves: 'head',
        values: '-r --ref -f --raw-field -F --field',
        when: (use) => use.operands.some(namesRelease),
      }),
      push('api', {
        leaves: 'head',
        values:
          '-X --method -H --header -f --raw-field -F --field --input -q --jq -t --template --cache -p --preview',
        flags: '--paginate --slurp -i --include --silent --verbose',
        when: isForgeWrite,
      }),
      push('poi|stack|dash-push', {
        id: 'gh extension',
        when: (use) => use.operands.includes('push') || use.operands.includes('submit'),
      }),
    ]),
    tool('glab', { values: GH_VALUES }, [
      pullRequest('mr|merge-request create|new|for', {
        values:
          '-t --title -d --description -b --target-branch -s --source-branch -a --assignee -l --label -m --milestone --reviewer -H --head -i --related-issue --template',
        flags:
          '-f --fill --fill-commit-body --push -y --yes --draft --wip -w --web --squash-before-merge --remove-source-branch --no-editor --allow-collaboration',
      }),
      pullRequest('mr|merge-request merge|accept'),
      release('release create', {
        leaves: 'head',
        values:
          '-N --name -n --notes -F --notes-file -r --ref -m --milestone -a --assets-links -D --released-at',
      }),
      release('release upload'),
      push('repo|project publish', { id: 'glab repo create' }),
      push('stack sync'),
      publish('snippet create'),
      deploy('ci|pipeline|pipe trigger', {
        id: 'glab ci run',
        leaves: 'head',
        when: (use) => use.operands.some(namesRelease),
      }),
      push('api', {
        leaves: 'head',
        values: '-X --method -H --header -f --raw-field -F --field --input --hostname',
        flags: '--paginate -i --include --silent',
        when: isForgeWrite,
      }),
    ]),
    tool('hub', [
      push('push|sync', { dry: '-n --dry-run' }),
      pullRequest('pull-request', { values: '-m -F -b -h -r -a -M -l' }),
      pullRequest('pr merge'),
      release('release create|edit', { leaves: 'head', values: '-a -m -F -t' }),
      push('api', { id: 'hub create', when: isForgeWrite }),
    ]),
    tool('tea', [
      pullRequest('pulls|pull|pr create|c|merge|m', { id: 'tea pr create' }),
      release('releases|release|r create|c', { id: 'tea release create', leaves: 'head' }),
    ]),
    tool('berg fj', [
      pullRequest('pr|pull create|merge', { id: 'forgejo pr create' }),
      release('release create', { id: 'forgejo release create', leaves: 'head' }),
    ]),
    tool('bb', [pullRequest('pr create|merge')]),
    tool('az', [
      pullRequest('repos pr create'),
      pullRequest('repos pr update', { only: '--status=completed --auto-complete' }),
    ]),
    tool('github-release ghr', [release('', { values: '-u -t -r -p -n -b -c --tag' })]),
  ];
}

function namesRelease(word: string): boolean {
  return /(release|publish|deploy)/i.test(word);
}

/** `gh api` writes if a writing method or fields are given; the path says what. */
function isForgeWrite(use: Use): boolean {
  const [path = ''] = use.operands;
  const fields = use.has('-f', '--raw-field', '-F', '--field', '--input');
  const method = use.value('-X', '--method') ?? (fields ? 'POST' : 'GET');
  if (/(^|\/)graphql$/.test(path)) return use.argv.some((word) => MUTATION.test(word));
  return isWrite(method) && isReleasingPath(path);
}

const MUTATION =
  /\b(createPullRequest|mergePullRequest|enablePullRequestAutoMerge|createCommitOnBranch|(create|update|delete)Refs?|mergeBranch|createDeployment|markPullRequestReadyForReview)\b/;
