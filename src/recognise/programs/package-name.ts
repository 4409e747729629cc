/** Programs that a package runner fetches by the name of their package: `npx @scope/tool@1`. */
import type { Frame, Output } from '../reader.ts';
import { isWhollyUnknown } from '../shell/unknown.ts';

/** Packages whose program has another name than the package. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '@changesets/cli': 'changeset',
  '@vscode/vsce': 'vsce',
  '@release-it/cli': 'release-it',
  'lerna-lite': 'lerna',
  '@lerna-lite/cli': 'lerna',
  'firebase-tools': 'firebase',
  'aws-cdk': 'cdk',
  '@railway/cli': 'railway',
  'netlify-cli': 'netlify',
  'vercel-cli': 'vercel',
  '@cloudflare/wrangler': 'wrangler',
  '@sentry/cli': 'sentry-cli',
  '@expo/cli': 'expo',
  'eas-cli': 'eas',
  '@google/clasp': 'clasp',
  '@shopify/cli': 'shopify',
  '@salesforce/cli': 'sf',
  '@nestjs/cli': 'nest',
  '@angular/cli': 'ng',
  '@microsoft/rush': 'rush',
  '@auto-it/cli': 'auto',
  '@jsdevtools/npm-publish': 'npm-publish',
  '@yarnpkg/cli-dist': 'yarn',
  awscli: 'aws',
  'aws-cli': 'aws',
  semantic_release: 'semantic-release',
  'python-semantic-release': 'semantic-release',
  '@lanehold/cli': 'lanehold',
};

/** The program of `@scope/name@version`, `name==1.2`, `github.com/x/name/v2@latest`. */
export function packageProgram(spec: string): string {
  const at = spec.indexOf('@', 1);
  let name = at > 0 ? spec.slice(0, at) : spec;
  const pin = name.indexOf('==');
  if (pin > 0) name = name.slice(0, pin);
  const bracket = name.indexOf('[');
  if (bracket > 0) name = name.slice(0, bracket);
  // `nixpkgs#gh` names a program of a flake.
  const hash = name.indexOf('#');
  if (hash > 0) name = name.slice(hash + 1);
  if (name.startsWith('npm:') || name.startsWith('jsr:')) name = name.slice(4);
  const known = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (known) return known;
  const parts = name.split('/').filter((it) => !/^v\d+$/.test(it));
  return parts.at(-1) ?? name;
}

export function runPackage(argv: readonly string[], frame: Frame): Output {
  const [spec, ...words] = argv;
  const rest = words[0] === '--' ? words.slice(1) : words;
  if (spec === undefined) return [''];
  if (isWhollyUnknown(spec)) return frame.reader.command(argv, frame);
  return frame.reader.command([packageProgram(spec), ...rest], frame);
}
