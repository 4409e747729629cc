import type { Examples } from './rule.ts';

export const platformsExamples: Examples = {
  'vercel deploy': {
    releases: ['vercel deploy --prebuilt', 'vc promote x', 'vercel --scope acme redeploy x'],
    harmless: ['vercel promote status', 'vercel build --prod', 'vercel inspect x'],
  },
  'vercel alias set': { releases: ['vercel alias set a b'], harmless: ['vercel alias ls'] },
  'vercel env': { releases: ['vercel env add A production'], harmless: ['vercel env pull'] },
  vercel: {
    releases: ['vercel', 'vercel --prod', 'vercel ./dist --prod'],
    harmless: ['vercel build', 'vercel dev', 'vercel ls', 'vercel --version', 'vercel --debug ls'],
  },
  'netlify deploy': {
    releases: ['netlify deploy --prod', 'ntl deploy'],
    harmless: ['netlify dev', 'netlify build'],
  },
  'netlify env': { releases: ['netlify env:set A b'], harmless: ['netlify env:list'] },
  'wrangler deploy': {
    releases: ['wrangler deploy', 'wrangler --env prod publish'],
    harmless: ['wrangler dev', 'wrangler deploy --dry-run'],
  },
  'wrangler pages deploy': {
    releases: ['wrangler pages deploy dist', 'wrangler pages project create a'],
    harmless: ['wrangler pages dev dist', 'wrangler pages project list'],
  },
  'wrangler versions': {
    releases: ['wrangler versions upload'],
    harmless: ['wrangler versions list', 'wrangler versions upload --dry-run'],
  },
  'wrangler secret put': {
    releases: ['wrangler secret put A'],
    harmless: ['wrangler secret list'],
  },
  'wrangler d1 migrations apply --remote': {
    releases: ['wrangler d1 migrations apply db --remote', 'wrangler d1 execute db --remote'],
    harmless: ['wrangler d1 migrations apply db', 'wrangler d1 list'],
  },
  'wrangler r2 object put': {
    releases: ['wrangler r2 object put b/a --file a'],
    harmless: ['wrangler r2 object get b/a', 'wrangler r2 object put b/a --file a --local'],
  },
  'wrangler kv put': {
    releases: ['wrangler kv key put a b --remote'],
    harmless: ['wrangler kv key put a b', 'wrangler kv key list'],
  },
  'fly deploy': {
    releases: ['fly deploy', 'flyctl -a x deploy', 'fly deploy --build-only --push'],
    harmless: ['fly status', 'fly logs', 'fly deploy --build-only'],
  },
  'fly launch': { releases: ['fly launch --now'], harmless: ['fly launch --no-deploy'] },
  'fly secrets': {
    releases: ['fly secrets set A=b', 'fly scale count 2', 'fly machine run a/b'],
    harmless: ['fly secrets list', 'fly scale show'],
  },
  'railway up': { releases: ['railway up', 'railway redeploy'], harmless: ['railway logs'] },
  'render deploys create': {
    releases: ['render deploys create srv-1'],
    harmless: ['render deploys list srv-1'],
  },
  'render services': {
    releases: ['render services update srv-1'],
    harmless: ['render services list'],
  },
  'heroku container:release': {
    releases: ['heroku container:release web', 'heroku ps:scale web=2'],
    harmless: ['heroku logs', 'heroku config'],
  },
  'heroku container release': {
    releases: ['heroku container push web'],
    harmless: ['heroku container login'],
  },
  'dokku deploy': {
    releases: ['dokku git:sync web https://example.com/x.git', 'dokku ps:rebuild web'],
    harmless: ['dokku apps:list', 'dokku logs web'],
  },
  surge: {
    releases: ['surge dist', 'surge dist a.surge.sh'],
    harmless: ['surge list', 'surge whoami'],
  },
  'firebase deploy': {
    releases: ['firebase deploy --only hosting', 'firebase -P p hosting:channel:deploy x'],
    harmless: ['firebase emulators:start', 'firebase deploy --dry-run'],
  },
  'supabase db push': {
    releases: ['supabase db push'],
    harmless: ['supabase db push --dry-run', 'supabase db push --local', 'supabase start'],
  },
  'supabase functions deploy': {
    releases: ['supabase functions deploy f'],
    harmless: ['supabase functions serve f'],
  },
  'supabase config push': {
    releases: ['supabase config push', 'supabase secrets set A=b'],
    harmless: ['supabase secrets list'],
  },
  'supabase db reset --linked': {
    releases: ['supabase db reset --linked'],
    harmless: ['supabase db reset'],
  },
  'supabase migration up --linked': {
    releases: ['supabase migration up --linked'],
    harmless: ['supabase migration up', 'supabase migration new a'],
  },
  'amplify push': {
    releases: ['amplify push -y', 'amplify publish'],
    harmless: ['amplify status'],
  },
  'serverless deploy': {
    releases: ['serverless deploy', 'sls deploy -s prod', 'serverless deploy function -f f'],
    harmless: ['serverless offline', 'serverless deploy list', 'sls package'],
  },
  'sam deploy': {
    releases: ['sam deploy', 'sam sync --watch'],
    harmless: ['sam build', 'sam local invoke', 'sam deploy --no-execute-changeset'],
  },
  'cdk deploy': {
    releases: ['cdk deploy --all', 'cdk -c a=b destroy'],
    harmless: ['cdk synth', 'cdk diff', 'cdk deploy --no-execute'],
  },
  'cdktf deploy': { releases: ['cdktf deploy'], harmless: ['cdktf synth', 'cdktf diff'] },
  'zappa deploy': {
    releases: ['zappa update prod', 'chalice deploy'],
    harmless: ['zappa status prod', 'chalice local'],
  },
  'eb deploy': { releases: ['eb deploy', 'eb setenv A=b'], harmless: ['eb status', 'eb logs'] },
  'cf push': { releases: ['cf push', 'cf scale web -i 2'], harmless: ['cf apps', 'cf logs web'] },
  'ibmcloud ce app update': {
    releases: ['ibmcloud ce app update -n web'],
    harmless: ['ibmcloud ce app list', 'ibmcloud cf apps'],
  },
  'doctl apps': {
    releases: ['doctl apps create --spec a.yaml', 'doctl -t x apps create-deployment id'],
    harmless: ['doctl apps list'],
  },
  deploy: {
    releases: [
      'modal deploy app.py',
      'modal --env prod deploy app.py',
      'convex --env-file .env deploy',
      'trigger --profile x deploy',
      'encore --trace deploy',
      'npx trigger.dev@latest deploy',
      'koyeb deploy . web',
      'defang compose up',
      'nitric up',
      'coolify deploy uuid abc',
      'dokploy app deploy',
    ],
    harmless: [
      'modal run app.py',
      'modal --env prod run app.py',
      'convex --env-file .env dev',
      'convex deploy --dry-run',
      'encore run',
      'nitric start',
      'coolify server list',
    ],
  },
  'sst deploy': { releases: ['sst deploy --stage prod'], harmless: ['sst dev', 'sst diff'] },
  'deno deploy': { releases: ['deno deploy --prod'], harmless: ['deno deploy --dry-run'] },
  'koyeb service': {
    releases: ['koyeb service update web', 'koyeb app init web'],
    harmless: ['koyeb service list'],
  },
  'shopify deploy': {
    releases: ['shopify app deploy', 'shopify theme push'],
    harmless: ['shopify theme push --unpublished', 'shopify theme pull', 'shopify app dev'],
  },
  'sf project deploy': {
    releases: ['sf project deploy start -x package.xml'],
    harmless: ['sf project deploy report', 'sf project deploy start --dry-run'],
  },
  'sfdx force:source:deploy': {
    releases: ['sfdx force:source:push'],
    harmless: ['sfdx force:source:status', 'sfdx force:source:deploy --checkonly'],
  },
  'prisma migrate deploy': {
    releases: ['prisma migrate deploy'],
    harmless: ['prisma db push', 'prisma migrate status', 'prisma migrate dev'],
  },
  'atlas migrate apply': {
    releases: ['atlas migrate apply -u postgres://db.example.com/a'],
    harmless: ['atlas migrate apply -u postgres://localhost/a', 'atlas schema inspect'],
  },
  'database migration': {
    releases: [
      'flyway -url=jdbc:postgresql://db.example.com/a migrate',
      'dbmate --url postgres://db.example.com/a up',
      'sqitch deploy db:pg://db.example.com/a',
    ],
    harmless: [
      'flyway -url=jdbc:postgresql://localhost/a migrate',
      'alembic upgrade head',
      'sqitch deploy db:pg://localhost/a',
      'dbmate --url postgres://db.example.com/a status',
    ],
  },
  'change of a remote database': {
    releases: [
      'psql -h db.example.com -f a.sql',
      "mysql -h db.example.com -e 'drop table a'",
      'pg_restore -h db.example.com -d a a.dump',
    ],
    harmless: [
      'psql -h localhost -f a.sql',
      "psql -h db.example.com -c 'select 1'",
      'pg_restore -d a a.dump',
    ],
  },
  'dbt run': {
    releases: ['dbt run --target prod', 'dbt build -t production'],
    harmless: ['dbt run', 'dbt test --target prod'],
  },
  'hexo deploy': {
    releases: ['hexo deploy', 'hexo generate --deploy'],
    harmless: ['hexo generate', 'hexo server'],
  },
  'angular-cli-ghpages': {
    releases: ['angular-cli-ghpages --dir=dist'],
    harmless: ['angular-cli-ghpages --dry-run'],
  },
  chromatic: {
    releases: ['chromatic --project-token x'],
    harmless: ['chromatic --dry-run', 'chromatic --version'],
  },
  'sanity deploy': {
    releases: ['sanity deploy', 'sanity documents import a.ndjson'],
    harmless: ['sanity dev', 'sanity graphql list'],
  },
  'contentful import': {
    releases: ['contentful space import --content-file a.json'],
    harmless: ['contentful space export'],
  },
  'strapi transfer': {
    releases: ['strapi transfer --to https://example.com/admin'],
    harmless: ['strapi transfer --from https://example.com/admin', 'strapi develop'],
  },
  'pac solution import': {
    releases: ['pac solution import --path a.zip'],
    harmless: ['pac solution export --path a.zip'],
  },
  'cds up': { releases: ['cds up'], harmless: ['cds watch', 'cds build'] },
  'caprover deploy': { releases: ['caprover deploy -d'], harmless: ['caprover list'] },
  'clever deploy': { releases: ['clever deploy --force'], harmless: ['clever logs'] },
  'scalingo deploy': { releases: ['scalingo deploy a.tar.gz'], harmless: ['scalingo ps'] },
  'prefect deploy': { releases: ['prefect deploy --all'], harmless: ['prefect flow-run ls'] },
  's3_website push': { releases: ['s3_website push'], harmless: ['s3_website cfg apply'] },
  'copilot svc deploy': {
    releases: ['copilot svc deploy -n api -e prod', 'copilot job deploy'],
    harmless: ['copilot svc logs', 'copilot svc package'],
  },
  'appcenter codepush release': {
    releases: ['appcenter codepush release-react -a acme/a -d Production'],
    harmless: ['appcenter codepush deployment list'],
  },
  'hugo deploy': {
    releases: ['hugo deploy --target=production'],
    harmless: ['hugo deploy --dryRun', 'hugo server', 'hugo --minify'],
  },
  'waypoint up': { releases: ['waypoint up', 'waypoint deploy'], harmless: ['waypoint logs'] },
  'databricks bundle deploy': {
    releases: ['databricks bundle deploy -t prod'],
    harmless: ['databricks bundle validate'],
  },
  'databricks import': {
    releases: ['databricks workspace import a /a', 'databricks fs cp a dbfs:/a'],
    harmless: ['databricks workspace list', 'databricks fs cp dbfs:/a a'],
  },
  'dbt-cloud job run': {
    releases: ['dbt-cloud job run --job-id 1'],
    harmless: ['dbt-cloud job list'],
  },
  'prefect deployment run': {
    releases: ['prefect deployment run a/b'],
    harmless: ['prefect deployment ls'],
  },
  'mlflow deployments': {
    releases: ['mlflow deployments create -t sagemaker --name a'],
    harmless: ['mlflow deployments list -t sagemaker'],
  },
  'datadog-ci lambda instrument': {
    releases: ['datadog-ci lambda instrument -f f'],
    harmless: ['datadog-ci lambda instrument -f f --dry-run', 'datadog-ci junit upload --help'],
  },
};
