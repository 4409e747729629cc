import { expect, test } from 'vitest';
import { countsFor, NEVER_COUNTS } from '../../src/features/never-counts.ts';

/** Files that a row means, and files that only look like them. */
const EXAMPLES: Readonly<Record<string, Record<'never' | 'counting', readonly string[]>>> = {
  'documents at the root': {
    never: ['SECURITY.md', 'history.markdown', 'INSTALL.rst', 'ROADMAP.adoc', 'news.de.md'],
    counting: [
      'system-prompt.md',
      'support-prompt.md',
      'bots/support.md',
      'notes.md',
      'words.txt',
      'page.mdx',
      'CMakeLists.txt',
      'requirements.txt',
      'prompts/ask.md',
    ],
  },
  'documents and their pictures in a folder of documents': {
    never: [
      'docs/index.md',
      'doc/guide/start.rst',
      'docs/pictures/tour.svg',
      'packages/cart/docs/api.md',
      '.changeset/blue-cars-wave.md',
      'adr/0001-sqlite.md',
    ],
    counting: [
      'docs/conf.py',
      'docs/snippets/example.ts',
      'docs/.vitepress/config.mts',
      'src/docs/page.md',
      'site/blog/first.md',
      'logo.svg',
      'tests/docs/expected.md',
      'docs/examples/cart.md',
    ],
  },
  'documents by their names': {
    never: [
      'packages/cart/README.md',
      'packages/cart/README.de.md',
      'crates/parser/CHANGELOG.md',
      'packages/cart/README_zh-CN.md',
      'code_of_conduct.md',
    ],
    counting: [
      'readme-template.md',
      'release/changelog.template.md',
      'security.py',
      'history.js',
      'src/README.md',
      'tests/fixtures/README.md',
      'packages/news.json',
      'tools/support.rs',
    ],
  },
  'licences, and documents without an ending': {
    never: ['LICENSE', 'LICENSE-MIT', 'license.txt', 'COPYING', 'README', 'LICENSES/MIT.txt'],
    counting: ['license.go', 'bin/license-check', 'data/LICENSE', 'licenses.json', 'bin/support'],
  },
  "editors' settings": {
    never: ['.vscode/settings.json', '.idea/modules.xml', '.editorconfig', 'shop.code-workspace'],
    counting: [
      'vscode/extension.ts',
      'test/fixtures/.vscode/settings.json',
      '.prettierrc',
      '.idea/x.js',
      '.vscode/run.py',
      '.devcontainer/setup.sh',
      '.devcontainer/Dockerfile',
    ],
  },
  "agents' settings and instructions": {
    never: [
      '.claude/settings.json',
      '.cursor/rules/lanehold.mdc',
      '.github/copilot-instructions.md',
      '.opencode/plugins/lanehold.js',
      'packages/cart/CLAUDE.md',
      'services/api/AGENTS.md',
      '.mcp.json',
    ],
    counting: ['.claude/hooks/check.py', '.config/app.json', 'prompts/AGENTS.md'],
  },
  'settings of CI and forges': {
    never: [
      '.github/workflows/test.yml',
      '.github/dependabot.yml',
      '.gitlab-ci.yml',
      '.circleci/config.yml',
      'Jenkinsfile',
      '.github/CODEOWNERS',
      'renovate.json',
    ],
    counting: [
      '.github/actions/setup/index.js',
      '.github/actions/setup/action.yml',
      '.github/scripts/labels.json',
      'ci/test.sh',
      'compose.yml',
      'action.yml',
    ],
  },
  'lists for git': {
    never: ['.gitignore', 'packages/cart/.gitignore', '.mailmap'],
    counting: ['.gitattributes', '.gitmodules', '.dockerignore', '.npmrc', 'tests/data/.gitignore'],
  },
  caches: {
    never: [
      'src/__pycache__/cart.cpython-313.pyc',
      '.pytest_cache/v/cache/lastfailed',
      '.DS_Store',
    ],
    counting: [
      'mod.pyc',
      'src/mod.pyc',
      'dist/cart.js',
      'coverage/report.json',
      'node_modules/left-pad/index.js',
    ],
  },
};

test('each row has examples, and each example a row', () => {
  expect(Object.keys(EXAMPLES)).toEqual(NEVER_COUNTS.map(({ what }) => what));
});

test.each(NEVER_COUNTS)('$what', ({ what, pattern }) => {
  const { never = [], counting = [] } = EXAMPLES[what] ?? {};
  expect(never.length * counting.length).toBeGreaterThan(0);
  expect(never.filter((path) => !pattern.test(path) || countsFor(path))).toEqual([]);
  expect(counting.filter((path) => !countsFor(path))).toEqual([]);
});

test('a long path is answered at once', () => {
  const path = 'docs/'.repeat(2_000) + 'a.b-'.repeat(2_000);
  expect(countsFor(`${path}.md!`)).toBe(true);
});
