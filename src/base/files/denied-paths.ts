/**
 * Files that hold secrets, judged by their name. They never enter a checkpoint or a lane's commit:
 * what is in git's history leaves with the next push, and cannot be taken back.
 */

/** `.env`, `.env.local`, `.envrc`; templates, which are meant to be shared, are not included. */
const ENVIRONMENT = /^\.env(?:rc|[._-].*)?$/;
const PATTERN = /[._-](?:example|sample|template|tmpl|tpl|dist|defaults)$/;

/** Keys and key stores; public keys are allowed. */
const KEY =
  /\.(?:pem|key|p12|pfx|jks|keystore|ppk|kdbx)$|^id_(?:rsa|dsa|ecdsa|ed25519)(?!.*\.pub$)/;

const LOGIN =
  /^(?:[._]netrc|\.git-credentials|\.pgpass|\.pypirc|\.htpasswd|\.?credentials(?:\.json)?)$/;

const FOLDER = /(?:^|\/)(?:\.ssh|\.gnupg|\.aws)\//;

/** @param path `/`-separated. Case is ignored, as on some file systems. */
export function isDeniedPath(path: string): boolean {
  const lower = path.toLowerCase();
  const name = lower.slice(lower.lastIndexOf('/') + 1);
  if (ENVIRONMENT.test(name)) return !PATTERN.test(name);
  return KEY.test(name) || LOGIN.test(name) || FOLDER.test(lower);
}
