/** Hosting platforms. */
import type { Rule, Tool, Use } from './rule.ts';

const deploying = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'deploy',
  path,
  ...more,
});

export function platformsTools(): readonly Tool[] {
  return [
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
          values:
            '-d --dir -f --functions -s --site -m --message -a --alias --context --create-site',
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
          when: (use) =>
            !(use.value('--method') === 'prepare-change-set' || use.has('--no-execute')),
        }),
      ],
    },
    { names: 'cdktf', rules: [deploying('cdktf deploy', 'deploy|apply|destroy|watch')] },
    {
      names: 'sst',
      rules: [
        deploying('sst deploy', 'deploy|remove|dev', { when: (use) => use.argv[1] !== 'dev' }),
      ],
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
  ];
}

/** `vercel` alone, or with a folder, deploys; with another subcommand it does not. */
function isBareVercel(use: Use): boolean {
  const [first] = use.operands;
  if (use.has('--version', '-v')) return false;
  if (first === undefined) return true;
  return first === '.' || first.includes('/');
}
