/** Repositories of Java, Kotlin, Scala and Clojure artefacts. */
import { anyOperand, imagePush, publish, type Tool, tool } from './rule.ts';

export function jvmRegistriesTools(): readonly Tool[] {
  return [
    tool(
      'mvn mvnw mvnd',
      {
        style: 'word',
        values:
          '-f --file -pl --projects -P --activate-profiles -s --settings -gs -T --threads -rf --resume-from -l --log-file -t --toolchains',
      },
      [
        publish('', {
          id: 'mvn deploy',
          when: (use) =>
            use.operands.some(isMavenDeploy) &&
            !use.options.some(
              ({ name, value }) => name === '-Dmaven.deploy.skip' && value !== 'false',
            ),
        }),
      ],
    ),
    tool(
      'gradle gradlew',
      {
        values:
          '-p --project-dir -b --build-file -I --init-script -x --exclude-task -g --gradle-user-home -c --settings-file --task --tests --console --max-workers --configuration-cache-problems',
      },
      [
        publish('', {
          id: 'gradle publish',
          dry: '-m --dry-run',
          when: (use) => use.operands.some(isGradlePublish),
        }),
        imagePush('', {
          id: 'gradle push image',
          dry: '-m --dry-run',
          when: anyOperand(/(^|:)(jib|dockerPush\w*)$/),
        }),
      ],
    ),
    tool('sbt sbtn', [
      publish('', {
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
    ]),
    tool('mill', [
      publish('', {
        id: 'mill publish',
        when: anyOperand(/(^|\.)(publish|publishAll|publishSonatypeCentral)$/),
      }),
    ]),
    tool('lein', [publish('deploy|release')]),
    tool('clojars clj clojure', [
      publish('', {
        id: 'clojure deploy',
        when: (use) =>
          use.argv.some((it) => /^-?[XTM]:?(deploy|release|publish)$|^deploy$/.test(it)),
      }),
    ]),
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
