/** Registries of packages, by language. */
import type { Use } from '../../base/text/options.ts';
import {
  anyOperand,
  deploy,
  imagePush,
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

/** How a dry run is requested of npm and compatible clients. */
const NPM_DRY: Partial<Rule> = {
  dry: '--dry-run',
  takesTruth: true,
  dryVariables: 'npm_config_dry_run NPM_CONFIG_DRY_RUN',
};

export const javascriptRegistriesTools = (): readonly Tool[] => [
  tool('npm npm-cli.js cnpm tnpm', {
    values: `${NPM_VALUES} -w --workspace`,
    flags: NPM_FLAGS,
    directory: '--prefix -C',
    rules: [
      publish('publish|publis|publi|publ|pub', NPM_DRY),
      publish('stage publish', NPM_DRY),
      publish('dist-tag|dist-tags add', NPM_DRY),
    ],
  }),
  tool('pnpm', {
    values: `${NPM_VALUES} -F --filter --filter-prod --publish-branch --workspace-concurrency --reporter`,
    flags: `${NPM_FLAGS} -r --recursive --no-git-checks --parallel --stream -w --workspace-root --report-summary --embed-readme`,
    directory: '-C --dir --prefix',
    rules: [
      publish('publish', NPM_DRY),
      publish('npm publish', NPM_DRY),
      publish('dist-tag add', { id: 'npm dist-tag add', ...NPM_DRY }),
    ],
  }),
  tool('yarn yarnpkg', {
    values: `${NPM_VALUES} --new-version --message`,
    flags: `${NPM_FLAGS} --non-interactive --no-git-tag-version --patch --minor --major --tolerate-republish`,
    directory: '--cwd',
    rules: [
      publish('publish', NPM_DRY),
      publish('npm publish', NPM_DRY),
      publish('npm tag add', NPM_DRY),
    ],
  }),
  tool('bun', { values: `${NPM_VALUES} --gzip-level`, flags: NPM_FLAGS, directory: '--cwd' }, [
    publish('publish', NPM_DRY),
  ]),
  publish('deno', 'publish', { values: '--token -c --config --set-version', dry: '--dry-run' }),
  publish('jsr', 'publish', { values: '--token --set-version', dry: '--dry-run' }),
];

export const pythonRegistriesTools = (): readonly Tool[] => [
  tool('twine', { abbreviates: true }, [
    publish('upload|register', {
      values:
        '-r --repository --repository-url -u --username -p --password -c --comment --config-file --cert --client-cert -i --identity --sign-with',
      flags:
        '-s --sign --skip-existing --verbose --disable-progress-bar --non-interactive --attestations',
    }),
  ]),
  publish('setup.py', '', {
    id: 'setup.py upload',
    dry: '-n --dry-run',
    when: (use) => use.operands.includes('upload') || use.operands.includes('register'),
  }),
  tool('poetry', { values: '-P --project', directory: '-C --directory' }, [
    publish('publish', {
      values: '-r --repository -u --username -p --password --cert --client-cert --dist-dir',
      flags: '--build --skip-existing -n --no-interaction',
      dry: '--dry-run',
    }),
  ]),
  tool('uv', { directory: '--directory --project' }, [
    publish('publish', {
      values:
        '--index --publish-url --token -t --username -u --password -p --trusted-publishing --keyring-provider --check-url',
      dry: '--dry-run',
    }),
  ]),
  tool('hatch', { values: '-e --env -p --project --data-dir --cache-dir --config' }, [
    publish('publish', { values: '-u --user -a --auth -r --repo -p --publisher -o --option' }),
  ]),
  tool('flit', { values: '-f --ini-file' }, [
    publish('publish', { values: '--repository --pypirc --format' }),
  ]),
  publish('pdm', 'publish', {
    values: '-r --repository -u --username -P --password -c --comment -p --project',
  }),
  publish('rye', 'publish', {
    values: '--repository --repository-url -u --username --token --sign --identity',
  }),
  publish('maturin', 'publish|upload', {
    values: '-r --repository -u --username -p --password -i --interpreter -m --manifest-path',
  }),
  publish('conda anaconda', 'upload', { id: 'anaconda upload' }),
  publish('pixi', 'upload|publish'),
  publish('rattler-build', 'upload|publish'),
];

export const jvmRegistriesTools = (): readonly Tool[] => [
  tool('mvn mvnw mvnd', {
    style: 'word',
    values:
      '-f --file -pl --projects -P --activate-profiles -s --settings -gs -T --threads -rf --resume-from -l --log-file -t --toolchains',
    rules: [
      publish('', {
        id: 'mvn deploy',
        when: (use) =>
          (use.operands.some(isMavenDeploy) || publishesImage(use)) &&
          !use.options.some(
            ({ name, value }) => name === '-Dmaven.deploy.skip' && value !== 'false',
          ),
      }),
    ],
  }),
  tool('gradle gradlew', {
    attached: '-P -D',
    values:
      '-p --project-dir -b --build-file -I --init-script -x --exclude-task -g --gradle-user-home -c --settings-file --task --tests --console --max-workers --configuration-cache-problems',
    rules: [
      publish('', {
        id: 'gradle publish',
        dry: '-m --dry-run',
        when: (use) => use.operands.some(isGradlePublish),
      }),
      imagePush('', {
        id: 'gradle push image',
        dry: '-m --dry-run',
        when: (use) =>
          use.operands.some((it) =>
            /(^|:)(jib|dockerPush\w*|jibMultiBuild|pushDocker\w*)$/.test(it),
          ) || use.has('--publishImage'),
      }),
    ],
  }),
  publish('sbt sbtn', '', {
    id: 'sbt publish',
    when: (use) =>
      use.operands.some((it) =>
        it
          .split(/[;\s/]+/)
          .some((part) =>
            /^\+?(publish|publishSigned|release|sonatypeRelease|sonatypeBundleRelease|ci-release|sonaRelease|sonaUpload)$/.test(
              part,
            ),
          ),
      ),
  }),
  publish('mill', '', {
    id: 'mill publish',
    when: anyOperand(/(^|\.)(publish|publishAll|publishSonatypeCentral)$/),
  }),
  publish('lein', 'deploy|release'),
  publish('clojars clj clojure', '', {
    id: 'clojure deploy',
    when: (use) => use.argv.some((it) => /^-?[XTM]:?(deploy|release|publish)$|^deploy$/.test(it)),
  }),
];

/** Spring Boot's plugin pushes the image that it builds if a property says so. */
function publishesImage(use: Use): boolean {
  return use.has('-Dspring-boot.build-image.publish') && use.operands.some(isImageGoal);
}

function isImageGoal(goal: string): boolean {
  return /(^|:)build-image(-no-fork)?$/.test(goal);
}

function isMavenDeploy(goal: string): boolean {
  return /^(deploy|site-deploy|site:deploy|release:perform|release:prepare|deploy:deploy(-file)?|scm:checkin|nexus-staging:\w+|central-publishing:publish|jib:build|[\w.-]+:jib-maven-plugin(:[\w.-]+)?:build|jreleaser:\S+|jgitflow:\S+-finish|gitflow:\S+-finish|[\w.-]+:maven-deploy-plugin(:[\w.-]+)?:deploy(-file)?|[\w.-]+:maven-release-plugin(:[\w.-]+)?:(perform|prepare))$/.test(
    goal,
  );
}

function isGradlePublish(task: string): boolean {
  const name = task.slice(task.lastIndexOf(':') + 1);
  if (/ToMavenLocal$/.test(name)) return false;
  return /^(publish|publish\w*ToMavenCentral|publish\w*To\w+Repository|publishAll\w*|publishPlugins|publishPlugin|publishAndRelease\w*|closeAndRelease\w*|uploadArchives|bintrayUpload|release|final|candidate|githubRelease|jreleaser(FullRelease|Deploy|Release|Publish)|publish\w*(Bundle|Apk)|publish(Release|Mods?|Unified|Modrinth|Curseforge|Version)\w*|modrinth|curseforge|appDistributionUpload\w*|artifactoryPublish|s3Upload)$/.test(
    name,
  );
}

export const languageRegistriesTools = (): readonly Tool[] => [
  tool('cargo cross', {
    values:
      '--color --config -Z -p --package --registry --index --token --target --target-dir -j --jobs -F --features --exclude',
    flags:
      '--locked --offline --frozen -q --quiet -v --verbose --no-verify --allow-dirty --all-features --no-default-features --keep-going --workspace',
    directory: '-C',
    directoryOfFile: '--manifest-path',
    rules: [
      publish('publish', { dry: '-n --dry-run' }),
      release('release', {
        flags: '-x --execute --no-confirm',
        only: '-x --execute',
        except: 'config changes help',
      }),
      release('smart-release', { flags: '-e --execute', only: '-e --execute' }),
      publish('workspaces|ws publish', { dry: '--dry-run' }),
      release('release-plz release|release-pr', { id: 'cargo release-plz', dry: '--dry-run' }),
      release('dist host', {
        id: 'cargo dist',
        when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
      }),
      deploy('shuttle deploy'),
      release('xtask release|publish|deploy'),
      deploy('lambda deploy', { dry: '--dry' }),
    ],
  }),
  // `cargo +stable publish`: the toolchain is no subcommand.
  tool('cargo', { values: '--color --config -Z -p --package --registry' }, [
    publish('', {
      id: 'cargo publish',
      values: '-p --package',
      dry: '-n --dry-run',
      when: (use) => (use.operands[0] ?? '').startsWith('+') && use.operands[1] === 'publish',
    }),
  ]),
  tool('gem', { values: '--config-file' }, [
    publish('push', { values: '-k --key --host --otp -p --http-proxy --attestation' }),
    publish('release'),
  ]),
  publish('rake', '', {
    id: 'rake release',
    values: '-f --rakefile',
    dry: '-n --dry-run -T --tasks -P --prereqs -D --describe -W --where',
    when: anyOperand(/^(release|gem:release|release:rubygem_push|publish|deploy)(\[|$)/),
  }),
  tool('dotnet', [
    publish('nuget push', {
      values: '-s --source -k --api-key -t --timeout -ss --symbol-source -sk --symbol-api-key',
      flags:
        '--skip-duplicate -n --no-symbols --interactive -d --disable-buffering --no-service-endpoint',
    }),
  ]),
  tool('nuget', { style: 'word' }, [
    publish('push', { values: '-Source -ApiKey -Timeout -ConfigFile -src' }),
  ]),
  publish('paket', 'push'),
  tool('mix', [
    publish('hex.publish', { dry: '--dry-run' }),
    publish('do', {
      id: 'mix hex.publish',
      dry: '--dry-run',
      when: (use) => use.operands.some((it) => it.split(',').includes('hex.publish')),
    }),
  ]),
  publish('rebar3', 'hex publish|cut', { dry: '--dry-run' }),
  publish('gleam', 'publish'),
  tool('dart flutter', { directory: '-C --directory' }, [
    publish('pub publish|lish', { dry: '-n --dry-run', flags: '-f --force --skip-validation' }),
  ]),
  publish('pub', 'publish|lish', { dry: '-n --dry-run' }),
  publish('melos', 'publish', { flags: '--yes', only: '--no-dry-run --dry-run=false' }),
  publish('swift', 'package-registry publish', { dry: '--dry-run' }),
  tool('pod', [publish('trunk push'), publish('repo push')]),
  publish('luarocks', 'upload'),
  publish('opam', 'publish', { dry: '-n --dry-run --no-browser-only' }),
  publish('opam-publish', '', { id: 'opam publish' }),
  tool('dune-release', [
    publish('publish|bistro', { id: 'dune-release', dry: '--dry-run' }),
    publish('opam submit', { dry: '--dry-run' }),
  ]),
  publish('cabal', 'upload', { values: '-u --username -p --password -t --token' }),
  publish('stack', 'upload'),
  publish('conan', 'upload', {
    values: '-r --remote -p --package-query',
    dry: '--dry-run --skip-upload',
  }),
  publish('cpan-upload', '', { values: '-u --user -p --password', dry: '--dry-run -n' }),
  publish('dzil minil', 'release', { dry: '--dry-run' }),
  publish('elm elm-publish', 'publish'),
  publish('spago', 'publish'),
  publish('nimble', 'publish'),
  publish('bower', 'register'),
  pullRequest('brew', 'bump-formula-pr|bump-cask-pr|bump', {
    id: 'brew bump-formula-pr',
    dry: '-n --dry-run',
    when: (use) => use.argv[1] !== 'bump' || use.has('--open-pr'),
  }),
  publish('wapm wasmer', 'publish', { id: 'wasmer publish', dry: '--dry-run' }),
];
