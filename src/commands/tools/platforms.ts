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
      deploy('alias set; vercel env = env add|update'),
      deploy('[--version -v]', {
        values: '-e --env -b --build-env -m --meta --regions --target -n --name',
        flags: '--prod --prebuilt -y --yes -f --force -c --confirm --public',
        when: isBareVercel,
      }),
    ],
  ),
  tool('netlify ntl', { values: '--auth --filter', directory: '--cwd' }, [
    deploy('deploy; netlify env = env:set|env:unset|env:import'),
  ]),
  tool('wrangler', { values: '-c --config -e --env', directory: '--cwd' }, [
    deploy('deploy|publish [--dry-run]'),
    deploy('pages deploy|publish', {
      values: '--project-name --branch --commit-hash --commit-message',
    }),
    deploy('wrangler versions = versions upload|deploy [--dry-run]; secret put|bulk'),
    deploy('wrangler pages deploy = pages deployment|project create'),
    deploy('wrangler d1 migrations apply --remote = d1 migrations|execute --remote'),
    deploy('r2 object put [--local]; wrangler kv put = kv key|bulk put --remote'),
  ]),
  deploy('fly flyctl', 'deploy', { when: ({ has }) => !has('--build-only') || has('--push') }),
  deploy('fly flyctl', 'launch [--no-deploy]'),
  deploy(
    'fly flyctl',
    'fly secrets = secrets|scale|machine|machines|volumes|ips set|import|unset|deploy|count|vm|memory|update|run|restart|create|clone',
  ),
  deploy('railway', 'up|redeploy|deploy'),
  deploy('render', 'deploys create; render services = services|service update|deploy'),
  deploy(
    'heroku',
    'container:release|container:push|pipelines:promote|builds:create|deploy:jar|deploy:war|ps:scale|config:set|config:unset|dyno:scale|ps:restart|promote',
  ),
  deploy('heroku', 'heroku container release = container push|release'),
  deploy(
    'dokku',
    'dokku deploy = git:from-image|git:from-archive|git:sync|ps:rebuild|ps:restart|deploy|config:set|tags:deploy',
  ),
  deploy('surge', '[--version]', {
    values: '-p --project -d --domain',
    except: 'list login logout whoami token plan help',
  }),
  deploy(
    'firebase',
    'deploy|hosting:channel:deploy|hosting:clone|appdistribution:distribute|ext:install|apphosting:rollouts:create [--dry-run]',
  ),
  deploy('supabase', 'db push [--dry-run --local]; functions deploy'),
  deploy('supabase', 'config|secrets push|set|unset'),
  deploy('supabase', 'supabase db reset --linked = db reset --linked|--db-url'),
  deploy('supabase', 'supabase migration up --linked = migration up|repair --linked|--db-url'),
  deploy('amplify', 'push|publish'),
  deploy('serverless sls osls', 'deploy [--noDeploy --dry-run]', { except: 'list' }),
  deploy('sam samdev', 'deploy|publish|package [--no-execute-changeset]; sam deploy = sync'),
  deploy('cdk', 'deploy|destroy|bootstrap|import|watch [--method=prepare-change-set --no-execute]'),
  deploy('cdktf', 'deploy|apply|destroy|watch'),
  deploy('zappa chalice', 'deploy|update|promote'),
  deploy('eb', 'deploy|create|upgrade|swap|setenv'),
  deploy('cf', 'push|p|restage|rolling-restart|scale|bg-deploy|zero-downtime-push'),
  deploy(
    'ibmcloud',
    'ibmcloud ce app update = ce|cf|fn|cr app|application|action|job create|update|push|deploy',
  ),
  deploy('doctl', 'doctl apps = apps|app create|update|create-deployment'),
  deploy('sst', 'deploy'),
  deploy('convex encore koyeb modal trigger trigger.dev', 'deploy = deploy|publish [--dry-run]'),
  deploy('defang nitric', 'deploy = up|compose|deploy [--dry-run]'),
  deploy('deno', 'deploy [--dry-run]'),
  deploy('koyeb', 'koyeb service = service|services|app|apps create|update|redeploy|init'),
  deploy(
    'shopify',
    'shopify deploy = app|theme|hydrogen deploy|push|publish|release [--unpublished]',
  ),
  deploy(
    'sf sfdx',
    'sf project deploy = project deploy start|quick|resume [--dry-run -c --checkonly]',
  ),
  deploy(
    'sf sfdx',
    'sfdx force:source:deploy = force:source:deploy|force:source:push|force:mdapi:deploy|deploy [-c --checkonly --dry-run]',
  ),
  deploy('dokploy coolify', 'deploy = app|deploy deploy|uuid|name|batch|restart'),
  deploy('prisma', 'migrate deploy', { staysHere: 'db' }),
  deploy('atlas', 'migrate|schema apply [--dry-run]', { when: namesRemoteDatabase }),
  deploy(
    'flyway liquibase dbmate migrate goose sqitch alembic hasura hasura-cli',
    'database migration = [--dry-run]',
    {
      style: 'word',
      staysHere: '*',
      when: (use) => use.operands.some((it) => MIGRATES.test(it)) && namesRemoteDatabase(use),
    },
  ),
  deploy('pg_restore mongorestore mysqlimport', 'change of a remote database =', {
    staysHere: '*',
    values: '-h --host --uri -d --dbname -U -p --port',
    when: namesRemoteDatabase,
  }),
  deploy('psql mysql mariadb mongosh sqlcmd', 'change of a remote database =', {
    help: '-? --help',
    values:
      '-h --host -U -u --user --username -p --port -P -d --dbname -D -c --command -e --execute -f --file -v --eval',
    staysHere: '*',
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
  deploy('hexo', 'deploy|d; hexo deploy = generate|g -d|--deploy'),
  deploy('angular-cli-ghpages', '[--dry-run]'),
  deploy('chromatic', '[--dry-run --list --version]'),
  deploy('sanity', 'sanity deploy = documents import'),
  deploy('contentful contentful-cli', 'contentful import = space import'),
  deploy('strapi', 'transfer --to'),
  deploy('pac', 'pac solution import = solution|pages import|upload|upload-paportal'),
  deploy('cds', 'up'),
  ...each(deploy, 'caprover clever scalingo prefect', 'deploy'),
  deploy('s3_website', 'push'),
  deploy('copilot', 'svc|job|env|pipeline deploy'),
  deploy('appcenter', 'codepush release|release-react|release-electron|promote'),
  deploy('hugo', 'deploy [--dryRun]'),
  deploy('waypoint', 'up|deploy'),
  deploy('databricks', 'bundle deploy; databricks import = workspace import|import-dir|import_dir'),
  deploy('databricks', 'databricks import = fs cp', { when: lastOperand(/^dbfs:/) }),
  deploy('dbt-cloud', 'job run'),
  deploy('prefect', 'deployment run'),
  deploy('mlflow', 'mlflow deployments = deployments create|update'),
  deploy('datadog-ci', 'lambda|cloud-run|stepfunctions|aas instrument [-d --dry-run]'),
  // The release words of these tools write to this machine or to a device on it.
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
