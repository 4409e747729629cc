/** Hosting platforms. */
import { isKnown } from '../shell/unknown.ts';
import { isLocalAddress } from './local.ts';
import { deploy, each, lastOperand, type Match, type Tool, tool } from './rule.ts';

export const platformsTools = (): readonly Tool[] => [
  tool(
    'vercel vc',
    {
      values: '-t --token -S --scope -T --team -A --local-config -Q --global-config',
      flags: '-d --debug --no-color',
      directory: '--cwd',
    },
    [
      deploy('deploy|redeploy|promote|rolling-release', {
        values: '-e --env -b --build-env -m --meta --regions --target',
        except: 'status',
      }),
      deploy('alias set'),
      deploy('env add|update', { id: 'vercel env' }),
      deploy('[--version -v]', {
        values: '-e --env -b --build-env -m --meta --regions --target -n --name',
        flags: '--prod --prebuilt -y --yes -f --force -c --confirm --public',
        when: isBareVercel,
      }),
    ],
  ),
  tool('netlify ntl', { values: '--auth --filter', directory: '--cwd' }, [
    deploy('deploy'),
    deploy('env:set|env:unset|env:import', { id: 'netlify env' }),
  ]),
  tool('wrangler', { values: '-c --config -e --env', directory: '--cwd' }, [
    deploy('deploy|publish [--dry-run]'),
    deploy('pages deploy|publish', {
      values: '--project-name --branch --commit-hash --commit-message',
    }),
    deploy('versions upload|deploy [--dry-run]', { id: 'wrangler versions' }),
    deploy('secret put|bulk'),
    deploy('pages deployment|project create', { id: 'wrangler pages deploy' }),
    deploy('d1 migrations|execute --remote', { id: 'wrangler d1 migrations apply --remote' }),
    deploy('r2 object put [--local]'),
    deploy('kv key|bulk put --remote', { id: 'wrangler kv put' }),
  ]),
  deploy('fly flyctl', 'deploy', { when: ({ has }) => !has('--build-only') || has('--push') }),
  deploy('fly flyctl', 'launch [--no-deploy]'),
  deploy(
    'fly flyctl',
    'secrets|scale|machine|machines|volumes|ips set|import|unset|deploy|count|vm|memory|update|run|restart|create|clone',
    { id: 'fly secrets' },
  ),
  deploy('railway', 'up|redeploy|deploy'),
  deploy('render', 'deploys create'),
  deploy('render', 'services|service update|deploy', { id: 'render services' }),
  deploy(
    'heroku',
    'container:release|container:push|pipelines:promote|builds:create|deploy:jar|deploy:war|ps:scale|config:set|config:unset|dyno:scale|ps:restart|promote',
  ),
  deploy('heroku', 'container push|release', { id: 'heroku container release' }),
  deploy(
    'dokku',
    'git:from-image|git:from-archive|git:sync|ps:rebuild|ps:restart|deploy|config:set|tags:deploy',
    { id: 'dokku deploy' },
  ),
  deploy('surge', '[--version]', {
    values: '-p --project -d --domain',
    except: 'list login logout whoami token plan help',
  }),
  deploy(
    'firebase',
    'deploy|hosting:channel:deploy|hosting:clone|appdistribution:distribute|ext:install|apphosting:rollouts:create [--dry-run]',
  ),
  deploy('supabase', 'db push [--dry-run --local]'),
  deploy('supabase', 'functions deploy'),
  deploy('supabase', 'config|secrets push|set|unset'),
  deploy('supabase', 'db reset --linked|--db-url', { id: 'supabase db reset --linked' }),
  deploy('supabase', 'migration up|repair --linked|--db-url', {
    id: 'supabase migration up --linked',
  }),
  deploy('amplify', 'push|publish'),
  deploy('serverless sls osls', 'deploy [--noDeploy --dry-run]', { except: 'list' }),
  deploy('sam samdev', 'deploy|publish|package [--no-execute-changeset]'),
  deploy('sam samdev', 'sync', { id: 'sam deploy' }),
  deploy('cdk', 'deploy|destroy|bootstrap|import|watch [--method=prepare-change-set --no-execute]'),
  deploy('cdktf', 'deploy|apply|destroy|watch'),
  deploy('zappa chalice', 'deploy|update|promote'),
  deploy('eb', 'deploy|create|upgrade|swap|setenv'),
  deploy('cf', 'push|p|restage|rolling-restart|scale|bg-deploy|zero-downtime-push'),
  deploy('ibmcloud', 'ce|cf|fn|cr app|application|action|job create|update|push|deploy', {
    id: 'ibmcloud ce app update',
  }),
  deploy('doctl', 'apps|app create|update|create-deployment', { id: 'doctl apps' }),
  deploy('sst', 'deploy'),
  deploy('convex encore koyeb modal trigger trigger.dev', 'deploy|publish [--dry-run]', {
    id: 'deploy',
  }),
  deploy('defang nitric', 'up|compose|deploy [--dry-run]', { id: 'deploy' }),
  deploy('deno', 'deploy [--dry-run]'),
  deploy('koyeb', 'service|services|app|apps create|update|redeploy|init', { id: 'koyeb service' }),
  deploy('shopify', 'app|theme|hydrogen deploy|push|publish|release [--unpublished]', {
    id: 'shopify deploy',
  }),
  deploy('sf sfdx', 'project deploy start|quick|resume [--dry-run -c --checkonly]', {
    id: 'sf project deploy',
  }),
  deploy(
    'sf sfdx',
    'force:source:deploy|force:source:push|force:mdapi:deploy|deploy [-c --checkonly --dry-run]',
    { id: 'sfdx force:source:deploy' },
  ),
  deploy('dokploy coolify', 'app|deploy deploy|uuid|name|batch|restart', { id: 'deploy' }),
  deploy('prisma', 'migrate deploy', { staysHere: 'db' }),
  deploy('atlas', 'migrate|schema apply [--dry-run]', { when: namesRemoteDatabase }),
  deploy('flyway liquibase dbmate migrate goose sqitch alembic hasura hasura-cli', '[--dry-run]', {
    style: 'word',
    staysHere: '*',
    id: 'database migration',
    when: (use) => use.operands.some((it) => MIGRATES.test(it)) && namesRemoteDatabase(use),
  }),
  deploy('pg_restore mongorestore mysqlimport', '', {
    staysHere: '*',
    id: 'change of a remote database',
    values: '-h --host --uri -d --dbname -U -p --port',
    when: namesRemoteDatabase,
  }),
  deploy('psql mysql mariadb mongosh sqlcmd', '', {
    help: '-? --help',
    values:
      '-h --host -U -u --user --username -p --port -P -d --dbname -D -c --command -e --execute -f --file -v --eval',
    staysHere: '*',
    id: 'change of a remote database',
    when: (use, { stdin }) =>
      namesRemoteDatabase(use) &&
      (use.has('-f', '--file') ||
        use.values('-c', '--command', '-e', '--execute', '--eval').some((it) => CHANGES.test(it)) ||
        stdin().some((it) => it !== '')),
  }),
  deploy('dbt', 'run|build|seed|snapshot', {
    values: '-t --target',
    when: ({ value }) => /prod/i.test(value('-t', '--target') ?? ''),
  }),
  deploy('hexo', 'deploy|d'),
  deploy('hexo', 'generate|g -d|--deploy', { id: 'hexo deploy' }),
  deploy('angular-cli-ghpages', '[--dry-run]'),
  deploy('chromatic', '[--dry-run --list --version]'),
  deploy('sanity', 'documents import', { id: 'sanity deploy' }),
  deploy('contentful contentful-cli', 'space import', { id: 'contentful import' }),
  deploy('strapi', 'transfer --to'),
  deploy('pac', 'solution|pages import|upload|upload-paportal', { id: 'pac solution import' }),
  deploy('cds', 'up'),
  ...each(deploy, 'caprover clever scalingo prefect', 'deploy'),
  deploy('s3_website', 'push'),
  deploy('copilot', 'svc|job|env|pipeline deploy'),
  deploy('appcenter', 'codepush release|release-react|release-electron|promote'),
  deploy('hugo', 'deploy [--dryRun]'),
  deploy('waypoint', 'up|deploy'),
  deploy('databricks', 'bundle deploy'),
  deploy('databricks', 'workspace import|import-dir|import_dir', { id: 'databricks import' }),
  deploy('databricks', 'fs cp', { id: 'databricks import', when: lastOperand(/^dbfs:/) }),
  deploy('dbt-cloud', 'job run'),
  deploy('prefect', 'deployment run'),
  deploy('mlflow', 'deployments create|update', { id: 'mlflow deployments' }),
  deploy('datadog-ci', 'lambda|cloud-run|stepfunctions|aas instrument [-d --dry-run]'),
  // Of these, words that are named after a release write to this machine or to a device on it.
  tool('artisan', { staysHere: 'vendor:publish lang:publish config:publish stub:publish' }, []),
  tool('drizzle-kit', { staysHere: 'push' }, []),
  tool('pio arduino-cli platformio esptool avrdude dfu-util', { staysHere: 'upload run' }, []),
];

const MIGRATES = /^(migrate|update|up|apply|deploy|upgrade|metadata)$/;
const CHANGES = /\b(alter|create|drop|insert|update|delete|truncate|grant|revoke|merge|copy)\b/i;
const DATABASE =
  /^[\w+]*(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|sqlserver|oracle|clickhouse|cockroachdb|libsql|https?|pg|db:\w+)[:/]/;

/** True if a word, or an option, names a database on another machine. */
function namesRemoteDatabase(use: Match): boolean {
  const hosts = use.values('-h', '--host');
  const addresses = [...use.operands, ...use.options.map(({ value }) => value ?? '')]
    .map((it) => it.slice(it.indexOf('=') + 1))
    .filter((it) => DATABASE.test(it) && it.includes('//'));
  const all = [...hosts, ...addresses.map((it) => it.replace(/^jdbc:/, '').replace(/^db:/, ''))];
  return all.some(
    (it) =>
      isKnown(it) && it !== '' && !/^\//.test(it) && !isLocalAddress(it) && !/^[\w-]+$/.test(it),
  );
}

/** `vercel` alone, or with a folder, deploys; with another subcommand it does not. */
const isBareVercel = ({ operands: [first = '.'] }: Match): boolean =>
  first === '.' || first.includes('/');
