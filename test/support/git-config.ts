import { join } from 'node:path';

const GIT_TEMPLATE = join(import.meta.dirname, '../fixtures/git-template');

/** Without example hooks, maintenance and fsync, which cost time. */
export const GIT_CONFIG = `[user]
  name = Ada
  email = ada@example.org
[init]
  defaultBranch = main
  templateDir = "${GIT_TEMPLATE}"
[core]
  fsync = none
[gc]
  auto = 0
[maintenance]
  auto = false
[receive]
  autoGC = false
[commit]
  gpgSign = false
[protocol "file"]
  allow = always
[advice]
  detachedHead = false
`;
