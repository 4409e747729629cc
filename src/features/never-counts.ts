/** The files that a rest leaves out, because no test notices a change of them. Pure. */

import { basename } from 'node:path/posix';
import { AGENTS } from '../agents/registry.ts';

interface NeverCounting {
  readonly what: string;
  readonly pattern: RegExp;
  /** The pattern also counts below folders of source, tests and data, where the program may read other files. */
  readonly anywhere?: true;
}

const BELOW_SOURCE =
  /(?:^|\/)(?:src|source|lib|app|pkg|internal|cmd|tests?|__tests__|specs?|e2e|features|(?:__)?(?:fixtures?|mocks|snapshots)(?:__)?|testdata|data|examples?|templates?|content|public|static|assets|resources|prompts)\//i;

/** Each row has its examples in its test. */
export const NEVER_COUNTS: readonly NeverCounting[] = [
  {
    // Other files at the root count, such as a prompt: a program may read them.
    what: 'documents at the root',
    pattern:
      /^(?:\.github\/)?(?:changes|history|news|authors|maintainers|governance|security|support|install|installation|roadmap|todo|faq|upgrading|releasing|development|architecture|glossary|credits)(?:[._-][a-z]{2}(?:[_-][a-z]{2,4})?)?\.(?:md|markdown|rst|adoc|asciidoc)$/i,
  },
  {
    what: 'documents and their pictures in a folder of documents',
    pattern:
      /^(?:(?:packages|apps|libs|crates|modules|services)\/[^/]+\/)?(?:docs?|documentation|adrs?|rfcs?|wiki|\.changeset|changelog\.d|newsfragments)\/(?:.*\/)?[^/]+\.(?:md|markdown|rst|adoc|asciidoc|pdf|png|jpe?g|gif|svg|webp|mmd|drawio)$/i,
  },
  {
    what: 'documents by their names',
    pattern:
      /(?:^|\/)(?:readme|changelog|contributing|contributors|code[_-]of[_-]conduct)(?:[._-][a-z]{2}(?:[_-][a-z]{2,4})?)?\.(?:md|markdown|rst|adoc|asciidoc)$/i,
  },
  {
    what: 'licences, and documents without an ending',
    pattern:
      /(?:^|\/)(?:LICEN[CS]E|licen[cs]e|UNLICENSE|COPYING|NOTICE|PATENTS|README|CHANGELOG|CHANGES|HISTORY|NEWS|CONTRIBUTING|CONTRIBUTORS|AUTHORS|MAINTAINERS)(?:-[A-Z0-9.]+)?(?:\.(?:md|txt|rst))?$|^LICENSES\/[^/]+\.txt$/,
  },
  {
    what: "editors' settings",
    pattern:
      /(?:^|\/)(?:\.(?:vscode|idea|zed|fleet|vs|devcontainer)\/.*\.(?:jsonc?|ya?ml|toml|xml|iml|md|code-snippets)|\.editorconfig|\.dir-locals\.el|[^/]+\.(?:code-workspace|iml|sublime-project))$/,
  },
  { what: "agents' settings and instructions", pattern: ofAgents() },
  {
    what: 'settings of CI and forges',
    pattern:
      /^(?:\.(?:github|gitlab|circleci|buildkite|woodpecker|gitea|forgejo)\/(?!(?:.*\/)?(?:actions|scripts)\/).*\.(?:ya?ml|jsonc?|md|txt)|\.(?:gitlab-ci|travis|drone|woodpecker|coveralls|mergify|readthedocs|pre-commit-config)\.ya?ml|(?:azure|bitbucket)-pipelines\.ya?ml|\.?(?:appveyor|codecov)\.ya?ml|Jenkinsfile|renovate\.json5?|\.renovaterc(?:\.json5?)?|(?:(?:docs|\.github|\.gitlab)\/)?CODEOWNERS)$/,
  },
  {
    what: 'lists for git',
    pattern: /(?:^|\/)(?:\.gitignore|\.mailmap|\.git-blame-ignore-revs)$/,
  },
  {
    what: 'caches',
    pattern:
      /(?:^|\/)(?:__pycache__\/[^/]+\.pyc|(?:\.pytest_cache|\.mypy_cache|\.ruff_cache|\.tox|\.nox|\.nyc_output)\/.*|\.coverage|\.DS_Store|Thumbs\.db|[^/]+\.sw[op]|\.#[^/]+|[^/]+~)$/,
    anywhere: true,
  },
];

/** False for documents, licences, and settings of editors, agents and CI. */
export function countsFor(path: string): boolean {
  const isBelowSource = BELOW_SOURCE.test(path);
  return !NEVER_COUNTS.some(
    ({ pattern, anywhere }) => (anywhere || !isBelowSource) && pattern.test(path),
  );
}

/** True for notes, logs and patches outside of source folders: if they are untracked, no test needs them. */
export const isLeftBehind = (path: string): boolean =>
  !BELOW_SOURCE.test(path) && /\.(?:md|log|patch|diff|orig|rej|bak|tmp)$|^nohup\.out$/.test(path);

/** The files that agents read in their own folders below the root, and their instructions in files of known names. */
function ofAgents(): RegExp {
  const settings = AGENTS.flatMap(({ guards }) => guards?.files ?? []);
  const folders = settings.flatMap((it) => /^\.(?!config|github|vscode)[^/]+(?=\/)/.exec(it) ?? []);
  const told = AGENTS.flatMap(({ instructions = [] }) => instructions.map((it) => basename(it)));
  const literals = (words: readonly string[]) =>
    [...new Set(words)].map((it) => it.replaceAll(/[^\w/-]/g, '\\$&')).join('|');
  return new RegExp(
    `^(?:${literals(folders)})/.*\\.(?:jsonc?|toml|ya?ml|mdc?|txt)$|(?:^|/)(?:${literals(told)})$|^(?:${literals(settings)}|\\.mcp\\.json)$`,
  );
}
