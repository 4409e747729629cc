/** The deploy verbs of the large clouds, and uploads to their buckets. */
import type { Rule, Tool, Use } from './rule.ts';

const deploying = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'deploy',
  path,
  ...more,
});

const AWS =
  '--profile --region --output --endpoint-url --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout';
const GCLOUD =
  '--project --account --configuration --region --zone --format --verbosity --impersonate-service-account';

export function cloudsTools(): readonly Tool[] {
  return [
    {
      names: 'aws',
      values: AWS,
      help: '--help help',
      rules: [
        deploying('aws s3 sync', 's3 sync|cp|mv|rm|rb|website', {
          values:
            '--exclude --include --acl --cache-control --content-type --metadata --storage-class --sse --grants --expires',
          dry: '--dryrun',
          when: (use) => changesBucket(use),
        }),
        deploying(
          'aws s3api put',
          's3api put-object|copy-object|delete-object|delete-objects|put-bucket-website|put-bucket-policy|delete-bucket|complete-multipart-upload|upload-part',
        ),
        deploying(
          'aws cloudformation deploy',
          'cloudformation deploy|create-stack|update-stack|execute-change-set|delete-stack|package|create-stack-set|update-stack-set',
          { when: (use) => !use.has('--no-execute-changeset') },
        ),
        deploying(
          'aws lambda update',
          'lambda update-function-code|update-function-configuration|create-function|publish-version|update-alias|create-alias|publish-layer-version|delete-function',
          { dry: '--dry-run' },
        ),
        deploying(
          'aws ecs update',
          'ecs update-service|create-service|run-task|register-task-definition|deploy|delete-service|update-express-gateway-service',
        ),
        deploying('aws deploy', 'deploy create-deployment|push'),
        deploying(
          'aws elasticbeanstalk',
          'elasticbeanstalk update-environment|create-application-version|create-environment|swap-environment-cnames',
        ),
        deploying('aws amplify', 'amplify start-job|start-deployment|create-deployment'),
        deploying('aws apprunner', 'apprunner start-deployment|create-service|update-service'),
        deploying('aws codepipeline', 'codepipeline start-pipeline-execution'),
        deploying(
          'aws cloudfront',
          'cloudfront create-invalidation|update-distribution|update-function|publish-function|create-distribution',
        ),
        deploying('aws ssm put', 'ssm put-parameter|send-command'),
        deploying('aws eks', 'eks update-addon|update-cluster-config|update-nodegroup-config'),
        { id: 'aws ecr put-image', kind: 'image-push', path: 'ecr|ecr-public put-image' },
        {
          id: 'aws codeartifact publish',
          kind: 'publish',
          path: 'codeartifact publish-package-version|copy-package-versions',
        },
        deploying(
          'aws serverlessrepo',
          'serverlessrepo create-application-version|create-application',
        ),
      ],
    },
    {
      names: 'gcloud',
      values: GCLOUD,
      flags: '-q --quiet --async --no-user-output-enabled',
      rules: [
        deploying('gcloud deploy', 'alpha|beta|preview app|run|functions|deploy', {
          values: '',
          when: (use) =>
            use.operands.includes('deploy') ||
            use.operands.some((it) => /^(create|promote|update|replace)$/.test(it)),
        }),
        deploying('gcloud app deploy', 'app deploy', {
          values: '-v --version --image-url --bucket',
        }),
        deploying('gcloud run deploy', 'run deploy|compose'),
        deploying(
          'gcloud run services update',
          'run services|jobs|worker-pools update|replace|update-traffic|deploy|create|delete|execute',
          { dry: '--dry-run' },
        ),
        deploying('gcloud functions deploy', 'functions deploy|delete'),
        { id: 'gcloud builds submit', kind: 'image-push', path: 'builds submit' },
        deploying('gcloud builds triggers run', 'builds triggers run'),
        deploying(
          'gcloud deploy releases create',
          'deploy releases|rollouts create|promote|approve|advance',
        ),
        deploying('gcloud deploy apply', 'deploy apply'),
        deploying('gcloud storage', 'storage cp|rsync|mv|rm', {
          dry: '--dry-run',
          when: (use) => (use.operands.at(-1) ?? '').startsWith('gs://'),
        }),
        {
          id: 'gcloud artifacts upload',
          kind: 'publish',
          path: 'artifacts generic|apt|yum|go|files upload|import',
        },
        deploying(
          'gcloud compute instances',
          'compute instances|instance-groups create|delete|update-container|managed|update',
        ),
        deploying('gcloud compute scp', 'compute scp', {
          when: (use) => (use.operands.at(-1) ?? '').includes(':'),
        }),
        deploying('gcloud endpoints deploy', 'endpoints services deploy', {
          dry: '--validate-only',
        }),
        deploying('gcloud infra-manager apply', 'infra-manager deployments apply|delete'),
      ],
    },
    {
      names: 'gsutil',
      values: '-h -o -i -u',
      flags: '-m -q -D',
      rules: [
        deploying('gsutil rsync', 'rsync', {
          values: '-x -a -j -y',
          dry: '-n',
          when: (use) => (use.operands.at(-1) ?? '').startsWith('gs://'),
        }),
        deploying('gsutil cp', 'cp|mv|rm', {
          values: '-z -a -j -h',
          when: (use) => (use.operands.at(-1) ?? '').startsWith('gs://'),
        }),
      ],
    },
    {
      names: 's3cmd s5cmd mc',
      rules: [
        deploying('s3 upload', 'put|sync|cp|mv|mirror|rm|del', {
          dry: '-n --dry-run',
          when: (use) =>
            /^s3:\/\//.test(use.operands.at(-1) ?? '') ||
            (use.argv[0] === 'mc' && use.operands.length > 1),
        }),
      ],
    },
    {
      names: 'rclone',
      values:
        '--config --exclude --include --filter --transfers --checkers --bwlimit --log-file --log-level',
      rules: [
        deploying(
          'rclone copy',
          'copy|sync|move|copyto|moveto|bisync|rcat|deletefile|delete|purge',
          {
            dry: '-n --dry-run',
            when: (use) => /^[\w-]{2,}:/.test(use.operands.at(-1) ?? ''),
          },
        ),
      ],
    },
    {
      names: 'azcopy',
      rules: [
        deploying('azcopy', 'copy|cp|sync|c|remove|rm', {
          dry: '--dry-run',
          when: (use) => /^https?:/.test(use.operands.at(-1) ?? ''),
        }),
      ],
    },
    {
      names: 'b2 oss ossutil coscmd coscli',
      rules: [
        deploying('bucket upload', 'upload-file|upload|sync|cp|file', {
          when: (use) =>
            /^(b2|oss|cos):\/\//.test(use.operands.at(-1) ?? '') ||
            use.argv.includes('upload') ||
            use.argv.includes('upload-file'),
        }),
      ],
    },
    {
      names: 'az',
      values: '-g --resource-group -n --name --subscription -o --output --query -s --src',
      rules: [
        deploying(
          'az webapp deploy',
          'webapp|functionapp|staticwebapp up|deploy|deployment|publish|restart|create',
          { when: (use) => !/\b(list|show)\b/.test(use.operands.join(' ')) },
        ),
        deploying('az containerapp', 'containerapp up|update|create|compose|job'),
        deploying('az deployment create', 'deployment group|sub|mg|tenant create', {}),
        deploying('az aks', 'aks command|update|upgrade|create'),
        {
          id: 'az acr build',
          kind: 'image-push',
          path: 'acr build|import',
          when: (use) => !use.has('--no-push'),
        },
        { id: 'az acr task run', kind: 'image-push', path: 'acr task run' },
        deploying('az storage blob upload', 'storage blob|file upload|upload-batch|sync|copy', {
          dry: '--dryrun',
        }),
        deploying('az storage copy', 'storage copy'),
        deploying('az pipelines run', 'pipelines run'),
        { id: 'az artifacts publish', kind: 'publish', path: 'artifacts universal publish' },
        deploying('az functionapp', 'functionapp deployment source'),
        deploying('az spring app deploy', 'spring|spring-cloud app deploy'),
      ],
    },
    {
      names: 'azd',
      values: '-C --cwd -e --environment',
      rules: [deploying('azd up', 'up|deploy|provision|publish|down', { dry: '--preview' })],
    },
    {
      names: 'func',
      rules: [deploying('func azure publish', 'azure functionapp|containerapps publish|deploy')],
    },
    { names: 'swa', rules: [deploying('swa deploy', 'deploy', { dry: '--dry-run' })] },
    {
      names: 'oci',
      rules: [
        deploying(
          'oci',
          'os|ce|fn|compute object|function|container-instance put|bulk-upload|sync|update|create|resume-put',
        ),
      ],
    },
    {
      names: 'tcb cloudbase aliyun fun s scf',
      rules: [
        deploying('cloud deploy', 'deploy|framework|fn|hosting', {
          when: (use) => use.argv.includes('deploy'),
        }),
      ],
    },
  ];
}

/** A bucket is written, not only read. */
function changesBucket(use: Use): boolean {
  const target = use.operands.at(-1) ?? '';
  const removes = ['rm', 'rb', 'website', 'mv'].some((it) => use.argv.includes(it));
  // An unknown target may be a bucket; a source alone never is.
  return removes || target.startsWith('s3://') || !/^[\w./~-]/.test(target);
}
