/** Registries of packages, by language. */
import {
  anyOperand,
  each,
  imagePush,
  type Match,
  publish,
  pullRequest,
  type Rule,
  release,
  type Tool,
  tool,
} from './rule.ts';

const NPM_VALUES =
  '--registry --userconfig --cache --tag --otp --access --loglevel --scope --auth-type --provenance-file --script-shell --node-options';
const NPM_FLAGS =
  '--workspaces -ws --force -f --ignore-scripts --silent -s --quiet -q --verbose --json --yes -y --foreground-scripts --provenance --include-workspace-root --if-present --offline --prefer-offline --no-audit --no-fund -g --global';

const NPM_DRY: Partial<Rule> = { dry: '--dry-run' };

export const javascriptRegistriesTools = (): readonly Tool[] => [
  tool(
    'npm npm-cli.js cnpm tnpm',
    { values: `${NPM_VALUES} -w --workspace`, flags: NPM_FLAGS, directory: '--prefix -C' },
    [publish('publish|publis|publi|publ|pub; stage publish; dist-tag|dist-tags add', NPM_DRY)],
  ),
  tool(
    'pnpm',
    {
      values: `${NPM_VALUES} -F --filter --filter-prod --publish-branch --workspace-concurrency --reporter`,
      flags: `${NPM_FLAGS} -r --recursive --no-git-checks --parallel --stream -w --workspace-root --report-summary --embed-readme`,
      directory: '-C --dir --prefix',
    },
    [publish('publish; npm publish; npm dist-tag add = dist-tag add', NPM_DRY)],
  ),
  tool(
    'yarn yarnpkg',
    {
      values: `${NPM_VALUES} --new-version --message`,
      flags: `${NPM_FLAGS} --non-interactive --no-git-tag-version --patch --minor --major --tolerate-republish`,
      directory: '--cwd',
    },
    [publish('publish; npm publish; npm tag add', NPM_DRY)],
  ),
  tool('bun', { values: `${NPM_VALUES} --gzip-level`, flags: NPM_FLAGS, directory: '--cwd' }, [
    publish('publish', NPM_DRY),
  ]),
  publish('deno', 'publish [--dry-run]', { values: '--token -c --config --set-version' }),
  publish('jsr', 'publish [--dry-run]', { values: '--token --set-version' }),
];

export const pythonRegistriesTools = (): readonly Tool[] => [
  publish('twine', 'upload|register', {
    abbreviates: true,
    values: '-r --repository --repository-url -u --username -p --password -c --comment',
  }),
  publish('setup.py', 'setup.py upload = [-n --dry-run]', {
    when: anyOperand(/^(upload|register)$/),
  }),
  tool('poetry', { values: '-P --project', directory: '-C --directory' }, [
    publish('publish [--dry-run]', {
      values: '-r --repository -u --username -p --password --cert --client-cert --dist-dir',
    }),
  ]),
  publish('uv', 'publish [--dry-run]', {
    directory: '--directory --project',
    values: '--index --publish-url --check-url -t --token -u --username -p --password',
  }),
  ...each(publish, 'hatch flit pdm', 'publish', {
    values: '-r --repo --repository -u --user --username -a --auth -p --publisher --password',
  }),
  publish('maturin', 'publish|upload', { values: '-r --repository --repository-url -u -p' }),
  publish('conda anaconda rattler-build', 'anaconda upload = upload'),
  // These are functions of R, which its programs call.
  publish('submit_cran deployApp deployDoc deploySite deploy_to_branch', 'R release ='),
  publish('pixi', 'upload|publish'),
];

