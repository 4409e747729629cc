import type { Examples } from './rule.ts';

export const appStoresExamples: Examples = {
  'choco push': { releases: ['choco push a.nupkg'], harmless: ['choco pack', 'choco push --noop'] },
  'vsce publish': { releases: ['vsce publish', 'vsce publish minor'], harmless: ['vsce package'] },
  'ovsx publish': {
    releases: ['ovsx publish'],
    harmless: ['ovsx publish --dry-run', 'ovsx get a'],
  },
  'web-ext sign': { releases: ['web-ext sign'], harmless: ['web-ext build', 'web-ext lint'] },
  'chrome-webstore-upload': {
    releases: ['chrome-webstore-upload upload --source a.zip', 'npx chrome-webstore-upload-cli'],
    harmless: ['chrome-webstore-upload --help'],
  },
  'buf push': { releases: ['buf push'], harmless: ['buf build', 'buf lint'] },
  'ansible-galaxy publish': {
    releases: ['ansible-galaxy collection publish a.tar.gz'],
    harmless: ['ansible-galaxy collection install publish'],
  },
  'ansible-galaxy import': {
    releases: ['ansible-galaxy role import acme a'],
    harmless: ['ansible-galaxy role list'],
  },
  'pdk release': {
    releases: ['pdk release', 'pdk release publish'],
    harmless: ['pdk release prep', 'pdk build', 'puppet module list'],
  },
  'snapcraft upload': {
    releases: ['snapcraft upload a.snap', 'snapcraft promote a --to-channel stable'],
    harmless: ['snapcraft pack', 'snapcraft status a'],
  },
  'butler push': {
    releases: ['butler push build acme/game:win'],
    harmless: ['butler status acme/game', 'butler push --dry-run build acme/game:win'],
  },
  fastlane: {
    releases: ['fastlane beta', 'fastlane ios release', 'fastlane upload_to_testflight'],
    harmless: ['fastlane test', 'fastlane lanes', 'fastlane build'],
  },
  'altool upload': {
    releases: ['xcrun altool --upload-app -f a.ipa', 'xcrun notarytool submit a.zip --wait'],
    harmless: ['xcrun notarytool log abc', 'xcrun altool --validate-app -f a.ipa'],
  },
  'eas submit': {
    releases: ['eas submit -p ios', 'eas update --branch main', 'expo publish'],
    harmless: ['eas build -p ios', 'expo start'],
  },
  'eas build --auto-submit': {
    releases: ['eas build -p ios --auto-submit'],
    harmless: ['eas build --local', 'eas build:list'],
  },
  'eas channel': { releases: ['eas branch publish'], harmless: ['eas branch list'] },
  'hf upload': {
    releases: ['hf upload a/b .', 'huggingface-cli upload-large-folder a/b .'],
    harmless: ['hf download a/b', 'huggingface-cli whoami'],
  },
  'kaggle push': {
    releases: ['kaggle kernels push', 'kaggle datasets version -m x'],
    harmless: ['kaggle datasets list', 'kaggle kernels pull a/b'],
  },
  'dvc push': { releases: ['dvc push'], harmless: ['dvc pull', 'dvc status'] },
  'clasp push': {
    releases: ['clasp push', 'clasp deploy'],
    harmless: ['clasp pull', 'clasp list'],
  },
  'jf upload': {
    releases: ['jf rt upload a.zip libs/', 'jfrog rt bp a 1'],
    harmless: ['jf rt download libs/a.zip', 'jf rt upload --dry-run a.zip libs/'],
  },
  'jf publish': {
    releases: ['jf npm publish', 'jf docker push a/b:1'],
    harmless: ['jf npm install', 'jf docker pull a/b:1'],
  },
  'cloudsmith push': {
    releases: ['cloudsmith push deb acme/a/ubuntu a.deb'],
    harmless: ['cloudsmith list packages acme/a'],
  },
  dput: {
    releases: ['dput ppa:acme/a a.changes', 'debrelease --dput'],
    harmless: ['dput --simulate ppa:acme/a a.changes'],
  },
  'koji build': {
    releases: ['koji build f40 a.src.rpm'],
    harmless: ['koji build --scratch f40 a.src.rpm', 'koji list-builds'],
  },
  'copr build': { releases: ['copr-cli build acme a.src.rpm'], harmless: ['copr-cli list'] },
  'ctan-o-mat': { releases: ['ctan-o-mat --submit a.pkg'], harmless: ['ctan-o-mat a.pkg'] },
  'wandb artifact put': {
    releases: ['wandb artifact put -n a model.bin'],
    harmless: ['wandb artifact get a'],
  },
  'shorebird release': {
    releases: ['shorebird release android', 'shorebird patch ios'],
    harmless: ['shorebird doctor', 'shorebird release android --dry-run'],
  },
};
