/**
 * Detectors of secrets that have a shape of their own or stand in a known place.
 *
 * Every expression takes linear time: an open-ended repetition comes last, or can begin only at the
 * start of a run of its characters, so that no run is scanned again from each of its letters.
 */

import { MASKS } from './plain-form.ts';

/** A match becomes `[redacted:<kind>]`; a first group, which is the place, is kept. */
export type Detector = readonly [
  kind: string,
  /** Text without any of these cannot match. */
  hints: readonly string[],
  pattern: RegExp | (() => RegExp),
];

/** An expression that is made when it is first used: each hook loads these tables, and few see a secret. */
export function onDemand(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined;
  return () => {
    made ??= new RegExp(source, flags);
    return made;
  };
}

/** Secrets of many lines. */
export const BLOCKS: readonly Detector[] = [
  // Output may be cut: all that follows a beginning without an end is taken as the key.
  [
    'private-key',
    ['PRIVATE KEY'],
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g,
  ],
  ['private-key', ['Private-Lines: '], /(Private-Lines: [0-9]{1,4}\r?\n)[A-Za-z0-9+/=\r\n]{32,}/g],
  ['private-key', ['AGE-SECRET-KEY-'], /AGE-SECRET-KEY-1[0-9A-Z]{40,}/g],
];

/** Not within a word; an escaped line break (`\n`) may stand before. */
const START = '(?<!(?<!\\\\)[A-Za-z0-9])';

/** Beginnings that nothing else has, of each service: any twenty, or thirty, characters of a token follow. */
const BEGINNINGS = [
  [
    20,
    `gcp GOCSPX- ya29., gitlab glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- GR1348941,
    docker dckr_pat_ dckr_oat_, bitbucket ATBB, stripe whsec_, square sq0atp- sq0csp-, github github_pat_,
    new-relic NRAK-, vault hvs. hvb. hvr., supabase sb_secret_`,
  ],
  [
    30,
    `github ghp_ gho_ ghu_ ghs_ ghr_, gcp AIza, atlassian ATATT3 ATCTT3, pypi pypi-AgE, rubygems rubygems_,
    slack xapp-, shopify shpat_ shpca_ shppa_ shpss_, anthropic sk-ant-, openrouter sk-or-, groq gsk_, xai xai-,
    openai sk-proj- sk-svcacct- sk-admin- sk-None-, perplexity pplx-, nvidia nvapi-, brevo xkeysib- xsmtpsib-,
    digitalocean doo_v1_ dop_v1_ dor_v1_ dot_v1_, heroku HRKU-, netlify nfp_, artifactory AKCp, openshift sha256~,
    planetscale pscale_tkn_ pscale_pw_ pscale_oauth_, linear lin_api_ lin_oauth_, notion ntn_, figma figd_,
    postman PMAK-, grafana glc_ glsa_, 1password ops_ey, cloudflare cfk_ cfut_ cfat_, tailscale tskey-, pulumi pul-,
    sentry sntrys_ sntryu_, fly fo1_, supabase sbp_`,
  ],
] as const;