export const jvmRegistriesTools = (): readonly Tool[] => [
  publish('mvn mvnw mvnd', 'mvn deploy = [-Dmaven.deploy.skip]', {
    style: 'word',
    values: '-f --file -pl --projects -P --activate-profiles -s --settings -rf --resume-from',
    when: (use) => use.operands.some((goal) => isMavenDeploy(goal, use)),
  }),
  tool(
    'gradle gradlew',
    {
      attached: '-P -D',
      values: '-p --project-dir -b -c -g -I --init-script -x --exclude-task --tests --console',
    },
    [
      publish('gradle publish = [-m --dry-run]', {
        when: (use) => use.operands.some(isGradlePublish),
      }),
      imagePush('gradle push image = [-m --dry-run]', {
        when: (use) =>
          use.operands.some((it) =>
            /(^|:)(jib|dockerPush\w*|jibMultiBuild|pushDocker\w*)$/.test(it),
          ) || use.has('--publishImage'),
      }),
    ],
  ),
  publish('sbt sbtn', 'sbt publish =', {
    staysHere: 'publishM2',
    when: ({ operands }) =>
      operands.flatMap((it) => it.split(/[;\s/]+/)).some((it) => SBT_TASKS.test(it)),
  }),
  publish('mill', 'mill publish =', {
    when: anyOperand(/(^|[./])(publish|publishAll|publishSonatypeCentral)$/),
  }),
  publish('lein', 'deploy|release'),
  publish('clojure clj', 'clojure deploy =', {
    style: 'word',
    when: ({ operands, options }) =>
      operands.includes('deploy') ||
      options.some(({ name }) => /^-[XTM]:?(deploy|release|publish)$/.test(name)),
  }),
];

const MAVEN_GOALS =
  /^(deploy|site-deploy|site:deploy|release:perform|deploy:deploy(-file)?|scm:checkin|nexus-staging:\w+|central-publishing:publish|jib:build|[\w.-]+:jib-maven-plugin(:[\w.-]+)?:build|jreleaser:\S+|jgitflow:\S+-finish|gitflow:\S+-finish|[\w.-]+:maven-deploy-plugin(:[\w.-]+)?:deploy(-file)?|[\w.-]+:maven-release-plugin(:[\w.-]+)?:perform)$/;

function isMavenDeploy(goal: string, { has, value }: Match): boolean {
  if (/^(release|[\w.-]+:maven-release-plugin(:[\w.-]+)?):prepare$/.test(goal))
    return value('-DpushChanges') !== 'false';
  if (/(^|:)build-image(-no-fork)?$/.test(goal)) return has('-Dspring-boot.build-image.publish');
  return MAVEN_GOALS.test(goal);
}

const SBT_TASKS =
  /^\+?(publish|publishSigned|release|sonatypeRelease|sonatypeBundleRelease|ci-release|sonaRelease|sonaUpload)$/;

function isGradlePublish(task: string): boolean {
  const name = task.slice(task.lastIndexOf(':') + 1);
  if (/ToMavenLocal$/.test(name)) return false;
  return /^(publish|publish\w*ToMavenCentral|publish\w*To\w+Repository|publishAll\w*|publishPlugins|publishPlugin|publishAndRelease\w*|closeAndRelease\w*|uploadArchives|bintrayUpload|release|final|candidate|githubRelease|jreleaser(FullRelease|Deploy|Release|Publish)|publish\w*(Bundle|Apk)|publish(Release|Mods?|Unified|Modrinth|Curseforge|Version)\w*|modrinth|curseforge|appDistributionUpload\w*|artifactoryPublish|s3Upload)$/.test(
    name,
  );
}

/** Steps in which `dist host` sends what it has built. */
const hosts = (use: Match): boolean =>
  use.values('--steps').some((it) => /upload|release/.test(it));

