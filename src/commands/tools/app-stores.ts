/** Stores of apps, extensions and system packages, and repositories of any artefact. */
import { anyOperand, deploy, publish, type Tool, tool } from './rule.ts';

export const appStoresTools = (): readonly Tool[] => [
  publish('choco', 'push', { dry: '--noop --whatif -whatif' }),
  publish('vsce', 'publish', {
    values: '-p --pat -i --packagePath -m --message -t --target --baseContentUrl',
  }),
  publish('ovsx', 'publish', {
    values: '-p --pat -i --packagePath -r --registryUrl -t --target',
    dry: '--dry-run',
  }),
  publish('web-ext', 'sign'),
  publish('chrome-webstore-upload', ''),
  publish('buf', 'push', { values: '--label --tag --branch --git-metadata' }),
  tool('ansible-galaxy', [
    publish('collection publish', { id: 'ansible-galaxy publish' }),
    publish('role import', { id: 'ansible-galaxy import' }),
  ]),
  publish('puppet pdk', 'release|module', {
    id: 'pdk release',
    when: (use) => use.argv.includes('release') || use.argv.includes('publish'),
  }),
  publish('snapcraft', 'upload|push|release|promote|upload-metadata'),
  publish('winget wingetcreate', 'submit|update', {
    id: 'wingetcreate submit',
    when: (use) => use.argv.includes('submit') || use.has('-s', '--submit'),
  }),
  publish('fastlane', '', {
    when: anyOperand(
      /^(deliver|pilot|supply|upload_to_\w+|(\w+_)?(release|beta|deploy|testflight|appstore|playstore|upload|distribute)(_\w+)?)$/,
    ),
  }),
  publish('altool xcrun', '', {
    id: 'altool upload',
    when: (use) =>
      use.argv.includes('--upload-app') ||
      use.argv.includes('--upload-package') ||
      (use.operands[0] === 'notarytool' && use.operands[1] === 'submit'),
  }),
  tool('expo eas', [
    publish('submit|update|publish|deploy', { id: 'eas submit' }),
    publish('build', {
      id: 'eas build --auto-submit',
      only: '--auto-submit --auto-submit-with-profile -s',
    }),
    deploy('channel|branch publish', { id: 'eas channel' }),
  ]),
  publish('hf huggingface-cli', 'upload|upload-large-folder'),
  publish('kaggle', 'kernels|datasets|models|k|d push|create|version', { id: 'kaggle push' }),
  publish('dvc', 'push'),
  deploy('clasp', 'push|deploy|create-deployment|update-deployment'),
  tool('jf jfrog', [
    publish('rt upload|u|build-publish|bp|docker-push|build-promote', {
      id: 'jf upload',
      dry: '--dry-run',
    }),
    publish('npm|nuget|docker|gradle|mvn|twine|go-publish|gp publish|push|upload|deploy', {
      id: 'jf publish',
    }),
  ]),
  publish('cloudsmith', 'push|copy|move|upload', { dry: '--dry-run' }),
  publish('packagecloud package_cloud', 'push', { id: 'package_cloud push' }),
  publish('dput dput-ng dupload', '', { dry: '-s --simulate' }),
  publish('koji', 'build', { unless: '--scratch' }),
  publish('ctan-o-mat', '', { only: '--submit -s' }),
  publish('wandb', 'artifact put', { id: 'wandb artifact put' }),
  publish('copr-cli', 'build', { id: 'copr build' }),
  publish('shorebird', 'release|patch', { dry: '--dry-run -n' }),
  publish('rdme', 'openapi|docs|changelogs|upload|publish', {
    id: 'rdme upload',
    dry: '--dry-run',
    except: 'validate inspect convert reduce resolve',
  }),
];
