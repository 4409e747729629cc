import type { Examples } from './rule.ts';

export const forgesExamples: Examples = {
  'gh pr create': {
    releases: [
      'gh pr create --fill',
      'gh pr new -t x -b y',
      'gh -R a/b pr create',
      'gh pr create --title --dry-run --body x',
    ],
    harmless: [
      'gh pr create --dry-run',
      'gh pr list',
      'gh pr view --web',
      'gh pr checkout 1',
      'gh run watch',
      'gh auth status',
      'gh issue list',
    ],
  },
  'gh pr merge': {
    releases: ['gh pr merge --auto', 'gh pr merge 3 -sd'],
    harmless: ['gh pr merge 3 --disable-auto', 'gh pr checks 3'],
  },
  'gh pr ready': { releases: ['gh pr ready 3'], harmless: ['gh pr ready 3 --undo'] },
  'gh pr update-branch': { releases: ['gh pr update-branch 3'], harmless: ['gh pr diff 3'] },
  'gh release create': {
    releases: ['gh release create v1 --generate-notes'],
    harmless: ['gh release list', 'gh release create --help'],
  },
  'gh release upload': {
    releases: ['gh release upload v1 a.zip', 'gh release upload v1 a.zip --clobber'],
    harmless: ['gh release download v1'],
  },
  'gh release edit': {
    releases: ['gh release edit v1 --draft=false', 'gh release edit v1 --latest'],
    harmless: ['gh release edit v1 --notes x', 'gh release view v1'],
  },
  'gh repo create --push': {
    releases: ['gh repo create x --source . --push'],
    harmless: ['gh repo create x --private', 'gh repo clone a/b'],
  },
  'gh repo sync': { releases: ['gh repo sync a/b -b main'], harmless: ['gh repo sync'] },
  'gh gist create': { releases: ['gh gist create a.txt'], harmless: ['gh gist list'] },
  'gh workflow run': {
    releases: ['gh workflow run deploy.yml', 'gh workflow run ci.yml -f target=release'],
    harmless: ['gh workflow run ci.yml', 'gh workflow view deploy.yml'],
  },
  'gh api': {
    releases: [
      'gh api -X POST repos/a/b/pulls -f head=x -f base=main',
      'gh api repos/a/b/releases -f tag_name=v1',
      `gh api graphql -f query='mutation { mergePullRequest(input: {}) { clientMutationId } }'`,
    ],
    harmless: [
      'gh api repos/a/b/releases',
      'gh api -X GET repos/a/b/pulls -f state=open',
      'gh api graphql -f query="{ viewer { login } }"',
    ],
  },
  'glab mr create': {
    releases: ['glab mr create', 'glab mr create --fill', 'glab mr for 3', 'glab -R a/b mr create'],
    harmless: ['glab mr list', 'glab mr create --help'],
  },
  'glab mr merge': { releases: ['glab mr merge 3'], harmless: ['glab mr view 3'] },
  'glab release create': {
    releases: ['glab release create v1'],
    harmless: ['glab release list', 'glab release view v1'],
  },
  'glab release upload': {
    releases: ['glab release upload v1 a.zip'],
    harmless: ['glab release download v1'],
  },
  'glab repo create': {
    releases: ['glab repo publish catalog v1'],
    harmless: ['glab repo clone a/b'],
  },
  'glab stack sync': { releases: ['glab stack sync'], harmless: ['glab stack list'] },
  'glab snippet create': {
    releases: ['glab snippet create -t x a.txt'],
    harmless: ['glab snippet list'],
  },
  'glab ci run': {
    releases: ['glab ci trigger deploy', 'glab ci run -b release/1.0'],
    harmless: ['glab ci status', 'glab ci run -b main'],
  },
  'glab api': {
    releases: ['glab api -X POST projects/1/merge_requests -f title=x'],
    harmless: ['glab api projects/1/merge_requests'],
  },
  'hub push': { releases: ['hub push', 'hub sync'], harmless: ['hub push -n', 'hub pr list'] },
  'hub pull-request': {
    releases: ['hub pull-request -m x', 'hub pull-request -h a:branch'],
    harmless: ['hub pr show'],
  },
  'hub pr merge': { releases: ['hub pr merge 3'], harmless: ['hub pr checkout 3'] },
  'hub release create': { releases: ['hub release create v1'], harmless: ['hub release show v1'] },
  'hub create': {
    releases: ['hub api -X POST repos/a/b/pulls -f head=x'],
    harmless: ['hub api repos/a/b/pulls'],
  },
  'tea pr create': { releases: ['tea pr create', 'tea pulls merge 3'], harmless: ['tea pr list'] },
  'tea release create': { releases: ['tea releases create'], harmless: ['tea releases list'] },
  'forgejo pr create': {
    releases: ['berg pr create', 'fj pr merge 3'],
    harmless: ['fj pr view 3'],
  },
  'bb pr create': { releases: ['bb pr create'], harmless: ['bb pr list'] },
  'az repos pr create': { releases: ['az repos pr create'], harmless: ['az repos pr list'] },
  'az repos pr update': {
    releases: ['az repos pr update --id 3 --status completed'],
    harmless: ['az repos pr update --id 3 --title x'],
  },
  'github-release': {
    releases: ['github-release upload -t v1 -f a.zip', 'ghr v1 dist/'],
    harmless: ['ghr --help'],
  },
};

export const webExamples: Examples = {
  'curl write to a forge': {
    releases: [
      'curl -X POST -d @body https://api.github.com/repos/a/b/releases',
      `curl https://api.github.com/graphql -d '{"query":"mutation { createPullRequest }"}'`,
      'curl -d @missing.json https://api.github.com/graphql',
      'curl --data-binary @x.zip "https://uploads.github.com/repos/a/b/releases/1/assets?name=x"',
      'curl --data-binary @a.zip https://example.com/upload',
    ],
    harmless: [
      'curl https://api.github.com/repos/a/b/releases',
      'curl -X POST -d a=b http://localhost:3000/releases',
      'curl -T a.zip http://localhost:8080/a.zip',
      'curl -d "git push" https://example.com/hook',
      'curl -G -d q=x https://api.github.com/repos/a/b/releases',
      `curl https://api.github.com/graphql -d '{"query":"{ viewer { login } }"}'`,
      `echo '{ viewer { login } }' > query.json && curl -d @query.json https://api.github.com/graphql`,
    ],
  },
  'http write to a forge': {
    releases: ['http POST https://api.github.com/repos/a/b/pulls title=x head=y base=main'],
    harmless: [
      'http GET https://api.github.com/repos/a/b/pulls',
      'http POST localhost:3000/deploy',
    ],
  },
  'wget write to a forge': {
    releases: ['wget --post-data a=b https://api.github.com/repos/a/b/releases'],
    harmless: ['wget https://api.github.com/repos/a/b/releases'],
  },
};
