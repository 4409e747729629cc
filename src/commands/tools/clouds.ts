/** Deploy commands of the large clouds, and uploads to their buckets. */
import { isKnown } from '../shell/unknown.ts';
import {
  anyOperand,
  byId,
  deploy,
  imagePush,
  lastOperand,
  type Match,
  publish,
  pullRequest,
  push,
  type Tool,
  tool,
} from './rule.ts';

export const cloudsTools = (): readonly Tool[] => [
  tool('aws', { values: '--profile --region --endpoint-url', help: '--help help' }, [
    deploy('s3 sync|cp [--dryrun]', { when: changesBucket }),
    deploy('aws s3 sync = s3 mv|website [--dryrun]'),
    deploy(
      'cloudformation deploy|create-stack|update-stack|execute-change-set|package|create-stack-set|update-stack-set [--no-execute-changeset]',
    ),
    deploy(
      'aws lambda update = lambda update-function-code|update-function-configuration|create-function|publish-version|update-alias|create-alias|publish-layer-version [--dry-run]',
    ),
    ...byId(deploy, {
      'aws s3api put':
        's3api put-object|copy-object|put-bucket-website|put-bucket-policy|complete-multipart-upload|upload-part',
      'aws ecs update':
        'ecs update-service|create-service|run-task|register-task-definition|deploy|update-express-gateway-service',
      'aws elasticbeanstalk':
        'elasticbeanstalk update-environment|create-application-version|create-environment|swap-environment-cnames',
      'aws amplify': 'amplify start-job|start-deployment|create-deployment',
      'aws apprunner': 'apprunner start-deployment|create-service|update-service',
      'aws cloudfront':
        'cloudfront create-invalidation|update-distribution|update-function|publish-function|create-distribution',
      'aws ssm put': 'ssm put-parameter|send-command',
      'aws eks': 'eks update-addon|update-cluster-config|update-nodegroup-config',
      'aws apigateway':
        'apigateway|apigatewayv2 create-deployment|update-stage|put-rest-api|import-api|reimport-api|import-rest-api',
      'aws deployment':
        'sagemaker|glue|stepfunctions|opsworks|greengrassv2|iot|appsync|bedrock-agent create-endpoint|update-endpoint|create-job|update-job|create-state-machine|update-state-machine|publish-state-machine-version|create-deployment|start-schema-creation|prepare-agent',
      'aws codepipeline': 'codepipeline start-pipeline-execution',
      'aws serverlessrepo': 'serverlessrepo create-application-version|create-application',
    }),
    deploy('aws codebuild = codebuild|imagebuilder start-build|start-image-pipeline-execution', {
      leaves: 'head',
    }),
    push('aws codecommit = codecommit create-commit|put-file'),
    pullRequest(
      'aws codecommit merge = codecommit create-pull-request|merge-pull-request-by-fast-forward|merge-pull-request-by-squash|merge-pull-request-by-three-way|merge-branches-by-fast-forward|merge-branches-by-squash|merge-branches-by-three-way',
    ),
    deploy('route53 change-resource-record-sets'),
    imagePush('ecr|ecr-public put-image'),
    publish(
      'aws codeartifact publish = codeartifact publish-package-version|copy-package-versions',
    ),
  ]),
  tool('gcloud', { flags: '-q --quiet' }, [
    deploy('gcloud deploy = alpha|beta|preview app|run|functions|deploy', {
      when: anyOperand(/^(deploy|create|promote|update|replace)$/),
    }),
    deploy('app deploy; run deploy|compose'),
    deploy(
      'run services|jobs|worker-pools update|replace|update-traffic|deploy|create|execute [--dry-run]',
    ),
    deploy('functions deploy'),
    imagePush('builds submit'),
    deploy('builds triggers run'),
    deploy('gcloud storage = storage cp|rsync|mv [--dry-run]', { when: lastOperand(/^gs:\/\//) }),
    publish('gcloud artifacts upload = artifacts generic|apt|yum|go|files upload|import'),
    deploy(
      'gcloud compute instances = compute instances|instance-groups create|update-container|managed|update',
    ),
    imagePush('artifacts docker tags add'),
    deploy('gcloud api-gateway = api-gateway api-configs create|update; firestore import'),
    deploy('compute scp', { when: lastOperand(/:/) }),
    deploy('gcloud infra-manager apply = infra-manager deployments apply'),
  ]),
  tool('gsutil', { values: '-h -o -i -u', flags: '-m -q -D' }, [
    deploy('rsync [-n]', { values: '-x -a -j -y', when: lastOperand(/^gs:\/\//) }),
    deploy('cp|mv', { values: '-z -a -j -h', when: lastOperand(/^gs:\/\//) }),
  ]),
  deploy('s3cmd s5cmd', 's3 upload = put|sync|cp|mv|mirror [-n --dry-run]', {
    when: lastOperand(/^s3:\/\//),
  }),
  deploy('mc', 's3 upload = put|sync|cp|mv|mirror [-n --dry-run]', {
    when: ({ operands }) => operands.length > 1,
  }),
  deploy('rclone', 'copy|sync|move|copyto|moveto|bisync|rcat [-n --dry-run]', {
    when: lastOperand(/^(?:[\w-]{2,}|[a-z]):/),
  }),
  deploy('azcopy', 'azcopy = copy|cp|sync|c [--dry-run]', { when: lastOperand(/^https?:/) }),
  deploy('b2 ossutil oss coscmd coscli', 'bucket upload = sync|cp', {
    when: lastOperand(/^(b2|oss|cos):\/\//),
  }),
  tool(
    'az',
    { values: '-g --resource-group -n --name --subscription -o --output --query -s --src' },
    [
      deploy(
        'az webapp deploy = webapp|functionapp|staticwebapp up|deploy|deployment|publish|restart|create',
        { when: ({ operands }) => !operands.some((it) => /\b(list|show)\b/.test(it)) },
      ),
      deploy('az containerapp = containerapp up|update|create|compose|job'),
      deploy('az deployment create = deployment group|sub|mg|tenant create'),
      deploy('az aks = aks command|update|upgrade|create'),
      imagePush('acr build|import [--no-push]; acr task run'),
      deploy('storage blob|file upload|upload-batch|sync|copy [--dryrun]; storage copy'),
      deploy('pipelines run'),
      deploy(
        'az ml deployment = ml online-deployment|online-endpoint|batch-deployment create|update',
      ),
    ],
  ),
  deploy('azd', 'up|deploy|provision|publish [--preview]'),
  deploy('func', 'func azure publish = azure functionapp|containerapps publish|deploy'),
  deploy('bq', 'load'),
  deploy('linode-cli', 'obj put'),
  deploy(
    'yc',
    'yc serverless deploy = serverless function|container version|revision create|deploy',
  ),
  deploy('swa', 'deploy [--dry-run]'),
  deploy(
    'oci',
    'oci = os|ce|fn|compute object|function|container-instance put|bulk-upload|sync|update|create|resume-put',
  ),
];

/** True if a bucket is written, or may be: an unknown target. */
function changesBucket({ operands }: Match): boolean {
  const target = operands.at(-1) ?? '';
  return target.startsWith('s3://') || !isKnown(target);
}
