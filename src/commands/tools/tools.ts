/**
 * The families of tools that can make work leave the machine. A family's table is made when a
 * command names one of its programs: most commands name none, and a hook starts for each.
 */
import { appStoresTools } from './app-stores.ts';
import { cloudsTools } from './clouds.ts';
import { containersTools } from './containers.ts';
import { forgesTools, webTools } from './forges.ts';
import { hostsTools } from './hosts.ts';
import { infrastructureTools } from './infrastructure.ts';
import { platformsTools } from './platforms.ts';
import {
  javascriptRegistriesTools,
  jvmRegistriesTools,
  languageRegistriesTools,
  pythonRegistriesTools,
} from './registries.ts';
import { releaseTools } from './release-tools.ts';
import type { Tool } from './rule.ts';
import { gitTools, versionControlTools } from './version-control.ts';

/** Every program name in a family's table, and what makes the table. */
export const FAMILIES: Readonly<Record<string, () => readonly Tool[]>> = {
  'git git-http-push git-lfs git-push git-remote-ext git-remote-fd git-remote-ftp git-remote-ftps git-remote-http git-remote-https git-send-pack git-subtree':
    gitTools,
  'az bb berg fj gh ghr github-release glab hub tea': forgesTools,
  'arc av b4 brz bzr centpkg cm cvs darcs dolt fedpkg fossil ghstack git-cl git-machete git-review git-spice git-spr git-town gs gt hg jj lakectl osc p4 phabsend pijul rad repo rhpkg sl spr stg svn svnmucc tf':
    versionControlTools,
  'bun cnpm deno jsr npm npm-cli.js pnpm tnpm yarn yarnpkg': javascriptRegistriesTools,
  'anaconda conda flit hatch maturin pdm pixi poetry rattler-build rye setup.py twine uv':
    pythonRegistriesTools,
  'clj clojars clojure gradle gradlew lein mill mvn mvnd mvnw sbt sbtn': jvmRegistriesTools,
  'bower brew cabal cargo conan cpan-upload cross dart dotnet dune-release dzil elm elm-publish flutter gem gleam luarocks melos minil mix nimble nuget opam opam-publish paket pod pub rake rebar3 spago stack swift wapm wasmer':
    languageRegistriesTools,
  'altool ansible-galaxy buf choco chrome-webstore-upload clasp cloudsmith copr-cli ctan-o-mat dput dput-ng dupload dvc eas expo fastlane hf huggingface-cli jf jfrog kaggle koji ovsx package_cloud packagecloud pdk puppet rdme shorebird snapcraft vsce wandb web-ext winget wingetcreate xcrun':
    appStoresTools,
  'apptainer bazel bazelisk buildah buildctl cosign crane ctr dagger depot docker docker-buildx docker-compose earthly executor finch flux gcrane img imgpkg jib kaniko ko kustomize nerdctl notation operator-sdk opm oras pack podman podman-compose regctl singularity skopeo werf':
    containersTools,
  'autossh clush croc curlftpput fly flyctl ftp lftp magic-wormhole mutagen nc ncat ncftpput netcat parallel-scp prsync pscp pscp.pssh psftp rsync scp sftp socat ssh unison winscp winscp.com wormhole wput':
    hostsTools,
  'ansible ansible-playbook ansible-pull argocd bolt cap cloudron colmena copilot dep deploy deploy-rs deployer eksctl envoy fab flux garden helm helmfile istioctl k kamal kapp kops kubecolor kubectl kubectl-argo-rollouts kustomize microk8s.kubectl mina morph mrsk nixops nixos-rebuild nomad oc okteto packer pulumi pyinfra salt salt-ssh skaffold talosctl terraform terragrunt tilt tofu waypoint':
    infrastructureTools,
  'alembic amplify ampx angular-cli-ghpages apex appcfg.py atlas beam cdk cdktf cds cerebrium cf chalice chalk chromatic claudia contentful contentful-cli convex coolify databricks datadog-ci dbmate dbt dbt-cloud defang deno deployctl doctl dokku dokploy eb encore firebase fly flyctl flyway goose hasura hasura-cli heroku hexo ibmcloud inngest koyeb liquibase mariadb mastra migrate mlflow modal mongorestore mongosh mysql mysqlimport netlify newrelic nitric northflank ntl osls pac partykit pg_restore porter prefect prisma psql railway render rsconnect rsconnect-python sam samdev sanity serverless sf sfdx shopify shuttle sls sqitch sqlcmd sst storybook-deployer storybook-to-ghpages strapi supabase surge trigger trigger.dev up vc vercel wrangler zappa zeabur':
    platformsTools,
  'aliyun aws az azcopy azd b2 bq cloudbase coscli coscmd fun func gcloud gsutil linode-cli mc oci oss ossutil rclone s s3cmd s5cmd scf swa tcb yc':
    cloudsTools,
  'argo auto beachball bk buddy bumpp cargo-dist cargo-release changelogen changelogithub changeset changesets circleci clean-publish dist docusaurus drone fullrelease gh-pages ghp-import git-extras git-release goreleaser gren jenkins-cli jreleaser lerna mike mkdocs monopub msr multi-semantic-release ng np npm-publish nx octopus pkg-pr-new quarto release release-it release-please release-plz rush sam-release semantic-release semantic-release-monorepo sentry-cli shipjs spin tagpr tbump tkn turbo uplift woodpecker-cli zest.releaser':
    releaseTools,
  'Invoke-RestMethod Invoke-WebRequest curl http https irm iwr wget xh xhs': webTools,
};
