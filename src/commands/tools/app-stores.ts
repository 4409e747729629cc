/** Stores of apps, extensions and system packages, and repositories of any artefact. */
import { anyOperand, deploy, publish, type Tool, tool } from './rule.ts';

export const appStoresTools = (): readonly Tool[] => [
  publish('choco', 'push [--noop --whatif -whatif]'),
  publish('vsce', 'publish', { values: '-p --pat -m --message' }),
  publish('ovsx', 'publish [--dry-run]', { values: '-p --pat -r --registryUrl' }),
  publish('web-ext', 'sign'),
  publish('chrome-webstore-upload chrome-webstore-upload-cli', ''),
  publish('buf', 'push', { values: '--label --tag --branch --git-metadata' }),
  publish('ansible-galaxy', 'collection publish', { id: 'ansible-galaxy publish' }),
  publish('ansible-galaxy', 'role import', { id: 'ansible-galaxy import' }),
  publish('pdk puppet', 'release', { except: 'prep' }),
  publish('snapcraft', 'upload|push|release|promote|upload-metadata'),
  publish('butler', 'push [--dry-run]'),
  publish('fastlane', '', {
    when: anyOperand(
      /^(deliver|pilot|supply|upload_to_\w+|(\w+_)?(release|beta|deploy|testflight|appstore|playstore|upload|distribute)(_\w+)?)$/,
    ),
  }),
  tool('xcrun altool', { style: 'word' }, [
    publish('--upload-app|--upload-package', { id: 'altool upload' }),
    publish('notarytool submit', { id: 'altool upload' }),
  ]),
  publish('expo eas', 'submit|update|publish|deploy', { id: 'eas submit' }),
  publish('expo eas', 'build --auto-submit|--auto-submit-with-profile|-s', {
    id: 'eas build --auto-submit',
  }),
  deploy('expo eas', 'channel|branch publish', { id: 'eas channel' }),
  publish('hf huggingface-cli', 'upload|upload-large-folder'),
  publish('kaggle', 'kernels|datasets|models|k|d push|create|version', { id: 'kaggle push' }),
  publish('dvc', 'push'),
  deploy('clasp', 'push|deploy|create-deployment|update-deployment'),
  publish('jf jfrog', 'rt upload|u|build-publish|bp|docker-push|build-promote [--dry-run]', {
    id: 'jf upload',
  }),
  publish(
    'jf jfrog',
    'npm|nuget|docker|gradle|mvn|twine|go-publish|gp publish|push|upload|deploy',
    { id: 'jf publish' },
  ),
  publish('cloudsmith', 'push|copy|move|upload [--dry-run]'),
  publish('dput dput-ng dupload debrelease', '[-s --simulate]'),
  publish('koji', 'build [--scratch]'),
  publish('copr-cli', 'build', { id: 'copr build' }),
  publish('ctan-o-mat', '--submit|-s'),
  publish('wandb', 'artifact put'),
  publish('shorebird', 'release|patch [--dry-run -n]'),
];
