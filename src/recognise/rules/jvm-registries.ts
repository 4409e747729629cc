/** Repositories of Java, Kotlin, Scala and Clojure artefacts. */
import type { Tool } from './rule.ts';

export function jvmRegistriesTools(): readonly Tool[] {
  return [
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
        '-p --project-dir -b --build-file -I --init-script -x --exclude-task -g --gradle-user-home -c --settings-file --task --tests --console --max-workers --configuration-cache-problems',
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
            use.operands.some((it) =>
              /(^|\.)(publish|publishAll|publishSonatypeCentral)$/.test(it),
            ),
        },
      ],
    },
    { names: 'lein', rules: [{ id: 'lein deploy', kind: 'publish', path: 'deploy|release' }] },
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
  ];
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
