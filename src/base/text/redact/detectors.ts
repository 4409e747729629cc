/**
 * Detectors of secrets that have a shape of their own or stand in a known place.
 *
 * Every expression takes linear time: an open-ended repetition comes last, or can begin only at the
 * start of a run of its characters, so that no run is scanned again from each of its letters.
 */

/** A match becomes `[redacted:<kind>]`; a first group, which is the place, is kept. */
export type Detector = readonly [
  kind: string,
  /** Text without any of these cannot match. */
  hints: string | readonly string[],
  pattern: RegExp,
];

/** Secrets of many lines. */
export const BLOCKS: readonly Detector[] = [
  // Output may be cut: all that follows a beginning without an end is taken as the key.
  [
    'private-key',
    'PRIVATE KEY',
    /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g,
  ],
  ['private-key', 'Private-Lines: ', /(Private-Lines: [0-9]{1,4}\r?\n)[A-Za-z0-9+/=\r\n]{32,}/g],
  ['private-key', 'AGE-SECRET-KEY-', /AGE-SECRET-KEY-1[0-9A-Z]{40,}/g],
];

/** Secrets within a line: first tokens, then places, whose value may be a token found before. */
export const DETECTORS: readonly Detector[] = [
  [
    'aws',
    'AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA A3T'.split(' '),
    /(?<![A-Za-z0-9])A(?:3T[A-Z0-9]|(?:KI|SI|BI|CC|GP|ID|RO|IP|NP|NV)A)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  ],
  ['aws', 'X-Amz-', /(X-Amz-(?:Signature|Security-Token|Credential)=)[^\s&"'<>]+/g],
  ['gcp', 'AIza', /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g],
  ['gcp', 'GOCSPX-', /GOCSPX-[A-Za-z0-9_-]{20,}/g],
  ['gcp', 'ya29.', /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}/g],
  [
    'azure',
    ['AccountKey=', 'SharedAccessKey=', 'accountKey=', 'sharedAccessKey='],
    /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{32,}={0,2}/gi,
  ],
  ['azure', 'sig=', /([?&;]sig=)[A-Za-z0-9%+/=_-]{30,}/g],
  [
    'azure',
    'Q~',
    /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g,
  ],
  ['azure', 'AZDO', /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g],

  [
    'github',
    'ghs_',
    /(?<![A-Za-z0-9_-])ghs_[0-9]{1,20}_[A-Za-z0-9_-]{1,1000}\.[A-Za-z0-9_-]{1,9000}\.[A-Za-z0-9_-]+/g,
  ],
  [
    'github',
    ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9_]{36,}/g,
  ],
  ['github', 'github_pat_', /github_pat_[A-Za-z0-9_]{22,}/g],
  [
    'gitlab',
    'glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat-'.split(' '),
    /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,}/g,
  ],
  ['gitlab', 'GR1348941', /GR1348941[A-Za-z0-9_-]{20,}/g],
  ['bitbucket', 'ATBB', /(?<![A-Za-z0-9])ATBB[A-Za-z0-9]{28,}/g],
  ['atlassian', ['ATATT3', 'ATCTT3'], /(?<![A-Za-z0-9])AT[AC]TT3[A-Za-z0-9_=-]{60,}/g],

  ['npm', 'npm_', /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}/g],
  // Variables of npm have small letters only.
  ['npm', 'npm_', /(?<![A-Za-z0-9])npm_(?=[a-z_]{0,35}[A-Z0-9])[A-Za-z0-9_]{36}(?![A-Za-z0-9_])/g],
  ['pypi', 'pypi-AgE', /pypi-AgE[A-Za-z0-9_-]{40,}/g],
  ['rubygems', 'rubygems_', /rubygems_[a-f0-9]{48}/g],
  ['crates', 'cio', /(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/g],
  ['nuget', 'oy2', /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/g],
  ['docker', ['dckr_pat_', 'dckr_oat_'], /dckr_[po]at_[A-Za-z0-9_-]{20,}/g],

  ['slack', 'xox', /(?<![A-Za-z0-9])xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/g],
  ['slack', 'xapp-', /(?<![A-Za-z0-9])xapp-[0-9]-[A-Za-z0-9-]{20,}/g],
  [
    'slack',
    'hooks.slack.com',
    /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_+-]{20,}/g,
  ],
  ['discord', '/api/webhooks/', /(\/api\/webhooks\/[0-9]{10,25}\/)[A-Za-z0-9_-]{30,}/g],
  [
    'discord',
    '.',
    /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
  ],
  ['telegram', ':AA', /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}/g],

  ['stripe', ['_live_', '_test_'], /(?<![A-Za-z0-9])[srp]k_(?:live|test)_[A-Za-z0-9]{16,}/g],
  ['stripe', 'whsec_', /whsec_[A-Za-z0-9+/=]{24,}/g],
  ['square', 'sq0', /(?<![A-Za-z0-9])sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/g],
  ['shopify', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], /shp(?:at|ca|pa|ss)_[A-Za-z0-9]{32,}/g],

  ['anthropic', 'sk-ant-', /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20,}/g],
  [
    'openai',
    'sk-',
    /(?<![A-Za-z0-9-])sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})/g,
  ],
  ['openrouter', 'sk-or-', /(?<![A-Za-z0-9])sk-or-[A-Za-z0-9-]{20,}/g],
  ['hugging-face', 'hf_', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g],
  ['hugging-face', 'api_org_', /(?<![A-Za-z0-9])api_org_[A-Za-z0-9]{30,}/g],
  ['groq', 'gsk_', /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,}/g],
  ['xai', 'xai-', /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{60,}/g],
  ['replicate', 'r8_', /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}/g],
  ['perplexity', 'pplx-', /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,}/g],

  ['sendgrid', 'SG.', /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}/g],
  ['mailgun', 'key-', /(?<![A-Za-z0-9_-])key-[0-9a-f]{32}(?![0-9a-f])/g],
  ['mailchimp', '-us', /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g],
  ['twilio', 'SK', /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g],
  ['digitalocean', '_v1_', /(?<![A-Za-z0-9])do[oprt]_v1_[a-f0-9]{64}/g],
  ['heroku', 'HRKU-', /HRKU-[A-Za-z0-9_-]{36,}/g],
  ['databricks', 'dapi', /(?<![A-Za-z0-9])dapi[A-Fa-f0-9]{32}/g],
  ['dropbox', 'sl.', /(?<![A-Za-z0-9])sl\.[A-Za-z0-9_-]{130,}/g],
  ['terraform', '.atlasv1.', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/g],
  ['vault', ['hvs.', 'hvb.', 'hvr.'], /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{24,}/g],
  ['linear', ['lin_api_', 'lin_oauth_'], /lin_(?:api|oauth)_[A-Za-z0-9_]{32,}/g],
  ['notion', 'ntn_', /(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{40,}/g],
  ['notion', 'secret_', /(?<![A-Za-z0-9_])secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/g],
  ['figma', 'figd_', /figd_[A-Za-z0-9_-]{36,}/g],
  ['postman', 'PMAK-', /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/g],
  ['new-relic', 'NRAK-', /NRAK-[A-Z0-9]{27}/g],
  ['grafana', 'glc_', /(?<![A-Za-z0-9])glc_[A-Za-z0-9+/]{32,}/g],
  ['grafana', 'glsa_', /glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}/g],
  ['1password', 'ops_ey', /(?<![A-Za-z0-9])ops_ey[A-Za-z0-9+/=_-]{100,}/g],
  [
    'vercel',
    ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    /(?<![A-Za-z0-9])vc[piark]_[A-Za-z0-9]{20,}/g,
  ],
  ['cloudflare', ['cfk_', 'cfut_', 'cfat_'], /(?<![A-Za-z0-9])cf(?:k|ut|at)_[A-Za-z0-9]{40,}/g],
  ['tailscale', 'tskey-', /(?<![A-Za-z0-9])tskey-[a-z]{2,20}-[A-Za-z0-9_-]{20,}/g],
  ['sentry', ['sntrys_', 'sntryu_'], /sntry[su]_[A-Za-z0-9+/=_-]{40,}/g],
  ['doppler', 'dp.', /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}/g],
  ['pulumi', 'pul-', /(?<![A-Za-z0-9])pul-[a-f0-9]{40}/g],
  ['fly', 'fo1_', /(?<![A-Za-z0-9])fo1_[A-Za-z0-9_-]{40,}/g],
  ['fly', 'FlyV1 ', /(FlyV1 )fm[0-9][A-Za-z0-9_+/=,-]{40,}/g],
  [
    'supabase',
    ['sbp_', 'sb_secret_'],
    /(?<![A-Za-z0-9])sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})/g,
  ],
  [
    'jwt',
    'eyJ',
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){1,3}/g,
  ],

  [
    'authorization',
    ['uthorization', 'UTHORIZATION'],
    /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|basic|token|apikey|negotiate)\s{1,4})[^\s"'\\[$<{][^\s"'\\]*/gi,
  ],

  // These schemes carry several values, with commas and quotes of their own.
  [
    'authorization',
    ['uthorization', 'UTHORIZATION'],
    /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:digest|aws4-hmac-sha256)\s{1,4})[A-Za-z]+=[^\r\n]+/gi,
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
  ['token', ':x-oauth-basic@', /(https?:\/\/)[^\s:/@"'`<>${}]{8,500}(?=:x-oauth-basic@)/g],
  // Drivers of databases take almost any character; `${NAME}`, `<password>` and the like are none.
  [
    'password',
    ['mongo', 'mysql', 'maria', 'postgres', 'redis', 'amqp', 'sqlserver'],
    /((?:mongodb(?:\+srv)?|mysqlx?|mariadb|postgres(?:ql)?|rediss?|amqps?|sqlserver):\/\/[^\s:/?#@"'`<>[\]]{0,200}:)(?!(?:\$\w+|\$?\{[^{}]*\}|\{\{[^{}]*\}\}|<[^<>]*>|\*+|%s|\.+)@)[^\s/"'`@<>]{1,500}(?=@)/g,
  ],
  [
    'password',
    '://',
    /([A-Za-z][A-Za-z0-9+.-]{0,20}:\/\/[^\s:/?#@"'`<>[\]]{0,200}:)[^\s/?#"'`<>@$*{}]{1,500}(?=@)/g,
  ],
  ['password', 'jdbc:oracle:', /(jdbc:oracle:\w{1,10}:[^\s/@"']{1,200}\/)[^\s@"']{1,200}(?=@)/g],
  ['token', '://', /(https?:\/\/)(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,500}(?=@)/g],
  [
    'password',
    'machine ',
    /(\bmachine\s{1,4}\S{1,200}\s{1,8}login\s{1,4}\S{1,200}\s{1,8}password\s{1,4})\S+/g,
  ],
  [
    'password',
    '"auth"',
    /("auth"\s{0,4}:\s{0,4}")(?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{8,}={0,2}(?=")/g,
  ],
  ...(
    [
      // What follows an option of these programs.
      ['sshpass', '-p {0,4}'],
      ['curl', `(?:-u|--user)[ =]["']?[^\\s:"'$]{1,100}:`],
      ['mysql', '-p'],
      ['mariadb', '-p'],
      ['mongo', '-p {1,4}'],
      ['redis-cli', '-a {1,4}'],
      ['login', '-p {1,4}'],
      ['vault login', '(?<=login {1,4})(?=\\S{0,60}\\d)(?!\\w+=|-)'],
      ['ldap', '-w {1,4}'],
      ['sqlcmd', '-P {0,4}'],
      ['zip', '-P {1,4}'],
      ['7z', '-p'],
      ['lftp', `-u {1,4}[^\\s,"'$]{1,100},`],
      ['smbclient', `-U {0,4}["']?[^\\s%"'$]{1,100}%`],
      ['openssl', '-(?:pass|passin|passout) {1,4}pass:'],
      ['openssl enc', '-k {1,4}'],
      ['ssh-keygen', '-N {1,4}'],
      ['htpasswd', `-\\w{0,4}b\\w{0,4} {1,4}\\S{1,200} {1,4}\\S{1,100} {1,4}`],
      ['rabbitmqctl', `(?:add_user|change_password) {1,4}\\S{1,100} {1,4}`],
      ['keytool', '-\\w*(?:store|key)pass {1,4}'],
      ['freerdp', '/p:'],
      ['net user', '[^\\s/]\\S{0,100} {1,4}(?![/*])'],
      ['net use', '/user:\\S{1,100} {1,4}'],
      ['rclone obscure', ''],
      ['aws configure set', `aws_secret_access_key {1,4}`],
    ] as const
  ).map(
    ([program, option]): Detector => [
      'password',
      program,
      new RegExp(`(${program}[^\\r\\n|;&]{0,200}?(?<=\\s)${option}["']?)[^\\s"'$-][^\\s"']*`, 'g'),
    ],
  ),
  [
    'password',
    ['assword>', 'ASSWORD>', 'wd>', 'ecret>', 'oken>', 'ey>'],
    /(<\w{0,30}(?:passw(?:or)?d|pwd)>|<\w{0,30}(?:secret|token|(?:api|access|secret)_?key)>(?=[^<\r\n]{0,200}\d))[^<\r\n]{4,200}(?=<\/)/gi,
  ],
  ['password', ['assword" value', 'wd" value'], /((?:password|pwd)" value=")[^"\r\n]{4,200}/gi],
  ['password', ['PASSWORD ', 'password '], /(\bPASSWORD ')[^'\r\n]{4,200}(?=')/gi],
  ['password', [' BY ', ' by '], /(\bIDENTIFIED (?:WITH \S{1,60} )?BY ["'])[^"'\r\n]+/gi],
  [
    'password',
    ['-stdin', 'sudo'],
    /(\b(?:echo|printf)(?: -\w+| %s)? {1,4}["']?)[^\s"'|$-][^\s"'|]*(?=["']? {0,4}\|[^\r\n|]{0,200}(?:--password-stdin|sudo -S))/g,
  ],
  // As in a file of PostgreSQL's passwords: host, port, database, user.
  [
    'password',
    ':',
    /((?<![^\s"'`])(?:\*|[\w-]{0,60}[A-Za-z][\w.-]{0,200}|[\d.]{7,15}):(?:\d{4,5}|\*):(?:\*|[A-Za-z_][^:\s/]{0,100}):[^:\s/]{1,100}:)[^:\s]{4,200}(?=\s|$)/g,
  ],
];
