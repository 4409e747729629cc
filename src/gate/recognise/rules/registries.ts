/** Package registries. */
import type { Rule, Tool } from './rule.ts';

const NPM_VALUES =
  '--registry --userconfig --cache --tag --otp --access -w --workspace --loglevel --scope --auth-type --provenance-file --script-shell --node-options';
const NPM_FLAGS =
  '--workspaces -ws --force -f --ignore-scripts --silent -s --quiet -q --verbose --json --yes -y --foreground-scripts --provenance --include-workspace-root --if-present --offline --prefer-offline --no-audit --no-fund -g --global';

const npmRule = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'publish',
  path,
  dry: '--dry-run',
  takesTruth: true,
  dryVariables: 'npm_config_dry_run NPM_CONFIG_DRY_RUN',
  ...more,
});

export const REGISTRIES: readonly Tool[] = [
  {
    names: 'npm npm-cli.js cnpm tnpm',
    values: NPM_VALUES,
    flags: NPM_FLAGS,
    directory: '--prefix -C',
    rules: [
      npmRule('npm publish', 'publish|publis|publi|publ|pub'),
      npmRule('npm unpublish', 'unpublish|unpublis|unpubli|unpubl|unpub'),
      npmRule('npm stage publish', 'stage publish'),
      npmRule('npm dist-tag add', 'dist-tag|dist-tags add'),
      npmRule('npm deprecate', 'deprecate'),
    ],
  },
  {
    names: 'pnpm',
    values: `${NPM_VALUES} -F --filter --filter-prod --publish-branch --workspace-concurrency --reporter`,
    flags: `${NPM_FLAGS} -r --recursive --no-git-checks --parallel --stream -w --workspace-root --report-summary --embed-readme`,
    directory: '-C --dir --prefix',
    rules: [
      npmRule('pnpm publish', 'publish'),
      npmRule('pnpm npm publish', 'npm publish'),
      npmRule('npm dist-tag add', 'dist-tag add'),
      npmRule('npm unpublish', 'unpublish'),
    ],
  },
  {
    names: 'yarn yarnpkg',
    values: `${NPM_VALUES} --new-version --message`,
    flags: `${NPM_FLAGS} --non-interactive --no-git-tag-version --patch --minor --major --tolerate-republish`,
    directory: '--cwd',
    rules: [
      npmRule('yarn publish', 'publish'),
      npmRule('yarn npm publish', 'npm publish'),
      npmRule('yarn npm tag add', 'npm tag add'),
    ],
  },
  {
    names: 'bun',
    values: `${NPM_VALUES} --gzip-level`,
    flags: NPM_FLAGS,
    directory: '--cwd',
    rules: [npmRule('bun publish', 'publish')],
  },
  {
    names: 'deno',
    rules: [
      {
        id: 'deno publish',
        kind: 'publish',
        path: 'publish',
        values: '--token -c --config --set-version',
        dry: '--dry-run',
      },
    ],
  },
  {
    names: 'jsr',
    rules: [
      {
        id: 'jsr publish',
        kind: 'publish',
        path: 'publish',
        values: '--token --set-version',
        dry: '--dry-run',
      },
    ],
  },
  {
    names: 'cargo cross',
    values:
      '--color --config -Z -p --package --registry --index --token --target --target-dir -j --jobs -F --features --exclude',
    flags:
      '--locked --offline --frozen -q --quiet -v --verbose --no-verify --allow-dirty --all-features --no-default-features --keep-going --workspace',
    directory: '-C',
    directoryOfFile: '--manifest-path',
    rules: [
      { id: 'cargo publish', kind: 'publish', path: 'publish', dry: '-n --dry-run' },
      { id: 'cargo yank', kind: 'publish', path: 'yank' },
      {
        id: 'cargo release',
        kind: 'release',
        path: 'release',
        flags: '-x --execute --no-confirm',
        when: (use) =>
          use.has('-x', '--execute') &&
          !['config', 'changes', 'help'].includes(use.operands[0] ?? ''),
      },
      {
        id: 'cargo smart-release',
        kind: 'release',
        path: 'smart-release',
        flags: '-e --execute',
        when: (use) => use.has('-e', '--execute'),
      },
      {
        id: 'cargo workspaces publish',
        kind: 'publish',
        path: 'workspaces|ws publish',
        dry: '--dry-run',
      },
      {
        id: 'cargo release-plz',
        kind: 'release',
        path: 'release-plz release|release-pr',
        dry: '--dry-run',
      },
      {
        id: 'cargo dist',
        kind: 'release',
        path: 'dist host',
        when: (use) => use.values('--steps').some((it) => /upload|release/.test(it)),
      },
      { id: 'cargo shuttle deploy', kind: 'deploy', path: 'shuttle deploy' },
      { id: 'cargo lambda deploy', kind: 'deploy', path: 'lambda deploy', dry: '--dry' },
    ],
  },
  // `cargo +stable publish`: the toolchain is no subcommand.
  { names: 'cargo', values: '--color --config -Z -p --package --registry', rules: toolchains() },
  {
    names: 'twine',
    abbreviates: true,
    rules: [
      {
        id: 'twine upload',
        kind: 'publish',
        path: 'upload|register',
        values:
          '-r --repository --repository-url -u --username -p --password -c --comment --config-file --cert --client-cert -i --identity --sign-with',
        flags:
          '-s --sign --skip-existing --verbose --disable-progress-bar --non-interactive --attestations',
      },
    ],
  },
  {
    names: 'setup.py',
    rules: [
      {
        id: 'setup.py upload',
        kind: 'publish',
        path: '',
        dry: '-n --dry-run',
        when: (use) => use.operands.includes('upload') || use.operands.includes('register'),
      },
    ],
  },
  {
    names: 'poetry',
    values: '-P --project',
    directory: '-C --directory',
    rules: [
      {
        id: 'poetry publish',
        kind: 'publish',
        path: 'publish',
        values: '-r --repository -u --username -p --password --cert --client-cert --dist-dir',
        flags: '--build --skip-existing -n --no-interaction',
        dry: '--dry-run',
      },
    ],
  },
  {
    names: 'uv',
    directory: '--directory --project',
    rules: [
      {
        id: 'uv publish',
        kind: 'publish',
        path: 'publish',
        values:
          '--index --publish-url --token -t --username -u --password -p --trusted-publishing --keyring-provider --check-url',
        dry: '--dry-run',
      },
    ],
  },
  {
    names: 'hatch',
    values: '-e --env -p --project --data-dir --cache-dir --config',
    rules: [
      {
        id: 'hatch publish',
        kind: 'publish',
        path: 'publish',
        values: '-u --user -a --auth -r --repo -p --publisher -o --option',
      },
    ],
  },
  {
    names: 'flit',
    values: '-f --ini-file',
    rules: [
      {
        id: 'flit publish',
        kind: 'publish',
        path: 'publish',
        values: '--repository --pypirc --format',
      },
    ],
  },
  {
    names: 'pdm',
    rules: [
      {
        id: 'pdm publish',
        kind: 'publish',
        path: 'publish',
        values: '-r --repository -u --username -P --password -c --comment -p --project',
      },
    ],
  },
  {
    names: 'rye',
    rules: [
      {
        id: 'rye publish',
        kind: 'publish',
        path: 'publish',
        values: '--repository --repository-url -u --username --token --sign --identity',
      },
    ],
  },
  {
    names: 'maturin',
    rules: [
      {
        id: 'maturin publish',
        kind: 'publish',
        path: 'publish|upload',
        values: '-r --repository -u --username -p --password -i --interpreter -m --manifest-path',
      },
    ],
  },
  { names: 'conda anaconda', rules: [{ id: 'anaconda upload', kind: 'publish', path: 'upload' }] },
  { names: 'pixi', rules: [{ id: 'pixi upload', kind: 'publish', path: 'upload|publish' }] },
  {
    names: 'rattler-build',
    rules: [{ id: 'rattler-build upload', kind: 'publish', path: 'upload|publish' }],
  },
  {
    names: 'gem',
    values: '--config-file',
    rules: [
      {
        id: 'gem push',
        kind: 'publish',
        path: 'push',
        values: '-k --key --host --otp -p --http-proxy --attestation',
      },
      { id: 'gem yank', kind: 'publish', path: 'yank' },
    ],
  },
  {
    names: 'rake',
    rules: [
      {
        id: 'rake release',
        kind: 'publish',
        path: '',
        values: '-f --rakefile',
        dry: '-n --dry-run',
        when: (use) =>
          use.operands.some((it) =>
            /^(release|gem:release|release:rubygem_push|publish|deploy)(\[|$)/.test(it),
          ),
      },
    ],
  },
  {
    names: 'mvn mvnw mvnd',
    style: 'word',
    values:
      '-f --file -pl --projects -P --activate-profiles -s --settings -gs -T --threads -rf --resume-from -l --log-file -t --toolchains',
    rules: [
      {
        id: 'mvn deploy',
        kind: 'publish',
        path: '',
        when: (use) =>
          use.operands.some(isMavenDeploy) &&
          !use.options.some(
            ({ name, value }) => name === '-Dmaven.deploy.skip' && value !== 'false',
          ),
      },
    ],
  },
  {
    names: 'gradle gradlew',
    values:
      '-p --project-dir -b --build-file -I --init-script -x --exclude-task -g --gradle-user-home -c --settings-file --console --max-workers --configuration-cache-problems',
    rules: [
      {
        id: 'gradle publish',
        kind: 'publish',
        path: '',
        dry: '-m --dry-run',
        when: (use) => use.operands.some(isGradlePublish),
      },
      {
        id: 'gradle push image',
        kind: 'image-push',
        path: '',
        dry: '-m --dry-run',
        when: (use) => use.operands.some((it) => /(^|:)(jib|dockerPush\w*)$/.test(it)),
      },
    ],
  },
  {
    names: 'sbt sbtn',
    rules: [
      {
        id: 'sbt publish',
        kind: 'publish',
        path: '',
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
      },
    ],
  },
  {
    names: 'mill',
    rules: [
      {
        id: 'mill publish',
        kind: 'publish',
        path: '',
        when: (use) =>
          use.operands.some((it) => /(^|\.)(publish|publishAll|publishSonatypeCentral)$/.test(it)),
      },
    ],
  },
  { names: 'lein', rules: [{ id: 'lein deploy', kind: 'publish', path: 'deploy|release' }] },
  {
    names: 'dotnet',
    rules: [
      {
        id: 'dotnet nuget push',
        kind: 'publish',
        path: 'nuget push',
        values: '-s --source -k --api-key -t --timeout -ss --symbol-source -sk --symbol-api-key',
        flags:
          '--skip-duplicate -n --no-symbols --interactive -d --disable-buffering --no-service-endpoint',
      },
      { id: 'dotnet nuget delete', kind: 'publish', path: 'nuget delete' },
    ],
  },
  {
    names: 'nuget',
    style: 'word',
    rules: [
      {
        id: 'nuget push',
        kind: 'publish',
        path: 'push',
        values: '-Source -ApiKey -Timeout -ConfigFile -src',
      },
    ],
  },
  { names: 'paket', rules: [{ id: 'paket push', kind: 'publish', path: 'push' }] },
  {
    names: 'choco',
    rules: [{ id: 'choco push', kind: 'publish', path: 'push', dry: '--noop --whatif -whatif' }],
  },
  {
    names: 'mix',
    rules: [
      { id: 'mix hex.publish', kind: 'publish', path: 'hex.publish', dry: '--dry-run' },
      { id: 'mix hex.retire', kind: 'publish', path: 'hex.retire' },
    ],
  },
  {
    names: 'rebar3',
    rules: [
      { id: 'rebar3 hex publish', kind: 'publish', path: 'hex publish|cut', dry: '--dry-run' },
    ],
  },
  { names: 'gleam', rules: [{ id: 'gleam publish', kind: 'publish', path: 'publish' }] },
  {
    names: 'dart flutter',
    directory: '-C --directory',
    rules: [
      {
        id: 'dart pub publish',
        kind: 'publish',
        path: 'pub publish|lish',
        dry: '-n --dry-run',
        flags: '-f --force --skip-validation',
      },
    ],
  },
  {
    names: 'pub',
    rules: [{ id: 'pub publish', kind: 'publish', path: 'publish|lish', dry: '-n --dry-run' }],
  },
  {
    names: 'melos',
    rules: [
      {
        id: 'melos publish',
        kind: 'publish',
        path: 'publish',
        flags: '--yes',
        when: (use) =>
          use.options.some(
            ({ name, value }) =>
              name === '--no-dry-run' || (name === '--dry-run' && value === 'false'),
          ),
      },
    ],
  },
  {
    names: 'swift',
    rules: [
      {
        id: 'swift package-registry publish',
        kind: 'publish',
        path: 'package-registry publish',
        dry: '--dry-run',
      },
    ],
  },
  {
    names: 'pod',
    rules: [
      { id: 'pod trunk push', kind: 'publish', path: 'trunk push|delete|deprecate' },
      { id: 'pod repo push', kind: 'publish', path: 'repo push' },
    ],
  },
  {
    names: 'vsce',
    rules: [
      {
        id: 'vsce publish',
        kind: 'publish',
        path: 'publish|unpublish',
        values: '-p --pat -i --packagePath -m --message -t --target --baseContentUrl',
      },
    ],
  },
  {
    names: 'ovsx',
    rules: [
      {
        id: 'ovsx publish',
        kind: 'publish',
        path: 'publish',
        values: '-p --pat -i --packagePath -r --registryUrl -t --target',
        dry: '--dry-run',
      },
    ],
  },
  { names: 'web-ext', rules: [{ id: 'web-ext sign', kind: 'publish', path: 'sign' }] },
  {
    names: 'chrome-webstore-upload',
    rules: [{ id: 'chrome-webstore-upload', kind: 'publish', path: '' }],
  },
  { names: 'luarocks', rules: [{ id: 'luarocks upload', kind: 'publish', path: 'upload' }] },
  {
    names: 'opam',
    rules: [
      {
        id: 'opam publish',
        kind: 'publish',
        path: 'publish',
        dry: '-n --dry-run --no-browser-only',
      },
    ],
  },
  { names: 'opam-publish', rules: [{ id: 'opam publish', kind: 'publish', path: '' }] },
  {
    names: 'dune-release',
    rules: [
      { id: 'dune-release', kind: 'publish', path: 'publish|bistro', dry: '--dry-run' },
      { id: 'dune-release opam submit', kind: 'publish', path: 'opam submit', dry: '--dry-run' },
    ],
  },
  {
    names: 'cabal',
    rules: [
      {
        id: 'cabal upload',
        kind: 'publish',
        path: 'upload',
        values: '-u --username -p --password -t --token',
      },
    ],
  },
  { names: 'stack', rules: [{ id: 'stack upload', kind: 'publish', path: 'upload' }] },
  {
    names: 'conan',
    rules: [
      {
        id: 'conan upload',
        kind: 'publish',
        path: 'upload',
        values: '-r --remote -p --package-query',
        dry: '--dry-run --skip-upload',
      },
    ],
  },
  {
    names: 'cpan-upload',
    rules: [
      {
        id: 'cpan-upload',
        kind: 'publish',
        path: '',
        values: '-u --user -p --password',
        dry: '--dry-run -n',
      },
    ],
  },
  {
    names: 'dzil minil',
    rules: [{ id: 'dzil release', kind: 'publish', path: 'release', dry: '--dry-run' }],
  },
  { names: 'elm elm-publish', rules: [{ id: 'elm publish', kind: 'publish', path: 'publish' }] },
  { names: 'spago', rules: [{ id: 'spago publish', kind: 'publish', path: 'publish' }] },
  { names: 'nimble', rules: [{ id: 'nimble publish', kind: 'publish', path: 'publish' }] },
  { names: 'bower', rules: [{ id: 'bower register', kind: 'publish', path: 'register' }] },
  {
    names: 'clojars clj clojure',
    rules: [
      {
        id: 'clojure deploy',
        kind: 'publish',
        path: '',
        when: (use) =>
          use.argv.some((it) => /^-?[XTM]:?(deploy|release|publish)$|^deploy$/.test(it)),
      },
    ],
  },
  {
    names: 'wapm wasmer',
    rules: [{ id: 'wasmer publish', kind: 'publish', path: 'publish', dry: '--dry-run' }],
  },
  {
    names: 'buf',
    rules: [
      {
        id: 'buf push',
        kind: 'publish',
        path: 'push',
        values: '--label --tag --branch --git-metadata',
      },
    ],
  },
  {
    names: 'ansible-galaxy',
    rules: [
      { id: 'ansible-galaxy publish', kind: 'publish', path: 'collection publish' },
      { id: 'ansible-galaxy import', kind: 'publish', path: 'role import' },
    ],
  },
  {
    names: 'puppet pdk',
    rules: [
      {
        id: 'pdk release',
        kind: 'publish',
        path: 'release|module',
        when: (use) => use.argv.includes('release') || use.argv.includes('publish'),
      },
    ],
  },
  {
    names: 'snapcraft',
    rules: [
      {
        id: 'snapcraft upload',
        kind: 'publish',
        path: 'upload|push|release|promote|upload-metadata',
      },
    ],
  },
  {
    names: 'winget wingetcreate',
    rules: [
      {
        id: 'wingetcreate submit',
        kind: 'publish',
        path: 'submit|update',
        when: (use) => use.argv.includes('submit') || use.has('-s', '--submit'),
      },
    ],
  },
  {
    names: 'fastlane',
    rules: [
      {
        id: 'fastlane',
        kind: 'publish',
        path: '',
        when: (use) =>
          use.operands.some((it) =>
            /^(deliver|pilot|supply|upload_to_\w+|release|beta|deploy|testflight)$/.test(it),
          ),
      },
    ],
  },
  {
    names: 'altool xcrun',
    rules: [
      {
        id: 'altool upload',
        kind: 'publish',
        path: '',
        when: (use) => use.argv.includes('--upload-app') || use.argv.includes('--upload-package'),
      },
    ],
  },
  {
    names: 'expo eas',
    rules: [
      { id: 'eas submit', kind: 'publish', path: 'submit|update|publish|deploy' },
      { id: 'eas channel', kind: 'deploy', path: 'channel|branch publish' },
    ],
  },
  {
    names: 'hf huggingface-cli',
    rules: [{ id: 'hf upload', kind: 'publish', path: 'upload|upload-large-folder' }],
  },
  {
    names: 'kaggle',
    rules: [
      {
        id: 'kaggle push',
        kind: 'publish',
        path: 'kernels|datasets|models|k|d push|create|version',
      },
    ],
  },
  { names: 'dvc', rules: [{ id: 'dvc push', kind: 'publish', path: 'push' }] },
  {
    names: 'clasp',
    rules: [
      { id: 'clasp push', kind: 'deploy', path: 'push|deploy|create-deployment|update-deployment' },
    ],
  },
  {
    names: 'jf jfrog',
    rules: [
      {
        id: 'jf upload',
        kind: 'publish',
        path: 'rt upload|u|build-publish|bp|docker-push|build-promote',
        dry: '--dry-run',
      },
      {
        id: 'jf publish',
        kind: 'publish',
        path: 'npm|nuget|docker|gradle|mvn|twine|go-publish|gp publish|push|upload|deploy',
      },
    ],
  },
  {
    names: 'cloudsmith',
    rules: [
      { id: 'cloudsmith push', kind: 'publish', path: 'push|copy|move|upload', dry: '--dry-run' },
    ],
  },
  {
    names: 'packagecloud package_cloud',
    rules: [{ id: 'package_cloud push', kind: 'publish', path: 'push' }],
  },
  {
    names: 'dput dput-ng dupload',
    rules: [{ id: 'dput', kind: 'publish', path: '', dry: '-s --simulate' }],
  },
  { names: 'copr-cli', rules: [{ id: 'copr build', kind: 'publish', path: 'build' }] },
];

function toolchains(): readonly Rule[] {
  return [
    {
      id: 'cargo publish',
      kind: 'publish',
      path: '',
      values: '-p --package',
      dry: '-n --dry-run',
      when: (use) => (use.operands[0] ?? '').startsWith('+') && use.operands[1] === 'publish',
    },
  ];
}

function isMavenDeploy(goal: string): boolean {
  return /^(deploy|site-deploy|site:deploy|release:perform|release:prepare|deploy:deploy(-file)?|scm:checkin|nexus-staging:\w+|central-publishing:publish|jreleaser:\S+|jgitflow:\S+-finish|gitflow:\S+-finish|[\w.-]+:maven-deploy-plugin(:[\w.-]+)?:deploy(-file)?|[\w.-]+:maven-release-plugin(:[\w.-]+)?:(perform|prepare))$/.test(
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
