/** Hosting platforms and the deploy verbs of the large clouds. */
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

export const PLATFORMS: readonly Tool[] = [
  {
    names: 'vercel vc',
    values: '-t --token -S --scope -T --team -A --local-config -Q --global-config',
    directory: '--cwd',
    rules: [
      deploying('vercel deploy', 'deploy|redeploy|promote|rollback|rolling-release', {
        values: '-e --env -b --build-env -m --meta --regions --target',
        flags: '--prod --prebuilt -y --yes -f --force --archive --no-wait --skip-domain',
        when: (use) => !(use.operands[0] === 'status'),
      }),
      deploying('vercel alias set', 'alias set|rm', {}),
      deploying('vercel env', 'env add|rm|update', {}),
      deploying('vercel', '', {
        values: '-e --env -b --build-env -m --meta --regions --target -n --name',
        flags: '--prod --prebuilt -y --yes -f --force -c --confirm --public',
        when: isBareVercel,
      }),
    ],
  },
  {
    names: 'netlify ntl',
    values: '--auth --filter',
    directory: '--cwd',
    rules: [
      deploying('netlify deploy', 'deploy', {
        values: '-d --dir -f --functions -s --site -m --message -a --alias --context --create-site',
        flags: '-p --prod --build --open -o --json --trigger --prod-if-unlocked',
      }),
      deploying('netlify env', 'env:set|env:unset|env:import'),
    ],
  },
  {
    names: 'wrangler',
    values: '-c --config -e --env',
    directory: '--cwd',
    rules: [
      deploying('wrangler deploy', 'deploy|publish', {
        values: '--name --outdir --compatibility-date --var --define --route --tag --message',
        dry: '--dry-run',
      }),
      deploying('wrangler pages deploy', 'pages deploy|publish', {
        values: '--project-name --branch --commit-hash --commit-message',
      }),
      deploying('wrangler versions', 'versions upload|deploy', { dry: '--dry-run' }),
      deploying('wrangler rollback', 'rollback|triggers|delete', { dry: '--dry-run' }),
      deploying('wrangler secret put', 'secret put|bulk|delete'),
      deploying('wrangler pages deploy', 'pages deployment|project create'),
      deploying('wrangler d1 migrations apply --remote', 'd1 migrations|execute', {
        when: (use) => use.has('--remote'),
      }),
      deploying('wrangler r2 object put', 'r2 object put', {
        when: (use) => use.has('--remote') || !use.has('--local'),
      }),
      deploying('wrangler kv put', 'kv key|bulk put', { when: (use) => use.has('--remote') }),
    ],
  },
  {
    names: 'fly flyctl',
    values: '-a --app -c --config -t --access-token -o --org',
    rules: [
      deploying('fly deploy', 'deploy', {
        values:
          '-i --image -e --env --build-arg --build-secret --strategy -r --region --dockerfile --build-target --wait-timeout',
        when: (use) => !use.has('--build-only') || use.has('--push'),
      }),
      deploying('fly launch', 'launch', { when: (use) => !use.has('--no-deploy') }),
      deploying(
        'fly secrets',
        'secrets|scale|machine|machines|releases|volumes|ips set|import|unset|deploy|count|vm|memory|update|run|restart|destroy|rollback|create|clone',
      ),
    ],
  },
  {
    names: 'railway',
    rules: [
      deploying('railway up', 'up|redeploy|deploy|down', {
        values: '-s --service -e --environment',
      }),
    ],
  },
  {
    names: 'render',
    rules: [
      deploying('render deploys create', 'deploys create'),
      deploying('render services', 'services|service update|deploy'),
    ],
  },
  {
    names: 'heroku',
    values: '-a --app -r --remote -t --team',
    rules: [
      deploying(
        'heroku container:release',
        'container:release|container:push|releases:rollback|rollback|pipelines:promote|builds:create|deploy:jar|deploy:war|ps:scale|config:set|config:unset|dyno:scale|ps:restart|promote',
      ),
      deploying('heroku container release', 'container push|release'),
    ],
  },
  {
    names: 'dokku',
    rules: [
      deploying(
        'dokku deploy',
        'git:from-image|git:from-archive|git:sync|ps:rebuild|ps:restart|deploy|config:set|tags:deploy|apps:destroy',
      ),
    ],
  },
  {
    names: 'surge',
    rules: [
      deploying('surge', '', {
        values: '-p --project -d --domain',
        when: (use) =>
          !['list', 'login', 'logout', 'whoami', 'token', 'plan', 'help'].includes(
            use.operands[0] ?? '',
          ) && !use.has('--version'),
      }),
    ],
  },
  {
    names: 'firebase',
    values: '-P --project -c --config --token --account',
    rules: [
      deploying(
        'firebase deploy',
        'deploy|hosting:channel:deploy|hosting:clone|hosting:rollback|appdistribution:distribute|ext:install|functions:delete|remoteconfig:rollback|apphosting:rollouts:create|firestore:delete',
        { values: '--only --except -m --message --expires', dry: '--dry-run' },
      ),
    ],
  },
  {
    names: 'supabase',
    values: '--workdir --profile',
    rules: [
      deploying('supabase db push', 'db push', {
        dry: '--dry-run',
        when: (use) => !use.has('--local'),
      }),
      deploying('supabase functions deploy', 'functions deploy|delete'),
      deploying('supabase config push', 'config|secrets push|set|unset'),
      deploying('supabase db reset --linked', 'db reset', {
        when: (use) => use.has('--linked', '--db-url'),
      }),
      deploying('supabase migration up --linked', 'migration up|repair', {
        when: (use) => use.has('--linked', '--db-url'),
      }),
    ],
  },
  { names: 'amplify', rules: [deploying('amplify push', 'push|publish')] },
  { names: 'ampx', rules: [deploying('ampx pipeline-deploy', 'pipeline-deploy')] },
  {
    names: 'serverless sls osls',
    rules: [
      deploying('serverless deploy', 'deploy|remove|rollback', {
        values: '-s --stage -r --region -f --function -c --config -p --package --aws-profile',
        dry: '--noDeploy --dry-run',
        when: (use) => !(use.operands[0] === 'list'),
      }),
    ],
  },
  {
    names: 'sam samdev',
    rules: [
      deploying('sam deploy', 'deploy|sync|publish|delete|package', {
        when: (use) => !use.has('--no-execute-changeset') || use.argv[1] === 'sync',
      }),
    ],
  },
  {
    names: 'cdk',
    values: '-c --context -a --app -o --output --profile',
    rules: [
      deploying('cdk deploy', 'deploy|destroy|bootstrap|import|rollback|watch|gc', {
        when: (use) => !(use.value('--method') === 'prepare-change-set' || use.has('--no-execute')),
      }),
    ],
  },
  { names: 'cdktf', rules: [deploying('cdktf deploy', 'deploy|apply|destroy|watch')] },
  {
    names: 'sst',
    rules: [deploying('sst deploy', 'deploy|remove|dev', { when: (use) => use.argv[1] !== 'dev' })],
  },
  {
    names: 'chalice zappa up apex',
    rules: [deploying('zappa deploy', 'deploy|update|undeploy|rollback|promote')],
  },
  { names: 'eb', rules: [deploying('eb deploy', 'deploy|create|upgrade|swap|terminate|setenv')] },
  {
    names: 'cf',
    rules: [
      deploying(
        'cf push',
        'push|p|restage|rolling-restart|scale|delete|bg-deploy|zero-downtime-push',
      ),
    ],
  },
  {
    names: 'ibmcloud',
    rules: [
      deploying('ibmcloud ce app update', 'ce|cf|fn|cr app|application|push|action|deploy|job', {
        when: (use) => /\b(create|update|push|deploy)\b/.test(use.argv.join(' ')),
      }),
    ],
  },
  {
    names: 'doctl',
    values: '-t --access-token --context',
    rules: [
      deploying('doctl apps', 'apps|app create|update|create-deployment|delete'),
      deploying('doctl serverless deploy', 'serverless|sls deploy'),
    ],
  },
  { names: 'deployctl', rules: [deploying('deployctl deploy', 'deploy', { dry: '--dry-run' })] },
  { names: 'deno', rules: [deploying('deno deploy', 'deploy', { dry: '--dry-run' })] },
  {
    names:
      'shuttle modal beam cerebrium chalk zeabur koyeb northflank porter encore convex trigger trigger.dev inngest mastra defang nitric partykit',
    rules: [
      deploying('deploy', 'deploy|up|publish', {
        dry: '--dry-run',
        when: (use) =>
          use.argv[1] === 'deploy' ||
          use.argv[1] === 'publish' ||
          use.argv[0] === 'defang' ||
          use.argv[0] === 'nitric',
      }),
    ],
  },
  {
    names: 'koyeb',
    rules: [deploying('koyeb service', 'service|services|app|apps create|update|redeploy|init')],
  },
  {
    names: 'shopify',
    rules: [
      deploying('shopify deploy', 'app|theme|hydrogen deploy|push|publish|release', {
        when: (use) => !use.has('--unpublished'),
      }),
    ],
  },
  {
    names: 'sf sfdx',
    rules: [
      deploying('sf project deploy', 'project deploy start|quick|resume', {
        dry: '--dry-run -c --checkonly',
      }),
      deploying(
        'sfdx force:source:deploy',
        'force:source:deploy|force:source:push|force:mdapi:deploy|deploy',
        { dry: '-c --checkonly --dry-run' },
      ),
    ],
  },
  { names: 'appcfg.py', rules: [deploying('appcfg update', 'update')] },
  { names: 'rsconnect rsconnect-python', rules: [deploying('rsconnect deploy', 'deploy')] },
  {
    names: 'dokploy coolify',
    rules: [deploying('deploy', 'app|deploy deploy|uuid|name|batch|restart')],
  },
  { names: 'prisma', rules: [deploying('prisma migrate deploy', 'migrate deploy')] },
  {
    names: 'atlas',
    rules: [deploying('atlas migrate push', 'migrate|schema push', { dry: '--dry-run' })],
  },
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
      deploying('gcloud app deploy', 'app deploy', { values: '-v --version --image-url --bucket' }),
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
      deploying('gcloud endpoints deploy', 'endpoints services deploy', { dry: '--validate-only' }),
      deploying('gcloud infra-manager apply', 'infra-manager deployments apply|delete'),
    ],
  },
  {
    names: 'gsutil',
    values: '-h -o -i -u',
    flags: '-m -q -D',
    rules: [
      deploying('gsutil cp', 'cp|rsync|mv|rm', {
        values: '-x -z -a -j -h',
        dry: '-n',
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
      deploying('rclone copy', 'copy|sync|move|copyto|moveto|bisync|rcat|deletefile|delete|purge', {
        dry: '-n --dry-run',
        when: (use) => /^[\w-]{2,}:/.test(use.operands.at(-1) ?? ''),
      }),
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

function changesBucket(use: Use): boolean {
  const target = use.operands.at(-1) ?? '';
  const removes = ['rm', 'rb', 'website', 'mv'].some((it) => use.argv.includes(it));
  // An unknown target may be a bucket; a source alone never is.
  return removes || target.startsWith('s3://') || !/^[\w./~-]/.test(target);
}

/** `vercel` alone, or with a folder, deploys; with another subcommand it does not. */
function isBareVercel(use: Use): boolean {
  const [first] = use.operands;
  if (use.has('--version', '-v')) return false;
  if (first === undefined) return true;
  return first === '.' || first.includes('/');
}
