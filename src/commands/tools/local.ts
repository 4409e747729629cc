/** Targets on this machine: what is sent there does not leave. */
import { type Use, words } from '../../base/text/options.ts';

const HOST =
  /^(?:[\w+.-]+:\/\/)?(?:[^@/\s]*@)?(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1\]|host\.docker\.internal|kubernetes\.docker\.internal|[\w-]+\.localhost|registry\.local|kind-registry)(?::\d+)?(?:[/?#]|$)/i;

/** True for an address of this machine: `http://localhost:4873`, `file:///tmp/repo`, `local::file:./repo`. */
export function isLocalAddress(text: string): boolean {
  const address = text.split('::').at(-1) ?? '';
  return HOST.test(text) || HOST.test(address) || /^file:/i.test(address);
}

/** Names that the makers of local clusters give to their contexts. */
const LOCAL_CONTEXT =
  /^(kind(-.*)?|minikube|k3d-.*|docker-desktop|docker-for-desktop|rancher-desktop|orbstack|colima(-.*)?|microk8s|desktop-linux|default-local)$/;

const CONTEXTS = ['--context', '--kube-context'];
const ADDRESSES = words(
  '--registry --repository-url --publish-url --index-url --endpoint-url --source -Source --endpoint --host --url --server ' +
    '--upload-url --registryUrl -DaltDeploymentRepository --kube-apiserver --s3-endpoint --remote -s -r',
);
const VARIABLES = words(
  'npm_config_registry NPM_CONFIG_REGISTRY TWINE_REPOSITORY_URL UV_PUBLISH_URL AWS_ENDPOINT_URL AWS_ENDPOINT_URL_S3 ' +
    'HEX_API_URL RUBYGEMS_HOST DATABASE_URL',
);

/** True if the options, or variables, name a target on this machine. The last one counts. */
export function goesToLocal(use: Use, variable: (name: string) => string | undefined): boolean {
  const context = use.value(...CONTEXTS);
  if (context !== undefined) return isLocalContext(context);
  const address = use.value(...ADDRESSES);
  if (address !== undefined) return isLocalAddress(address);
  return [...VARIABLES].some((name) => isLocalAddress(variable(name) ?? ''));
}

export function isLocalContext(name: string): boolean {
  return LOCAL_CONTEXT.test(name);
}
