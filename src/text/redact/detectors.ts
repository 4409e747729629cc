/**
 * Detectors of secrets that have a shape of their own or stand in a known place.
 *
 * Every expression takes linear time: an open-ended repetition comes last, or can begin only at the
 * start of a run of its characters, so that no run is scanned again from each of its letters.
 */

export interface Detector {
  /** The kind in `[redacted:<kind>]`. */
  readonly kind: string;
  /** Text without any of these cannot match. */
  readonly hints: readonly string[];
  /** The first group, if there is one, is kept: it is the place before the secret. */
  readonly pattern: RegExp;
}

/** Secrets of many lines. */
export const BLOCKS: readonly Detector[] = [
  {
    kind: 'private-key',
    hints: ['PRIVATE KEY'],
    // Without an end, as in output that was cut, all that follows is taken as the key.
    pattern:
      /-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}[\s\S]*?(?:-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|$)/g,
  },
  {
    kind: 'private-key',
    hints: ['Private-Lines: '],
    pattern: /(Private-Lines: [0-9]{1,4}\r?\n)[A-Za-z0-9+/=\r\n]{32,}/g,
  },
  { kind: 'private-key', hints: ['AGE-SECRET-KEY-'], pattern: /AGE-SECRET-KEY-1[0-9A-Z]{40,}/g },
];