export const languageRegistriesTools = (): readonly Tool[] => [
  tool(
    'cargo cross',
    {
      values:
        '--color --config -Z -p --package --registry --index --token --target --target-dir -j --jobs -F --features --exclude',
      flags:
        '--locked --offline --frozen -q --quiet -v --verbose --no-verify --allow-dirty --all-features --no-default-features --keep-going --workspace',
      directory: '-C',
      directoryOfFile: '--manifest-path',
      staysHere:
        'build b check c clippy doc test t bench run r add remove rm install uninstall update search info tree fmt fix metadata vendor new init package nextest watch expand make',
    },
    [
      publish('publish [-n --dry-run]'),
      release('release -x|--execute', { except: 'config changes help' }),
      release('smart-release -e|--execute'),
      release('dist host', { when: hosts }),
      release('xtask release|publish|deploy'),
    ],
  ),
  // `cargo +stable publish`: the toolchain is no subcommand.
  publish('cargo', 'cargo publish = [-n --dry-run]', {
    when: ({ operands: [toolchain = '', subcommand] }) =>
      toolchain.startsWith('+') && subcommand === 'publish',
  }),
  publish('cargo', 'workspaces|ws publish [--dry-run]'),
  release('cargo-release', 'cargo release = -x|--execute [--dry-run]'),
  release('dist cargo-dist', 'host [--dry-run]', { when: hosts }),
  release('release-plz', 'release-plz = release|release-pr [--dry-run]', {
    staysHere: 'update init',
  }),
  publish('gem', 'push', { values: '-k --key --host --otp -p --http-proxy --attestation' }),
  publish('gem', 'release; bump --push|-p|--release|-r'),
  publish(
    'rake',
    'rake release = [-n --dry-run -T --tasks -P --prereqs -D --describe -W --where]',
    { when: anyOperand(/^(release|gem:release|release:rubygem_push|publish|deploy)(\[|$)/) },
  ),
  tool('dotnet msbuild', { style: 'word', staysHere: 'publish test build run new add' }, [
    imagePush('dotnet publish to a registry = publish|build', {
      when: ({ operands, has }) =>
        has('-p:ContainerRegistry') || operands.some((it) => it.startsWith('/p:ContainerRegistry')),
    }),
    publish('nuget push', {
      values: '-s --source -k --api-key -t --timeout -ss --symbol-source -sk --symbol-api-key',
    }),
  ]),
  publish('nuget', 'push', { style: 'word', values: '-Source -ApiKey -Timeout -ConfigFile -src' }),
  tool('mix', { staysHere: 'release phx.gen.release test release.init' }, [
    publish('hex.publish [--dry-run]'),
    publish('mix hex.publish = do [--dry-run]', {
      when: ({ operands }) => operands.flatMap((it) => it.split(',')).includes('hex.publish'),
    }),
  ]),
  publish('rebar3', 'hex publish|cut [--dry-run]', { staysHere: 'release' }),
  publish('dart flutter', 'pub publish|lish [-n --dry-run]', { directory: '-C --directory' }),
  publish('melos', 'publish --no-dry-run|--dry-run=false'),
  publish('swift', 'package-registry publish [--dry-run]'),
  tool('pod', { staysHere: 'install update' }, [publish('trunk push'), publish('repo push')]),
  publish('luarocks', 'upload'),
  publish('opam', 'publish [-n --dry-run --no-browser-only]'),
  publish('cabal', 'upload'),
  publish('stack', 'upload', { staysHere: 'build test run exec install ghci new' }),
  publish('conan', 'upload [--dry-run --skip-upload]'),
  publish('cpan-upload', '[--dry-run -n]'),
  publish('dzil minil', 'release [--dry-run]'),
  ...each(publish, 'gleam elm nimble spago rye pants wasm-pack dune-release', 'publish'),
  publish('scala-cli', 'publish', { except: 'local' }),
  publish('dune-release', 'opam submit'),
  // The registry of yalc is a folder of this machine.
  tool('yalc', { staysHere: 'publish push' }, []),
  ...each(publish, 'zef fez', 'upload'),
  ...each(publish, 'cachix attic wash', 'push'),
  publish('nix', 'copy --to'),
  pullRequest('brew', 'bump-formula-pr|bump-cask-pr [-n --dry-run]'),
  pullRequest('brew', 'brew bump-formula-pr = bump --open-pr [-n --dry-run]'),
];
