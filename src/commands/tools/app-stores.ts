/** Stores of apps, extensions and system packages, and repositories of any artefact. */
import { anyOperand, deploy, publish, type Tool, tool } from './rule.ts';

export const appStoresTools = (): readonly Tool[] => [
  publish('choco', 'push [--noop --whatif -whatif]'),
  publish('vsce', 'publish', { values: '-p --pat -m --message' }),
  publish('ovsx', 'publish [--dry-run]', { values: '-p --pat -r --registryUrl' }),
  publish('web-ext', 'sign'),
  publish('chrome-webstore-upload chrome-webstore-upload-cli', ''),
  publish('buf', 'push', { values: '--label --tag --branch --git-metadata' }),
  publish('ansible-galaxy', 'ansible-galaxy publish = collection publish'),
  publish('ansible-galaxy', 'ansible-galaxy import = role import'),
  publish('pdk puppet', 'release', { except: 'prep' }),
  publish('snapcraft', 'upload|push|release|promote|upload-metadata'),
  publish('butler', 'push [--dry-run]'),
  publish('fastlane', '', {
    when: anyOperand(
      /^(deliver|pilot|supply|upload_to_\w+|(\w+_)?(release|beta|deploy|testflight|appstore|playstore|upload|distribute)(_\w+)?)$/,
    ),
  }),
  tool('xcrun altool', { style: 'word' }, [
    publish('altool upload = --upload-app|--upload-package; altool upload = notarytool submit'),
  ]),
  publish('expo eas', 'eas submit = submit|update|publish|deploy'),
  publish(
    'expo eas',
    'eas build --auto-submit = build --auto-submit|--auto-submit-with-profile|-s',
  ),
  deploy('expo eas', 'eas channel = channel|branch publish'),
  publish('hf huggingface-cli', 'upload|upload-large-folder'),
  publish('kaggle', 'kaggle push = kernels|datasets|models|k|d push|create|version'),
  publish('dvc', 'push'),
  deploy('clasp', 'push|deploy|create-deployment|update-deployment'),
  publish(
    'jf jfrog',
    'jf upload = rt upload|u|build-publish|bp|docker-push|build-promote [--dry-run]',
  ),
  publish(
    'jf jfrog',
    'jf publish = npm|nuget|docker|gradle|mvn|twine|go-publish|gp publish|push|upload|deploy',
  ),
  publish('cloudsmith', 'push|copy|move|upload [--dry-run]'),
  publish('dput dput-ng dupload debrelease', '[-s --simulate]'),
  publish('koji', 'build [--scratch]'),
  publish('copr-cli', 'copr build = build'),
  publish('ctan-o-mat', '--submit|-s'),
  publish('wandb', 'artifact put'),
  publish('shorebird', 'release|patch [--dry-run -n]'),
];