/** Secrets within a line: first tokens, then places, whose value may be a token found before. */
export const DETECTORS: readonly Detector[] = [
  {
    kind: 'aws',
    hints: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
    pattern: /(?<![A-Za-z0-9])A(?:KI|SI|BI|CC)A[A-Z2-7]{16}(?![A-Za-z0-9])/g,
  },
  {
    kind: 'aws',
    hints: ['X-Amz-'],
    pattern: /(X-Amz-(?:Signature|Security-Token|Credential)=)[^\s&"'<>]+/g,
  },
  { kind: 'gcp', hints: ['AIza'], pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g },
  { kind: 'gcp', hints: ['GOCSPX-'], pattern: /GOCSPX-[A-Za-z0-9_-]{20,}/g },
  { kind: 'gcp', hints: ['ya29.'], pattern: /(?<![A-Za-z0-9])ya29\.[A-Za-z0-9_-]{20,}/g },
  {
    kind: 'azure',
    hints: ['AccountKey=', 'SharedAccessKey=', 'accountKey=', 'sharedAccessKey='],
    pattern: /((?:Account|SharedAccess)Key=)[A-Za-z0-9+/]{32,}={0,2}/gi,
  },
  { kind: 'azure', hints: ['sig='], pattern: /([?&;]sig=)[A-Za-z0-9%+/=_-]{30,}/g },
  {
    kind: 'azure',
    hints: ['Q~'],
    pattern:
      /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g,
  },
  {
    kind: 'azure',
    hints: ['AZDO'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g,
  },

  {
    kind: 'github',
    hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,}/g,
  },
  { kind: 'github', hints: ['github_pat_'], pattern: /github_pat_[A-Za-z0-9_]{22,}/g },
  {
    kind: 'gitlab',
    hints: [
      'glpat-',
      'gldt-',
      'glrt-',
      'glcbt-',
      'glptt-',
      'glft-',
      'glimt-',
      'glagent-',
      'gloas-',
      'glsoat-',
    ],
    pattern: /(?<![A-Za-z0-9])gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[A-Za-z0-9_.-]{20,}/g,
  },
  { kind: 'gitlab', hints: ['GR1348941'], pattern: /GR1348941[A-Za-z0-9_-]{20,}/g },
  { kind: 'bitbucket', hints: ['ATBB'], pattern: /(?<![A-Za-z0-9])ATBB[A-Za-z0-9]{28,}/g },
  {
    kind: 'atlassian',
    hints: ['ATATT3', 'ATCTT3'],
    pattern: /(?<![A-Za-z0-9])AT[AC]TT3[A-Za-z0-9_=-]{60,}/g,
  },

  { kind: 'npm', hints: ['npm_'], pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,}/g },
  { kind: 'pypi', hints: ['pypi-AgE'], pattern: /pypi-AgE[A-Za-z0-9_-]{40,}/g },
  { kind: 'rubygems', hints: ['rubygems_'], pattern: /rubygems_[a-f0-9]{48}/g },
  { kind: 'crates', hints: ['cio'], pattern: /(?<![A-Za-z0-9])cio[A-Za-z0-9]{32}(?![A-Za-z0-9])/g },
  { kind: 'nuget', hints: ['oy2'], pattern: /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/g },
  { kind: 'docker', hints: ['dckr_pat_', 'dckr_oat_'], pattern: /dckr_[po]at_[A-Za-z0-9_-]{20,}/g },

  {
    kind: 'slack',
    hints: ['xox'],
    pattern: /(?<![A-Za-z0-9])xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}/g,
  },
  { kind: 'slack', hints: ['xapp-'], pattern: /(?<![A-Za-z0-9])xapp-[0-9]-[A-Za-z0-9-]{20,}/g },
  {
    kind: 'slack',
    hints: ['hooks.slack.com'],
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/_+-]{20,}/g,
  },
  {
    kind: 'discord',
    hints: ['/api/webhooks/'],
    pattern: /(\/api\/webhooks\/[0-9]{10,25}\/)[A-Za-z0-9_-]{30,}/g,
  },
  {
    kind: 'discord',
    hints: ['.'],
    pattern: /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g,
  },
  { kind: 'telegram', hints: [':AA'], pattern: /(?<![A-Za-z0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}/g },

  {
    kind: 'stripe',
    hints: ['_live_', '_test_'],
    pattern: /(?<![A-Za-z0-9])[srp]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  },
  { kind: 'stripe', hints: ['whsec_'], pattern: /whsec_[A-Za-z0-9+/=]{24,}/g },
  { kind: 'square', hints: ['sq0'], pattern: /(?<![A-Za-z0-9])sq0(?:atp|csp)-[A-Za-z0-9_-]{22,}/g },
  {
    kind: 'shopify',
    hints: ['shpat_', 'shpca_', 'shppa_', 'shpss_'],
    pattern: /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g,
  },

  { kind: 'anthropic', hints: ['sk-ant-'], pattern: /(?<![A-Za-z0-9])sk-ant-[A-Za-z0-9_-]{20,}/g },
  {
    kind: 'openai',
    hints: ['sk-'],
    pattern:
      /(?<![A-Za-z0-9-])sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{32,})/g,
  },
  { kind: 'openrouter', hints: ['sk-or-'], pattern: /(?<![A-Za-z0-9])sk-or-[A-Za-z0-9-]{20,}/g },
  { kind: 'hugging-face', hints: ['hf_'], pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g },
  {
    kind: 'hugging-face',
    hints: ['api_org_'],
    pattern: /(?<![A-Za-z0-9])api_org_[A-Za-z0-9]{30,}/g,
  },
  { kind: 'groq', hints: ['gsk_'], pattern: /(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{40,}/g },
  { kind: 'xai', hints: ['xai-'], pattern: /(?<![A-Za-z0-9])xai-[A-Za-z0-9]{60,}/g },
  { kind: 'replicate', hints: ['r8_'], pattern: /(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}/g },
  { kind: 'perplexity', hints: ['pplx-'], pattern: /(?<![A-Za-z0-9])pplx-[A-Za-z0-9]{40,}/g },

  {
    kind: 'sendgrid',
    hints: ['SG.'],
    pattern: /(?<![A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,}/g,
  },
  { kind: 'mailgun', hints: ['key-'], pattern: /(?<![A-Za-z0-9_-])key-[0-9a-f]{32}(?![0-9a-f])/g },
  {
    kind: 'mailchimp',
    hints: ['-us'],
    pattern: /(?<![A-Za-z0-9])[0-9a-f]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g,
  },
  { kind: 'twilio', hints: ['SK'], pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g },
  { kind: 'digitalocean', hints: ['_v1_'], pattern: /(?<![A-Za-z0-9])do[oprt]_v1_[a-f0-9]{64}/g },
  { kind: 'heroku', hints: ['HRKU-'], pattern: /HRKU-[A-Za-z0-9_-]{36,}/g },
  { kind: 'databricks', hints: ['dapi'], pattern: /(?<![A-Za-z0-9])dapi[a-f0-9]{32}/g },
  { kind: 'dropbox', hints: ['sl.'], pattern: /(?<![A-Za-z0-9])sl\.[A-Za-z0-9_-]{130,}/g },
  {
    kind: 'terraform',
    hints: ['.atlasv1.'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}/g,
  },
  {
    kind: 'vault',
    hints: ['hvs.', 'hvb.', 'hvr.'],
    pattern: /(?<![A-Za-z0-9])hv[sbr]\.[A-Za-z0-9_-]{24,}/g,
  },
  {
    kind: 'linear',
    hints: ['lin_api_', 'lin_oauth_'],
    pattern: /lin_(?:api|oauth)_[A-Za-z0-9]{32,}/g,
  },
  { kind: 'notion', hints: ['ntn_'], pattern: /(?<![A-Za-z0-9])ntn_[A-Za-z0-9]{40,}/g },
  {
    kind: 'notion',
    hints: ['secret_'],
    pattern: /(?<![A-Za-z0-9_])secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/g,
  },
  { kind: 'figma', hints: ['figd_'], pattern: /figd_[A-Za-z0-9_-]{36,}/g },
  { kind: 'postman', hints: ['PMAK-'], pattern: /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/g },
  { kind: 'new-relic', hints: ['NRAK-'], pattern: /NRAK-[A-Z0-9]{27}/g },
  { kind: 'grafana', hints: ['glsa_'], pattern: /glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}/g },
  { kind: 'sentry', hints: ['sntrys_', 'sntryu_'], pattern: /sntry[su]_[A-Za-z0-9+/=_-]{40,}/g },
  {
    kind: 'doppler',
    hints: ['dp.'],
    pattern: /(?<![A-Za-z0-9])dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{40,}/g,
  },
  { kind: 'pulumi', hints: ['pul-'], pattern: /(?<![A-Za-z0-9])pul-[a-f0-9]{40}/g },
  { kind: 'fly', hints: ['fo1_'], pattern: /(?<![A-Za-z0-9])fo1_[A-Za-z0-9_-]{40,}/g },
  { kind: 'fly', hints: ['FlyV1 '], pattern: /(FlyV1 )fm[0-9][A-Za-z0-9_+/=,-]{40,}/g },
  {
    kind: 'supabase',
    hints: ['sbp_', 'sb_secret_'],
    pattern: /(?<![A-Za-z0-9])sb(?:p_[a-f0-9]{40}|_secret_[A-Za-z0-9_-]{20,})/g,
  },
  {
    kind: 'jwt',
    hints: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+){1,3}/g,
  },

  {
    kind: 'authorization',
    hints: ['uthorization', 'UTHORIZATION'],
    pattern:
      /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:bearer|basic|token|apikey|negotiate)\s{1,4})[^\s"'\\[$<{][^\s"'\\]*/gi,
  },
  {
    // These schemes carry several values, with commas and quotes of their own.
    kind: 'authorization',
    hints: ['uthorization', 'UTHORIZATION'],
    pattern:
      /(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?(?:digest|aws4-hmac-sha256)\s{1,4})[A-Za-z]+=[^\r\n]+/gi,
  },
  {
    kind: 'bearer',
    hints: ['earer ', 'EARER '],
    pattern: /(?<![A-Za-z])(bearer {1,4})(?=[A-Za-z_./+~=-]{0,40}[0-9])[A-Za-z0-9._~+/=-]{16,}/gi,
  },
  {
    kind: 'cookie',
    hints: ['ookie', 'OOKIE'],
    pattern:
      /((?<![A-Za-z])(?:set-)?cookie\\?["']?\s{0,4}:\s{0,4}\\?["']?)[^\s"'=;:]{1,100}=[^\r\n"']+/gi,
  },
  {
    kind: 'password',
    hints: ['://'],
    pattern:
      /([A-Za-z][A-Za-z0-9+.-]{0,20}:\/\/[^\s:/?#@"'`<>[\]]{0,200}:)[^\s/?#"'`<>@$*{}]{1,500}(?=@)/g,
  },
  {
    kind: 'token',
    hints: ['://'],
    pattern: /(https?:\/\/)(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,500}(?=@)/g,
  },
  {
    kind: 'password',
    hints: ['machine '],
    pattern: /(\bmachine\s{1,4}\S{1,200}\s{1,8}login\s{1,4}\S{1,200}\s{1,8}password\s{1,4})\S+/g,
  },
  {
    kind: 'password',
    hints: ['"auth"'],
    pattern: /("auth"\s{0,4}:\s{0,4}")(?=[A-Za-z+/]{0,60}[0-9=])[A-Za-z0-9+/]{8,}={0,2}(?=")/g,
  },
  { kind: 'password', hints: ['sshpass'], pattern: /(\bsshpass {1,4}-p {0,4}["']?)[^\s"'$]+/g },
  {
    kind: 'password',
    hints: ['curl'],
    pattern: /(\bcurl [^\r\n]{0,200}?(?<=\s)(?:-u|--user)[ =]["']?[^\s:"'$]{1,100}:)[^\s"'$]+/g,
  },
];
