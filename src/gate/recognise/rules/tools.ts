import { CONTAINERS } from './containers.ts';
import { FORGES } from './forges.ts';
import { GIT } from './git.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { PLATFORMS } from './platforms.ts';
import { REGISTRIES } from './registries.ts';
import { RELEASE_TOOLS } from './release-tools.ts';
import type { Tool } from './rule.ts';
import { WEB } from './web.ts';

/** Every tool that can make work leave the machine, by family. */
export const TOOLS: readonly (readonly Tool[])[] = [
  GIT,
  FORGES,
  REGISTRIES,
  CONTAINERS,
  INFRASTRUCTURE,
  PLATFORMS,
  RELEASE_TOOLS,
  WEB,
];
