/** Infrastructure: what changes an environment that others use. */
import type { Rule, Tool } from './rule.ts';

const deploying = (id: string, path: string, more: Partial<Rule> = {}): Rule => ({
  id,
  kind: 'deploy',
  path,
  ...more,
});

const KUBE =
  '-n --namespace --context --kubeconfig --cluster --user -s --server --token --as --as-group --request-timeout --cache-dir -v';
const HELM =
  '-n --namespace --kube-context --kubeconfig --kube-token --kube-apiserver --repository-config --repository-cache --registry-config';
const HELM_INSTALL =
  '-f --values --set --set-string --set-file --set-json --version --timeout --description --repo --username --password --post-renderer --history-max --labels';

export function infrastructureTools(): readonly Tool[] {
  return [
    {
      names: 'terraform tofu',
      style: 'word',
      directory: '-chdir',
      help: '-h -help --help',
      rules: [
        deploying('terraform apply', 'apply|destroy', {
          values:
            '-var -var-file -target -state -state-out -parallelism -lock-timeout -backup -replace',
        }),
        deploying('terraform import', 'import|taint|untaint'),
        deploying('terraform state', 'state mv|rm|push|replace-provider', { dry: '-dry-run' }),
        deploying('terraform workspace delete', 'workspace delete'),
      ],
    },
    {
      names: 'terragrunt',
      directory: '--terragrunt-working-dir --working-dir',
      values: '--terragrunt-config --config',
      rules: [
        deploying('terragrunt apply', 'apply|destroy|apply-all|destroy-all|import'),
        deploying('terragrunt run apply', 'run|run-all|stack apply|destroy|run', {
          when: (use) => use.argv.some((it) => it === 'apply' || it === 'destroy'),
        }),
      ],
    },
    {
      names: 'pulumi',
      directory: '-C --cwd',
      values: '-s --stack --color -v --verbose',
      rules: [
        deploying('pulumi up', 'up|update|destroy|import|refresh', {
          values: '-m --message -c --config -p --parallel -t --target',
          dry: '--preview-only',
        }),
        deploying('pulumi watch', 'watch'),
      ],
    },
    {
      names: 'kubectl oc k kubecolor microk8s.kubectl',
      values: KUBE,
      rules: [
        deploying(
          'kubectl apply',
          'apply|create|replace|patch|delete|scale|autoscale|label|annotate|expose|run|drain|cordon|uncordon|taint|edit',
          {
            values:
              '-f --filename -k --kustomize -l --selector -p --patch --patch-file --type -o --output --image --replicas --field-manager --grace-period --timeout --overrides',
            flags:
              '--server-side --force --force-conflicts --prune --all --recursive -R --wait --save-config --record --validate --overwrite',
            dry: '--dry-run',
            when: (use) => !(use.operands[0] === 'view-last-applied'),
          },
        ),
        deploying('kubectl set', 'set image|env|resources|selector|serviceaccount|subject', {
          dry: '--dry-run',
          values: '-f --filename -c --containers -e --env',
          when: (use) => !use.has('--list', '--local'),
        }),
        deploying('kubectl rollout', 'rollout restart|undo|pause|resume', {
          dry: '--dry-run',
          values: '--to-revision -f --filename',
        }),
        deploying('oc new-app', 'new-app|start-build', { dry: '--dry-run' }),
      ],
    },
    { names: 'kustomize', rules: [deploying('kustomize deploy', 'deploy')] },
    {
      names: 'kapp',
      rules: [deploying('kapp deploy', 'deploy|delete', { when: (use) => !use.has('--diff-run') })],
    },
    {
      names: 'skaffold',
      rules: [
        deploying('skaffold run', 'run|deploy|dev|apply'),
        {
          id: 'skaffold build',
          kind: 'image-push',
          path: 'build',
          dry: '--dry-run',
          when: (use) =>
            use.value('--push') !== 'false' &&
            (use.has('--push') || use.has('-d', '--default-repo')),
        },
      ],
    },
    { names: 'tilt', rules: [deploying('tilt ci', 'ci')] },
    { names: 'garden', rules: [deploying('garden deploy', 'deploy|publish')] },
    { names: 'okteto', rules: [deploying('okteto deploy', 'deploy|build')] },
    {
      names: 'helm',
      values: HELM,
      rules: [
        {
          id: 'helm push',
          kind: 'publish',
          path: 'push|cm-push',
          values: '--ca-file --cert-file --key-file --username --password',
        },
        { id: 'helm chartmuseum push', kind: 'publish', path: 's3|gcs|nexus-push push' },
        deploying('helm upgrade', 'upgrade|install|rollback|uninstall|delete|un|del', {
          values: HELM_INSTALL,
          flags:
            '-i --install --atomic --wait --create-namespace --reuse-values --reset-values --force',
          dry: '--dry-run',
        }),
      ],
    },
    {
      names: 'helmfile',
      values: '-e --environment -f --file -l --selector -n --namespace',
      rules: [deploying('helmfile apply', 'apply|sync|destroy|charts', { dry: '--dry-run' })],
    },
    {
      names: 'argocd',
      values: '--server --auth-token --config',
      rules: [
        deploying('argocd app sync', 'app sync|create|set|delete|rollback|patch|terminate-op', {
          dry: '--dry-run',
        }),
        deploying('argocd appset create', 'appset create|delete', { dry: '--dry-run' }),
      ],
    },
    {
      names: 'kubectl-argo-rollouts',
      rules: [deploying('argo rollouts promote', 'promote|set|restart|undo|abort')],
    },
    {
      names: 'flux',
      rules: [
        deploying('flux reconcile', 'reconcile|bootstrap|create|delete|install', {
          when: (use) => !use.has('--export'),
        }),
      ],
    },
    {
      names: 'ansible-playbook ansible-pull',
      values:
        '-i --inventory -e --extra-vars -l --limit -t --tags --skip-tags -u --user -f --forks -c --connection --vault-id --vault-password-file --private-key --key-file --start-at-task --become-user --become-method -M',
      rules: [
        deploying('ansible-playbook', '', {
          dry: '-C --check',
          when: (use) =>
            use.operands.length > 0 &&
            !use.has('--syntax-check', '--list-hosts', '--list-tasks', '--list-tags', '--version'),
        }),
      ],
    },
    {
      names: 'kamal mrsk',
      values: '-d --destination -c --config-file -h --hosts -r --roles --version',
      rules: [
        deploying('kamal deploy', 'deploy|redeploy|setup|rollback|remove'),
        { id: 'kamal build push', kind: 'image-push', path: 'build push|deliver' },
        deploying(
          'kamal app boot',
          'app|proxy|accessory|traefik boot|start|restart|reboot|stop|remove',
        ),
        { id: 'kamal env push', kind: 'deploy', path: 'env push' },
      ],
    },
    {
      names: 'nomad',
      style: 'word',
      rules: [
        deploying('nomad job run', 'job run|stop|dispatch|revert|scale|promote'),
        deploying('nomad run', 'run|stop'),
        deploying('nomad deployment promote', 'deployment promote|fail'),
      ],
    },
    { names: 'waypoint', rules: [deploying('waypoint up', 'up|deploy|release')] },
    {
      names: 'cap',
      rules: [
        deploying('cap deploy', '', {
          dry: '-n --dry-run',
          when: (use) => use.operands.some((it) => /^deploy(:|$)/.test(it)),
        }),
      ],
    },
    { names: 'mina dep deployer', rules: [deploying('deployer deploy', 'deploy|rollback')] },
    {
      names: 'copilot',
      rules: [
        deploying('copilot deploy', 'deploy'),
        deploying('copilot svc deploy', 'svc|job|env|pipeline|app deploy|init|delete'),
      ],
    },
    {
      names: 'nixos-rebuild',
      rules: [
        deploying('nixos-rebuild --target-host', 'switch|boot|test', {
          when: (use) => use.has('--target-host'),
        }),
      ],
    },
    {
      names: 'deploy deploy-rs colmena morph nixops',
      rules: [deploying('colmena apply', 'apply|deploy')],
    },
    {
      names: 'rsync',
      values:
        '-e --rsh -f --filter --exclude --include --exclude-from --include-from --files-from -T --temp-dir --port --password-file --bwlimit --timeout --log-file --chmod --chown --rsync-path --backup-dir --suffix --partial-dir -B --max-size --min-size --compare-dest --copy-dest --link-dest -M',
      rules: [
        deploying('rsync to a host', '', {
          dry: '-n --dry-run',
          when: (use) => isRemotePath(use.operands.at(-1) ?? '') && use.operands.length > 1,
        }),
      ],
    },
    {
      names: 'scp',
      values: '-P -i -o -F -c -l -J -S -D -X',
      rules: [
        deploying('scp to a host', '', {
          when: (use) => isRemotePath(use.operands.at(-1) ?? '') && use.operands.length > 1,
        }),
      ],
    },
    {
      names: 'sftp lftp ncftpput',
      values: '-b -P -i -o -e -f -c -u',
      rules: [
        deploying('upload by ftp', '', {
          when: (use) =>
            use.argv[0] === 'ncftpput' ||
            use
              .values('-e', '-c')
              .some((it) => /\b(put|mput|mirror\s+(-\w*R|.*--reverse))\b/.test(it)),
        }),
      ],
    },
    {
      names: 'fab',
      rules: [
        deploying('fab deploy', '', {
          values: '-H --hosts -i -c --collection',
          dry: '--dry -R',
          when: (use) => use.operands.some((it) => /(^|[.:-])deploy/.test(it)),
        }),
      ],
    },
  ];
}

/** `host:path`, `user@host:path`, `rsync://host`; a Windows drive or `./a:b` is not one. */
function isRemotePath(path: string): boolean {
  if (/^(rsync|scp|sftp):\/\//.test(path)) return true;
  const colon = path.indexOf(':');
  const slash = path.indexOf('/');
  return (
    colon > 1 &&
    (slash < 0 || colon < slash) &&
    !/^(localhost|127\.0\.0\.1)$/.test(path.slice(0, colon))
  );
}