/** Tokens with a beginning that other words have as well: kind, beginnings, expression for the rest. */
const TOKENS = (
  [
    ...BEGINNINGS.flatMap(([least, services]) =>
      services.split(/,\s+/).map((service) => {
        const [kind = '', ...beginnings] = service.split(' ');
        const rest = `(?=[a-z_+/-]{0,40}[A-Z\\d])[\\w.+/=-]{${least},}(?<!\\.)`;
        return [kind, beginnings.join(' '), rest] as const;
      }),
    ),
    // Variables of npm have small letters only.
    ['npm', 'npm_', '(?=[a-z_]{0,35}[A-Z0-9])\\w{36}(?!\\w)'],
    ['crates', 'cio', '[A-Za-z0-9]{32}(?![A-Za-z0-9])'],
    ['nuget', 'oy2', '[a-z0-9]{43}(?![A-Za-z0-9])'],
    ['slack', 'xox', '[a-z](?:\\.xox[a-z])?-[A-Za-z0-9-]{10,}'],
    ['stripe', 'sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_', '[A-Za-z0-9]{16,}'],
    ['openai', 'sk-', '(?<!-sk-)[A-Za-z0-9]{32,}'],
    ['hugging-face', 'hf_ api_org_', '[A-Za-z0-9]{30,}'],
    ['replicate', 'r8_', '[A-Za-z0-9]{37}'],
    ['sendgrid', 'SG.', '[\\w-]{16,32}\\.[\\w-]{16,}'],
    ['mailgun', 'key-', '(?<![\\w-]key-)[0-9a-f]{32}(?![0-9a-f])'],
    ['twilio', 'SK', '[0-9a-f]{32}(?![A-Za-z0-9])'],
    ['databricks', 'dapi', '[A-Fa-f0-9]{32}'],
    ['airtable', 'pat', '[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
    ['alibaba', 'LTAI', '[A-Za-z0-9]{16,24}(?![A-Za-z0-9])'],
    ['dropbox', 'sl.', '[\\w-]{130,}'],
    ['notion', 'secret_', '(?<!_secret_)[A-Za-z0-9]{43}(?![A-Za-z0-9])'],
    ['vercel', 'vcp_ vci_ vca_ vcr_ vck_', '[A-Za-z0-9]{20,}'],
    ['doppler', 'dp.', '(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{40,}'],
    ['jwt', 'eyJ', '(?<![\\w-]eyJ)[\\w-]{8,}\\.[\\w-]{8,}(?:\\.[\\w-]+){1,3}'],
  ] as const
).map(([kind, beginnings, rest]): Detector => {
  const hints = beginnings.split(' ');
  const either = hints.join('|').replaceAll('.', '\\.');
  return [kind, hints, onDemand(`${START}(?:${either})${rest}`, 'g')];
});

/** A word of a shell, or what stands between its quotes; no variable, no option, nothing redacted. */
const SHELL_VALUE = `(?![${MASKS}])(?:(?<=")[^"$\\r\\n][^"\\r\\n]{2,}|(?<=')[^'\\r\\n]{3,}|(?<!["'])[^\\s"'$-][^\\s"']{2,})`;

/** Programs, and the option behind which they take a password. */
const OPTIONS = String.raw`
  sshpass => -p {0,4}
  mysql mariadb 7z => -p
  mongo az login cqlsh psexec beeline rdesktop ncftp => -p {1,4}
  sqlcmd zip unzip ipmitool mosquitto_ bcp => -P {0,4}
  redis-cli => -a {1,4}
  ldap => -w {1,4}
  snmp => -[AX] {1,4}
  snmp-server nmcli rclone => (?:community|password|obscure) {1,4}
  openssl => (?:-(?:pass|passin|passout) {1,4}pass:|(?<=enc .{0,200})-k {1,4})
  ssh-keygen => -N {1,4}
  xfreerdp wlfreerdp cmdkey => /p(?:ass)?:
  keytool jarsigner => -\w*(?:store|key)pass {1,4}
  composer => http-basic\.\S{1,100} {1,4}\S{1,100} {1,4}
  curl http https => (?:-[auU]|--(?:proxy-)?user)[ =]["']?[^\s:"'$]{1,100}:
  sqlplus rman expdp impdp => [^\s/]{1,60}/(?=\S{1,60}@)
  lftp smbclient => -[uU] {0,4}["']?[^\s,%"'$]{1,100}[,%]
  htpasswd => -(?:\w{0,4}b\w{0,4} {1,4}\S{1,200}|\w{0,4}(?:nb|bn)\w{0,4}) {1,4}\S{1,100} {1,4}
  rabbitmqctl => (?:add_user|change_password) {1,4}\S{1,100} {1,4}
  net => (?<=net {1,4})(?:use .{0,80}/user:\S{1,100}|user {1,4}[^\s/]\S{0,100}) {1,4}(?![/*])
  mc => alias set(?: {1,4}\S{1,200}){3} {1,4}
  username => (?<=^[ \t]{0,20}username {1,4}\S{1,60} (?:.{0,60} )?)(?:secret|password) {1,4}(?:\d {1,4})?(?=\S{1,60}$)
  requirepass masterauth rootpw insecure-password root-password => (?=\S+$)
  enable => (?:secret|password) {1,4}(?:\d {1,4})?(?=\S{0,60}[^\sA-Za-z]\S{1,60}$)
  vault => login {1,4}(?=\S{0,60}\d)(?!\w+=|-)
  pulumi => set {1,4}--secret {1,4}\S{1,100} {1,4}
  secret secrets => (?:set|put) {1,4}(?:\S{1,80} {1,4}){0,2}(?:\w{1,80}=|--body {1,4})
  ConvertTo-SecureString => (?:-String {1,4})?
  chpasswd cryptsetup --with-token --password-stdin --passphrase-fd => <<<[ \t]{0,4}`
  .trim()
  .split('\n')
  .map((line): Detector => {
    const [names = '', option] = line.trim().split(' => ');
    const hints = names.split(' ');
    const before = `(?:${hints.join('|')})[^\\r\\n|;&]{0,200}?(?<=\\s)${option}["']?`;
    return ['password', hints, onDemand(`((?<![\\w-])${before})${SHELL_VALUE}`, 'gm')];
  });

/** Each pattern finds a place where a password stands. It is tried only on text that has one of its hints. */
const PLACES: readonly (readonly [hints: readonly string[], pattern: RegExp])[] = [
  // `${NAME}`, `<password>` and the like are none.
  [
    ['://', 'sip'],
    /((?::\/\/|\bsips?:)(?<=[A-Za-z][A-Za-z0-9+.-]{0,20}:(?:\/\/)?)[^\s:/?#@"'`<>[\]]{0,200}:)(?!(?:\$\w+|\$?\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>|\*+|%s|\.+)@)[^\s/"'`<>]{1,5000}(?=@)/g,
  ],
  [['jdbc:oracle:'], /(jdbc:oracle:\w{1,10}:[^\s/@"']{1,200}\/)[^\s@"']{1,200}(?=@)/g],
  [
    ['machine '],
    /(\bmachine\s{1,4}\S{1,200}\s{1,8}login\s{1,4}\S{1,200}\s{1,8}password\s{1,4})\S+/g,
  ],
  [['"auth"'], /("auth"\s{0,4}:\s{0,4}")(?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{8,}={0,2}(?=")/g],
  [
    ['assword', 'ASSWORD', 'wd>', 'ecret>', 'oken>', 'ey>'],
    /(<[\w:.-]{0,40}(?:passw(?:or)?d|pwd)(?: [^<>]{0,200})?>(?:\s{0,40}<value>)?|<\w{0,30}(?:secret|token|(?:api|access|secret)_?key)>(?=[^<\r\n]{0,200}\d))[^<\r\n]{4,200}(?=<\/)/gi,
  ],
  // A list of accounts: `ana@example.org:…`
  [
    ['@'],
    /(@(?<=(?<![\w.@/-])[\w.+-]{1,60}@)[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}:)(?=\S{0,60}[a-z])(?=\S{0,60}[A-Z])(?=\S{0,60}\d)[^\s:/"'<>]{6,60}(?=\s|$)/g,
  ],
  // `user:…@tcp(, `user:…@host:587`
  [
    ['@'],
    /(:(?<=(?<![\w/@:.-])[\w.-]{1,60}:))[^\s:@/"'`<>$*{}()[\]]{4,200}(?=@(?:(?:tcp|unix)\(|[\w-]{1,60}(?:\.[\w-]{1,60}){0,6}:\d{2,5}\b))/g,
  ],
  // Connections of databases, where a value in braces has any sign.
  [
    ['assword=', 'wd=', 'WD='],
    /(;[ \t]?(?:password|pwd)=)(?![\ue000-\uf8ff])(?:\{[^{}\r\n]{4,200}\}[^;\s"']*|[^;"'\s{][^;"'\r\n]{3,200})(?=[;"'\r\n]|$)/gi,
  ],
  [
    ['PASSWORD', 'password', 'crypt('],
    /((?:\bPASSWORD |= ?PASSWORD\(|\bcrypt\()')[^'\r\n]{4,200}(?=')/gi,
  ],
  // Protocols of mail and files, as programs print them.
  [
    ['AUTH PLAIN ', 'UGFzc3dvcmQ6', 'PASS '],
    /(\bAUTH PLAIN |334 UGFzc3dvcmQ6\s{1,4}(?:\w{1,10}: )?|^(?:\S{1,10} )?USER \S{1,60}[\s\S]{0,120}?\bPASS )[^\s/.\\]{4,}/gm,
  ],
  [[' BY ', ' by '], /(\bIDENTIFIED (?:WITH \S{1,60} )?BY ["'])[^"'\r\n]+/gi],
  [
    ['-stdin', 'sudo', 'chpasswd', 'cryptsetup', '-token', 'passphrase-fd'],
    /(\b(?:echo|printf)(?: -\w+| %s)? {1,4}["']?)[^\s"'|$-][^"'|\r\n]*?(?=["']? {0,4}\|[^\r\n|]{0,200}(?:--password-stdin|sudo -S|chpasswd|cryptsetup|--with-token|--passphrase-fd))/g,
  ],
  // As in a file of PostgreSQL's passwords: host, port, database, user.
  [
    [':'],
    /(:(?:\d{4,5}|\*):(?<=(?<![^\s"'`])(?:\*|[\w-]{0,60}[A-Za-z][\w.-]{0,200}|[\d.]{7,15}):(?:\d{4,5}|\*):)(?:\*|[A-Za-z_][^:\s/]{0,100}):[^:\s/]{1,100}:)[^:\s]{4,200}(?=\s|$)/g,
  ],
];

/** Secrets within a line: first tokens, then places, whose value may be a token found before. */
export const DETECTORS: readonly Detector[] = [
  [
    'aws',
    'AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA A3T'.split(' '),
    /(?<![A-Za-z0-9])A(?:3T[A-Z0-9]|(?:KI|SI|BI|CC|GP|ID|RO|IP|NP|NV)A)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  ],
  ...TOKENS,
  ['aws', ['X-Amz-'], /(X-Amz-(?:Signature|Security-Token|Credential)=)[^\s&"'<>]+/g],
  [
    'azure',
    ['AccountKey=', 'SharedAccessKey=', 'accountKey=', 'sharedAccessKey='],
    /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{32,}={0,2}/gi,
  ],
  ['azure', ['sig='], /([?&;]sig=)[A-Za-z0-9%+/=_-]{30,}/g],
  [
    'azure',
    ['Q~'],
    /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g,
  ],
  ['azure', ['AZDO'], /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g],
  // Whoever knows such an address may post to it.
  ['slack', ['hooks.'], /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/+-]{20,}/g],
  ['teams', ['/webhookb2/'], /(\/webhookb2\/)[\w@/-]{40,}/g],
  ['discord', ['/api/webhooks/'], /(\/api\/webhooks\/[0-9]{10,25}\/)[\w-]{30,}/g],
  ['discord', ['.'], /(?<![\w-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/g],
  ['telegram', [':AA'], /(?<![A-Za-z0-9])(?:bot)?[0-9]{8,10}:AA[\w-]{33}/g],
  ['mailchimp', ['-us'], /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g],
  ['terraform', ['.atlasv1.'], /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}/g],
  ['fly', ['FlyV1 '], /(FlyV1 )fm[0-9][\w+/=,-]{40,}/g],
  // As `crypt` writes it: name of the algorithm, salt, digest.
  [
    'password-hash',
    ['$'],
    /\$(?:apr1|[1-7]|2[abxy]|y|argon2(?:id?|d)|scrypt|pbkdf2-\w+)\$[\w./+=,$-]{20,}/g,
  ],
  // The last schemes carry several values, with commas and quotes of their own.
  [
    'authorization',
    ['uthorization', 'UTHORIZATION'],
    /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:(?:bearer|basic|token|apikey|negotiate)\s{1,4}(?=[^\s"'\\[$<{])|(?:digest|aws4-hmac-sha256)\s{1,4}(?=[A-Za-z]+=)))(?:(?<=(?:digest|256)\s{1,4})[^\r\n]+|[^\s"'\\]+)/gi,
  ],
  [
    'bearer',
    ['earer ', 'EARER '],
    /(?<![A-Za-z])(bearer {1,4})(?=[A-Za-z_./+~=-]{0,40}[0-9])[A-Za-z0-9._~+/=-]{16,}/gi,
  ],
  [
    'cookie',
    ['ookie', 'OOKIE'],
    /((?<![A-Za-z])(?:set-)?cookie\\?["']?\s{0,4}:\s{0,4}\\?["']?)[^\s"'=;:]{1,100}=[^\r\n"']+/gi,
  ],
  ['token', [':x-oauth-basic@'], /(https?:\/\/)[^\s:/@"'`<>${}]{8,500}(?=:x-oauth-basic@)/g],
  ['token', ['://'], /(https?:\/\/)(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,500}(?=@)/g],
  ...PLACES.map(([hints, pattern]): Detector => ['password', hints, pattern]),
  ...OPTIONS,
];
