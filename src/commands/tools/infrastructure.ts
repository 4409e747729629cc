/** Infrastructure: what changes an environment that others use. */
import { anyOperand, deploy, imagePush, lastOperand, publish, type Tool, tool } from './rule.ts';

const KUBE =
  '-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --request-timeout --cache-dir -v';
const HELM =
  '-n --namespace --kube-context --kubeconfig --kube-token --kube-apiserver --repository-config --repository-cache --registry-config';
/** Subcommands of kubectl and helm that only read. */
const LOOKS =
  'get describe logs log status history show template lint list ls search repo pull package dependency dep env explain top config auth api-resources api-versions cluster-info version plugin test verify events wait diff kustomize completion krew port-forward proxy debug attach rollout';

export const infrastructureTools = (): readonly Tool[] => [
  tool('terraform tofu', { style: 'word', directory: '-chdir', help: '-h -help --help' }, [
    deploy('apply|destroy; import|taint|untaint'),
    deploy('terraform state = state mv|rm|push|replace-provider [-dry-run]; workspace delete'),
  ]),
  tool('terragrunt', { directory: '--terragrunt-working-dir --working-dir' }, [
    deploy('apply|destroy|apply-all|destroy-all|import'),
    deploy('terragrunt run apply = run|run-all|stack', { when: anyOperand(/^(apply|destroy)$/) }),
  ]),
  tool('pulumi', { directory: '-C --cwd', values: '-s --stack --color -v --verbose' }, [
    deploy('up|update|destroy|import|refresh [--preview-only]; watch'),
  ]),
  tool('kubectl oc k kubecolor microk8s.kubectl', { values: KUBE, staysHere: LOOKS }, [
    deploy(
      'apply|create|replace|patch|scale|autoscale|label|annotate|expose|run|drain|cordon|uncordon|taint|edit [--dry-run]',
      { except: 'view-last-applied' },
    ),
    deploy(
      'kubectl set = set image|env|resources|selector|serviceaccount|subject [--dry-run --list --local]',
    ),
    deploy('kubectl rollout = rollout restart|pause|resume|latest [--dry-run]'),
    deploy('cp', { when: lastOperand(/^[\w-][\w.-]*(\/[\w.-]+)?:/) }),
    deploy('argo rollouts promote = argo rollouts promote|set|restart'),
    deploy('oc rsync = rsync [--dry-run]', { when: lastOperand(/^[\w-][\w.-]*:/) }),
    deploy('oc new-app = new-app|start-build [--dry-run]'),
  ]),
  deploy('kubectl-argo-rollouts', 'argo rollouts promote = promote|set|restart'),
  deploy('kapp', 'deploy [--diff-run]'),
  deploy('skaffold', 'run|deploy|dev|apply'),
  imagePush('skaffold', 'build --push|-d|--default-repo [--dry-run --push=false]'),
  deploy('tilt', 'ci'),
  deploy('okteto', 'deploy|build'),
  tool('helm', { values: HELM, staysHere: LOOKS }, [
    publish('push|cm-push'),
    deploy('secrets upgrade|install [--dry-run]; upgrade|install [--dry-run]'),
  ]),
  deploy('helmfile', 'apply|sync|destroy|charts [--dry-run]'),
  deploy('argocd', 'app sync|create|set|patch [--dry-run]; appset create [--dry-run]'),
  deploy('flux', 'reconcile|bootstrap|create|install [--export]'),
  deploy(
    'ansible-playbook ansible-pull',
    '[-C --check --syntax-check --list-hosts --list-tasks --list-tags --version]',
    { when: ({ operands }) => operands.length > 0 },
  ),
  deploy('ansible', 'ansible module = [-C --check --list-hosts --version]', {
    staysHere: '*',
    values: '-i --inventory -m --module-name -a --args -l --limit -u --user',
    when: ({ value }) => ANSIBLE_MODULES.test(value('-m', '--module-name') ?? ''),
  }),
  tool('kamal', { values: '-d --destination -c --config-file -h --hosts -r --roles --version' }, [
    deploy('deploy|redeploy|setup'),
    imagePush('build push|deliver'),
    deploy('app|proxy|accessory|traefik boot|start|restart|reboot'),
  ]),
  tool('nomad', { style: 'word' }, [deploy('job run|dispatch|scale|promote'), deploy('run')]),
  deploy('cap', 'cap deploy = [-n --dry-run]', { when: anyOperand(/^deploy(:|$)/) }),
  deploy('mina dep deployer', 'deployer deploy = deploy'),
  deploy('nixos-rebuild', 'nixos-rebuild --target-host = switch|boot|test --target-host'),
  deploy('colmena deploy-rs deploy morph', 'colmena apply = apply|deploy'),
  deploy('salt salt-ssh', 'salt state.apply =', {
    staysHere: '*',
    when: ({ operands }) =>
      operands.some((it) => SALT_FUNCTIONS.test(it)) && !operands.includes('test=True'),
  }),
  deploy('istioctl', 'install|upgrade|apply [--dry-run]'),
  deploy('kops', 'update|create|rolling-update|replace --yes|-y'),
  deploy('talosctl', 'apply-config|upgrade|upgrade-k8s|bootstrap [--dry-run]'),
  deploy('bolt', 'plan|command|script|task run; apply [--noop]'),
  deploy('envoy', 'run [--pretend]'),
  deploy('cloudron', 'update|install'),
  deploy('pyinfra', '[--dry]', { staysHere: '*', when: ({ operands }) => operands.length > 1 }),
  deploy('eksctl', 'create|upgrade|apply|update|enable|set|scale [--dry-run]'),
  imagePush('packer', 'build', { style: 'word' }),
];

const ANSIBLE_MODULES =
  /^(ansible\.\w+\.|community\.\w+\.)?(copy|template|synchronize|unarchive|service|systemd|git|docker_\w+|k8s\w*|helm\w*|apt|yum|dnf|package|pip|npm|file|lineinfile|script|get_url|cron|user)$/;

const SALT_FUNCTIONS =
  /^(state\.(apply|highstate|sls)|cp\.\w+|pkg\.(install|upgrade)|service\.(re)?start)$/;
