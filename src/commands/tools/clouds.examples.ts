import type { Examples } from './rule.ts';

export const cloudsExamples: Examples = {
  'aws s3 sync': {
    releases: [
      'aws s3 sync dist s3://b',
      'aws s3 cp a s3://b/a',
      'aws s3 cp a s3://b/a --sse-kms-key-id abc',
      'aws s3 mv a s3://b/a',
    ],
    harmless: [
      'aws s3 ls',
      'aws s3 cp s3://b/a .',
      'aws s3 sync s3://b/a ./local',
      "aws s3 sync s3://b/a ./local --exclude '*.map'",
      'aws s3 sync dist s3://b --dryrun',
      'aws --endpoint-url http://localhost:4566 s3 cp a s3://b/a',
      'aws --profile p s3 rm s3://b/a',
      'aws sts get-caller-identity',
      'aws help',
    ],
  },
  'aws s3api put': {
    releases: ['aws s3api put-object --bucket b --key a --body a'],
    harmless: ['aws s3api get-object --bucket b --key a a'],
  },
  'aws cloudformation deploy': {
    releases: ['aws cloudformation deploy --stack-name s'],
    harmless: [
      'aws cloudformation deploy --stack-name s --no-execute-changeset',
      'aws cloudformation describe-stacks',
    ],
  },
  'aws lambda update': {
    releases: ['aws lambda update-function-code --function-name f'],
    harmless: [
      'aws lambda update-function-code --function-name f --dry-run',
      'aws lambda list-functions',
    ],
  },
  'aws ecs update': {
    releases: ['aws ecs update-service --cluster c'],
    harmless: ['aws ecs describe-services --cluster c'],
  },
  'aws elasticbeanstalk': {
    releases: ['aws elasticbeanstalk update-environment --environment-name e'],
    harmless: ['aws elasticbeanstalk describe-environments'],
  },
  'aws amplify': {
    releases: ['aws amplify start-deployment --app-id a'],
    harmless: ['aws amplify list-apps'],
  },
  'aws apprunner': {
    releases: ['aws apprunner start-deployment --service-arn a'],
    harmless: ['aws apprunner list-services'],
  },
  'aws codepipeline': {
    releases: ['aws codepipeline start-pipeline-execution --name p'],
    harmless: ['aws codepipeline get-pipeline-state --name p'],
  },
  'aws cloudfront': {
    releases: ['aws cloudfront create-invalidation --distribution-id d --paths "/*"'],
    harmless: ['aws cloudfront list-distributions'],
  },
  'aws ssm put': {
    releases: ['aws ssm put-parameter --name n --value v'],
    harmless: ['aws ssm get-parameter --name n'],
  },
  'aws eks': {
    releases: ['aws eks update-addon --cluster-name c'],
    harmless: ['aws eks update-kubeconfig --name c'],
  },
  'aws apigateway': {
    releases: ['aws apigateway create-deployment --rest-api-id a'],
    harmless: ['aws apigateway get-rest-apis'],
  },
  'aws deployment': {
    releases: ['aws sagemaker create-endpoint --endpoint-name e'],
    harmless: ['aws sagemaker describe-endpoint --endpoint-name e'],
  },
  'aws codebuild': {
    releases: ['aws codebuild start-build --project-name p'],
    harmless: ['aws codebuild list-builds'],
  },
  'aws codecommit': {
    releases: ['aws codecommit put-file --repository-name r'],
    harmless: ['aws codecommit get-file --repository-name r'],
  },
  'aws codecommit merge': {
    releases: ['aws codecommit create-pull-request --title t'],
    harmless: ['aws codecommit list-pull-requests --repository-name r'],
  },
  'aws route53 change-resource-record-sets': {
    releases: ['aws route53 change-resource-record-sets --hosted-zone-id z'],
    harmless: ['aws route53 list-hosted-zones'],
  },
  'aws ecr put-image': {
    releases: ['aws ecr put-image --repository-name r'],
    harmless: ['aws ecr get-login-password'],
  },
  'aws codeartifact publish': {
    releases: ['aws codeartifact publish-package-version --package p'],
    harmless: ['aws codeartifact login --tool npm'],
  },
  'aws serverlessrepo': {
    releases: ['aws serverlessrepo create-application-version --application-id a'],
    harmless: ['aws serverlessrepo list-applications'],
  },
  'gcloud deploy': {
    releases: ['gcloud beta run deploy web', 'gcloud alpha functions deploy f'],
    harmless: ['gcloud beta run services list', 'gcloud beta app logs tail'],
  },
  'gcloud app deploy': {
    releases: ['gcloud app deploy', 'gcloud --project p app deploy app.yaml'],
    harmless: ['gcloud app browse', 'gcloud auth list'],
  },
  'gcloud run deploy': {
    releases: ['gcloud run deploy s --image i'],
    harmless: ['gcloud run services list', 'gcloud run services logs read deploy'],
  },
  'gcloud run services update': {
    releases: ['gcloud --project p run services update s', 'gcloud run jobs execute j'],
    harmless: ['gcloud run services describe s', 'gcloud run jobs list'],
  },
  'gcloud functions deploy': {
    releases: ['gcloud functions deploy f'],
    harmless: ['gcloud functions logs read f'],
  },
  'gcloud builds submit': {
    releases: ['gcloud builds submit --tag x/a'],
    harmless: ['gcloud builds list'],
  },
  'gcloud builds triggers run': {
    releases: ['gcloud builds triggers run t'],
    harmless: ['gcloud builds triggers list'],
  },
  'gcloud storage': {
    releases: ['gcloud storage cp a gs://b', 'gcloud storage rsync dist gs://b -r'],
    harmless: ['gcloud storage cp gs://b/a .', 'gcloud storage ls gs://b'],
  },
  'gcloud artifacts upload': {
    releases: ['gcloud artifacts generic upload --source a'],
    harmless: ['gcloud artifacts generic download --name a'],
  },
  'gcloud compute instances': {
    releases: ['gcloud compute instances create web'],
    harmless: ['gcloud compute instances list'],
  },
  'gcloud artifacts docker tags add': {
    releases: ['gcloud artifacts docker tags add x/a x/a:1'],
    harmless: ['gcloud artifacts docker tags list'],
  },
  'gcloud api-gateway': {
    releases: ['gcloud api-gateway api-configs create c'],
    harmless: ['gcloud api-gateway api-configs list'],
  },
  'gcloud firestore import': {
    releases: ['gcloud firestore import gs://b/a'],
    harmless: ['gcloud firestore export gs://b/a'],
  },
  'gcloud compute scp': {
    releases: ['gcloud compute scp a.zip web:/srv'],
    harmless: ['gcloud compute scp web:/srv/a.zip .'],
  },
  'gcloud infra-manager apply': {
    releases: ['gcloud infra-manager deployments apply d'],
    harmless: ['gcloud infra-manager deployments list'],
  },
  'gsutil rsync': {
    releases: ['gsutil -m rsync -r dist gs://b'],
    harmless: ['gsutil rsync -r gs://b dist', 'gsutil rsync -n dist gs://b'],
  },
  'gsutil cp': {
    releases: ['gsutil cp a gs://b/a'],
    harmless: ['gsutil cp gs://b/a .', 'gsutil ls gs://b'],
  },
  's3 upload': {
    releases: ['s3cmd put a s3://b/a', 's5cmd cp a s3://b/a', 'mc mirror dist store/b'],
    harmless: [
      's3cmd ls s3://b',
      's5cmd cp s3://b/a .',
      'mc ls store/b',
      's3cmd put -n a s3://b/a',
    ],
  },
  'rclone copy': {
    releases: ['rclone sync dist remote:b', 'rclone sync dist r:bucket'],
    harmless: ['rclone ls remote:', 'rclone copy remote:b dist', 'rclone delete remote:b'],
  },
  azcopy: {
    releases: ['azcopy copy dist https://x.blob.core.windows.net/b'],
    harmless: ['azcopy copy https://x.blob.core.windows.net/b dist', 'azcopy list x'],
  },
  'bucket upload': {
    releases: ['ossutil cp a oss://b', 'coscli sync dist cos://b'],
    harmless: ['b2 ls b', 'b2 sync b2://b dist', 'ossutil cp oss://b/a .'],
  },
  'az webapp deploy': {
    releases: ['az webapp up', 'az functionapp deployment source config-zip --src a.zip'],
    harmless: [
      'az account show',
      'az webapp list',
      'az webapp deployment list-publishing-profiles',
    ],
  },
  'az containerapp': {
    releases: ['az containerapp up -n web --source .'],
    harmless: ['az containerapp logs show -n web'],
  },
  'az deployment create': {
    releases: ['az deployment group create -g g'],
    harmless: ['az deployment group what-if -g g'],
  },
  'az aks': {
    releases: ['az aks command invoke -g g -n c --command "kubectl get pods"'],
    harmless: ['az aks get-credentials -g g -n c'],
  },
  'az acr build': {
    releases: ['az acr build -r r -t a:1 .'],
    harmless: ['az acr build -r r --no-push .', 'az acr login -n r'],
  },
  'az acr task run': {
    releases: ['az acr task run -r r -n t'],
    harmless: ['az acr task list -r r'],
  },
  'az storage blob upload': {
    releases: ['az storage blob upload -f a -c c'],
    harmless: ['az storage blob download -f a -c c', 'az storage blob sync -c c -s . --dryrun'],
  },
  'az storage copy': {
    releases: ['az storage copy -s a -d https://x.blob.core.windows.net/b'],
    harmless: ['az storage account list'],
  },
  'az pipelines run': {
    releases: ['az pipelines run --name p'],
    harmless: ['az pipelines runs list'],
  },
  'az ml deployment': {
    releases: ['az ml online-deployment create -f a.yml'],
    harmless: ['az ml online-deployment list'],
  },
  'azd up': { releases: ['azd up', 'azd -C x deploy'], harmless: ['azd provision --preview'] },
  'func azure publish': {
    releases: ['func azure functionapp publish web'],
    harmless: ['func start', 'func azure functionapp logstream web'],
  },
  'bq load': { releases: ['bq load d.t a.csv'], harmless: ['bq query "select 1"'] },
  'linode-cli obj put': {
    releases: ['linode-cli obj put a b'],
    harmless: ['linode-cli obj ls'],
  },
  'yc serverless deploy': {
    releases: ['yc serverless function version create --function-name f'],
    harmless: ['yc serverless function list'],
  },
  'swa deploy': {
    releases: ['swa deploy dist'],
    harmless: ['swa start', 'swa deploy dist --dry-run'],
  },
  oci: {
    releases: ['oci os object put -bn b --file a', 'oci fn function update --function-id f'],
    harmless: ['oci os object list -bn b'],
  },
};
