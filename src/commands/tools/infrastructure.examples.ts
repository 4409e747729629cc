import type { Examples } from './rule.ts';

export const infrastructureExamples: Examples = {
  'terraform apply': {
    releases: ['terraform apply', 'terraform -chdir=x apply -auto-approve', 'tofu destroy'],
    harmless: [
      'terraform init',
      'terraform plan',
      'terraform validate',
      'terraform fmt',
      'terraform apply -help',
    ],
  },
  'terraform import': {
    releases: ['terraform import aws_s3_bucket.a a', 'tofu taint aws_s3_bucket.a'],
    harmless: ['terraform show', 'terraform output'],
  },
  'terraform state': {
    releases: ['terraform state mv a b', 'tofu state rm a'],
    harmless: ['terraform state list', 'terraform state mv -dry-run a b'],
  },
  'terraform workspace delete': {
    releases: ['terraform workspace delete x'],
    harmless: ['terraform workspace select x'],
  },
  'terragrunt apply': { releases: ['terragrunt apply'], harmless: ['terragrunt plan'] },
  'terragrunt run apply': {
    releases: [
      'terragrunt run-all apply',
      'terragrunt run --all apply',
      'terragrunt stack run destroy',
    ],
    harmless: ['terragrunt run-all plan', 'terragrunt stack generate'],
  },
  'pulumi up': {
    releases: ['pulumi up -y', 'pulumi -C infra destroy'],
    harmless: ['pulumi preview', 'pulumi up --preview-only', 'pulumi stack ls'],
  },
  'pulumi watch': { releases: ['pulumi watch'], harmless: ['pulumi logs'] },
  'kubectl apply': {
    releases: [
      'kubectl apply -f x.yaml',
      'kubectl -n a apply --dry-run=none -f x',
      'kubectl scale --replicas 3 deploy/a',
    ],
    harmless: [
      'kubectl get pods',
      'kubectl get deploy',
      'kubectl logs -f a',
      'kubectl describe pod apply',
      'kubectl apply --dry-run=client -f x',
      'kubectl apply view-last-applied -f x',
      'kubectl --context kind-dev apply -f x.yaml',
      'kubectl diff -f x',
      'kubectl config use-context x',
      'kubectl port-forward a 80',
      'kubectl delete pod a',
    ],
  },
  'kubectl set': {
    releases: ['kubectl set image deploy/a a=b'],
    harmless: ['kubectl set image deploy/a a=b --local -o yaml', 'kubectl set env deploy/a --list'],
  },
  'kubectl rollout': {
    releases: ['kubectl rollout restart deploy/a'],
    harmless: ['kubectl rollout undo deploy/a', 'kubectl rollout status deploy/a'],
  },
  'kubectl cp': {
    releases: ['kubectl cp ./dist web-0:/srv'],
    harmless: ['kubectl cp web-0:/var/log/a.log ./a.log'],
  },
  'argo rollouts promote': {
    releases: ['kubectl argo rollouts promote web', 'kubectl-argo-rollouts set image web a=b'],
    harmless: ['kubectl argo rollouts get rollout web', 'kubectl-argo-rollouts list rollouts'],
  },
  'oc rsync': {
    releases: ['oc rsync ./dist web-0:/srv'],
    harmless: ['oc rsync web-0:/srv ./dist', 'oc rsync --dry-run ./dist web-0:/srv'],
  },
  'oc new-app': { releases: ['oc new-app .', 'oc start-build web'], harmless: ['oc status'] },
  'kapp deploy': {
    releases: ['kapp deploy -a web -f x.yaml'],
    harmless: ['kapp deploy -a web -f x.yaml --diff-run', 'kapp inspect -a web'],
  },
  'skaffold run': { releases: ['skaffold run', 'skaffold dev'], harmless: ['skaffold render'] },
  'skaffold build': {
    releases: ['skaffold build --push', 'skaffold build -d x/a'],
    harmless: ['skaffold build', 'skaffold build --push=false -d x/a'],
  },
  'tilt ci': { releases: ['tilt ci'], harmless: ['tilt version'] },
  'okteto deploy': { releases: ['okteto deploy', 'okteto build'], harmless: ['okteto logs'] },
  'helm push': {
    releases: ['helm push a.tgz oci://x', 'helm cm-push a x'],
    harmless: ['helm package a', 'helm pull oci://x/a'],
  },
  'helm secrets upgrade': {
    releases: ['helm secrets upgrade a ./c -f secrets.yaml'],
    harmless: ['helm secrets decrypt secrets.yaml'],
  },
  'helm upgrade': {
    releases: ['helm upgrade --install a ./chart'],
    harmless: [
      'helm template a',
      'helm upgrade a ./c --dry-run',
      'helm --kube-context minikube upgrade a ./c',
      'helm list',
      'helm repo add x y',
      'helm uninstall a',
      'helm rollback a 2',
    ],
  },
  'helmfile apply': {
    releases: ['helmfile apply', 'helmfile -e prod sync'],
    harmless: ['helmfile diff', 'helmfile template'],
  },
  'argocd app sync': {
    releases: ['argocd app sync a'],
    harmless: ['argocd app get a', 'argocd app sync a --dry-run'],
  },
  'argocd appset create': {
    releases: ['argocd appset create a.yaml'],
    harmless: ['argocd appset list'],
  },
  'flux reconcile': {
    releases: ['flux reconcile kustomization a', 'flux bootstrap github'],
    harmless: ['flux get all', 'flux create source git a --export'],
  },
  'ansible-playbook': {
    releases: ['ansible-playbook site.yml', 'ansible-playbook -zC site.yml'],
    harmless: ['ansible-playbook --check site.yml', 'ansible-playbook --syntax-check site.yml'],
  },
  'ansible module': {
    releases: ['ansible web -m ansible.builtin.copy -a "src=a dest=/srv"'],
    harmless: ['ansible web -m ping', 'ansible web -m copy -a "src=a dest=/srv" --check'],
  },
  'kamal deploy': {
    releases: ['kamal deploy', 'kamal deploy -h 10.0.0.1'],
    harmless: ['kamal app logs', 'kamal config'],
  },
  'kamal build push': { releases: ['kamal build push'], harmless: ['kamal build details'] },
  'kamal app boot': { releases: ['kamal app boot'], harmless: ['kamal app details'] },
  'nomad job run': {
    releases: ['nomad job run a.nomad'],
    harmless: ['nomad status', 'nomad job plan a.nomad'],
  },
  'nomad run': { releases: ['nomad run a.nomad'], harmless: ['nomad validate a.nomad'] },
  'cap deploy': {
    releases: ['cap production deploy', 'cap staging deploy:migrate'],
    harmless: ['cap production doctor', 'cap production deploy --dry-run'],
  },
  'deployer deploy': {
    releases: ['dep deploy prod', 'mina deploy'],
    harmless: ['dep config', 'mina status'],
  },
  'nixos-rebuild --target-host': {
    releases: ['nixos-rebuild switch --target-host root@web'],
    harmless: ['nixos-rebuild switch', 'nixos-rebuild build --target-host root@web'],
  },
  'colmena apply': {
    releases: ['colmena apply', 'deploy-rs deploy .#web', 'morph deploy web.nix switch'],
    harmless: ['colmena build', 'colmena eval'],
  },
  'salt state.apply': {
    releases: ["salt 'web*' state.apply", 'salt-ssh web state.highstate'],
    harmless: ["salt 'web*' test.ping", "salt 'web*' state.apply test=True"],
  },
  'istioctl install': {
    releases: ['istioctl install -y', 'istioctl upgrade'],
    harmless: ['istioctl analyze', 'istioctl install --dry-run'],
  },
  'kops update': {
    releases: ['kops update cluster --yes'],
    harmless: ['kops update cluster', 'kops get clusters'],
  },
  'talosctl apply-config': {
    releases: ['talosctl apply-config -n 10.0.0.1 -f a.yaml'],
    harmless: ['talosctl apply-config --dry-run -n 10.0.0.1 -f a.yaml', 'talosctl health'],
  },
  'bolt plan run': {
    releases: ['bolt plan run web::deploy', "bolt command run 'uptime' -t web"],
    harmless: ['bolt plan show', 'bolt inventory show'],
  },
  'bolt apply': {
    releases: ['bolt apply site.pp -t web'],
    harmless: ['bolt apply site.pp -t web --noop'],
  },
  'envoy run': { releases: ['envoy run deploy'], harmless: ['envoy run deploy --pretend'] },
  'cloudron update': {
    releases: ['cloudron update --app web', 'cloudron install'],
    harmless: ['cloudron list', 'cloudron logs'],
  },
  pyinfra: {
    releases: ['pyinfra inventory.py deploy.py'],
    harmless: ['pyinfra --dry inventory.py deploy.py', 'pyinfra --version'],
  },
  'eksctl create': {
    releases: ['eksctl create cluster -f a.yaml'],
    harmless: ['eksctl get clusters', 'eksctl create cluster -f a.yaml --dry-run'],
  },
  'packer build': { releases: ['packer build a.pkr.hcl'], harmless: ['packer validate a.pkr.hcl'] },
};
