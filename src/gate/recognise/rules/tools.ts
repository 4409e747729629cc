import { APP_STORES } from './app-stores.ts';
import { CLOUDS } from './clouds.ts';
import { CONTAINERS } from './containers.ts';
import { FORGES } from './forges.ts';
import { GIT } from './git.ts';
import { INFRASTRUCTURE } from './infrastructure.ts';
import { JAVASCRIPT_REGISTRIES } from './javascript-registries.ts';
import { JVM_REGISTRIES } from './jvm-registries.ts';
import { LANGUAGE_REGISTRIES } from './language-registries.ts';
import { PLATFORMS } from './platforms.ts';
import { PYTHON_REGISTRIES } from './python-registries.ts';
import { RELEASE_TOOLS } from './release-tools.ts';
import type { Tool } from './rule.ts';
import { VERSION_CONTROL } from './version-control.ts';
import { WEB } from './web.ts';

/** Every tool that can make work leave the machine, by family. */
export const TOOLS: readonly (readonly Tool[])[] = [
  GIT,
  FORGES,
  VERSION_CONTROL,
  JAVASCRIPT_REGISTRIES,
  PYTHON_REGISTRIES,
  JVM_REGISTRIES,
  LANGUAGE_REGISTRIES,
  APP_STORES,
  CONTAINERS,
  INFRASTRUCTURE,
  PLATFORMS,
  CLOUDS,
  RELEASE_TOOLS,
  WEB,
];
