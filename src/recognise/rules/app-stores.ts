/** Stores of apps, extensions and system packages, and repositories of any artefact. */
import type { Tool } from './rule.ts';

export function appStoresTools(): readonly Tool[] {
  return [
    {
      names: 'choco',
      rules: [{ id: 'choco push', kind: 'publish', path: 'push', dry: '--noop --whatif -whatif' }],
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
        {
          id: 'clasp push',
          kind: 'deploy',
          path: 'push|deploy|create-deployment|update-deployment',
        },
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
}
