/** Stores of apps, extensions and system packages, and repositories of any artefact. */
import { anyOperand, deploy, publish, type Tool, tool } from './rule.ts';

export function appStoresTools(): readonly Tool[] {
  return [
    tool('choco', [publish('push', { dry: '--noop --whatif -whatif' })]),
    tool('vsce', [
      publish('publish|unpublish', {
        values: '-p --pat -i --packagePath -m --message -t --target --baseContentUrl',
      }),
    ]),
    tool('ovsx', [
      publish('publish', {
        values: '-p --pat -i --packagePath -r --registryUrl -t --target',
        dry: '--dry-run',
      }),
    ]),
    tool('web-ext', [publish('sign')]),
    tool('chrome-webstore-upload', [publish('')]),
    tool('buf', [publish('push', { values: '--label --tag --branch --git-metadata' })]),
    tool('ansible-galaxy', [
      publish('collection publish', { id: 'ansible-galaxy publish' }),
      publish('role import', { id: 'ansible-galaxy import' }),
    ]),
    tool('puppet pdk', [
      publish('release|module', {
        id: 'pdk release',
        when: (use) => use.argv.includes('release') || use.argv.includes('publish'),
      }),
    ]),
    tool('snapcraft', [publish('upload|push|release|promote|upload-metadata')]),
    tool('winget wingetcreate', [
      publish('submit|update', {
        id: 'wingetcreate submit',
        when: (use) => use.argv.includes('submit') || use.has('-s', '--submit'),
      }),
    ]),
    tool('fastlane', [
      publish('', {
        when: anyOperand(/^(deliver|pilot|supply|upload_to_\w+|release|beta|deploy|testflight)$/),
      }),
    ]),
    tool('altool xcrun', [
      publish('', {
        id: 'altool upload',
        when: (use) => use.argv.includes('--upload-app') || use.argv.includes('--upload-package'),
      }),
    ]),
    tool('expo eas', [
      publish('submit|update|publish|deploy', { id: 'eas submit' }),
      deploy('channel|branch publish', { id: 'eas channel' }),
    ]),
    tool('hf huggingface-cli', [publish('upload|upload-large-folder')]),
    tool('kaggle', [
      publish('kernels|datasets|models|k|d push|create|version', { id: 'kaggle push' }),
    ]),
    tool('dvc', [publish('push')]),
    tool('clasp', [deploy('push|deploy|create-deployment|update-deployment')]),
    tool('jf jfrog', [
      publish('rt upload|u|build-publish|bp|docker-push|build-promote', {
        id: 'jf upload',
        dry: '--dry-run',
      }),
      publish('npm|nuget|docker|gradle|mvn|twine|go-publish|gp publish|push|upload|deploy', {
        id: 'jf publish',
      }),
    ]),
    tool('cloudsmith', [publish('push|copy|move|upload', { dry: '--dry-run' })]),
    tool('packagecloud package_cloud', [publish('push', { id: 'package_cloud push' })]),
    tool('dput dput-ng dupload', [publish('', { dry: '-s --simulate' })]),
    tool('copr-cli', [publish('build', { id: 'copr build' })]),
  ];
}
