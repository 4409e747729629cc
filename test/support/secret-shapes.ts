/**
 * Secrets in the shapes that secretlint's recommended rules know, made up at random. Nothing here is one, so
 * that no scanner finds any in this file.
 */
import { seededRandom } from './seeded-random.ts';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const ALNUM = DIGITS + UPPER + LOWER;
const HEX = `${DIGITS}abcdef`;
const BASE64 = `${ALNUM}+/`;
const URL_SAFE = `${ALNUM}_-`;
const WORD = `${ALNUM}_`;

/** A text with a secret in it, and the random part of it, of which nothing may be left. */
export interface MadeSecret {
  readonly text: string;
  readonly random: string;
}

/** Makes random parts: of so many characters, between two lengths, one of several. */
interface Maker {
  readonly chars: (length: number, alphabet?: string) => string;
  readonly between: (least: number, most: number) => number;
  readonly one: <T>(of: readonly T[]) => T;
}

function makerOf(random: () => number): Maker {
  const between = (least: number, most: number) =>
    least + Math.floor(random() * (most - least + 1));
  const one = <T>(of: readonly T[]) => of[between(0, of.length - 1)] as T;
  const chars = (length: number, alphabet = ALNUM) =>
    Array.from({ length }, () => alphabet[between(0, alphabet.length - 1)]).join('');
  return { chars, between, one };
}

/** What stands before the random part, how long that is, and of which letters. */
const token =
  (before: string | readonly string[], least: number, most = least, alphabet = ALNUM) =>
  ({ chars, between, one }: Maker): MadeSecret => {
    const random = chars(between(least, most), alphabet);
    return { text: one([before].flat()) + random, random };
  };

const key =
  (begin: string, magic = 'MI', lineEnd = '\n') =>
  ({ chars, between }: Maker): MadeSecret => {
    const lines = Array.from({ length: between(3, 26) }, () => chars(64, BASE64));
    lines.push(`${chars(between(8, 60), BASE64)}==`);
    const body = lines.join(lineEnd);
    const edge = (word: string) => `-----${word}${begin}-----`;
    const text = [edge('BEGIN '), magic + body, edge('END ')].join(lineEnd);
    return { text, random: body.replaceAll(lineEnd, '\n') };
  };

/** A place with `@` for the secret. */
const place =
  (templates: readonly string[], least: number, most = least, alphabet = ALNUM) =>
  ({ chars, between, one }: Maker): MadeSecret => {
    const random = chars(between(least, most), alphabet);
    return { text: one(templates).replace('§', () => random), random };
  };

const PASSWORD = `${ALNUM}!#$&*+,;=?^_~.%()-`;

export const SECRET_SHAPES: Readonly<Record<string, (maker: Maker) => MadeSecret>> = {
  'aws access key': token(
    'A3TX AKIA AGPA AIDA AROA AIPA ANPA ANVA ASIA'.split(' '),
    16,
    16,
    UPPER + DIGITS,
  ),
  'aws secret key': place(
    [
      'AWS_SECRET_ACCESS_KEY=§',
      'aws_secret_access_key = §',
      '"SecretAccessKey": "§"',
      "secretAccessKey: '§'",
      'aws_secret_access_key => "§"',
      'SECRET_ACCESS_KEY:§',
    ],
    40,
    40,
    `${ALNUM}/+`,
  ),
  'gcp service account': ({ chars, between, one }) => {
    const { text, random } = key('PRIVATE KEY', 'MI', '\\n')({ chars, between, one });
    const account = { type: 'service_account', private_key_id: chars(40, HEX) };
    const json = JSON.stringify({ ...account, private_key: '§' });
    return { text: json.replace('§', () => `${text}\\n`), random };
  },
  'rsa key': key('RSA PRIVATE KEY'),
  'ec key': key('EC PRIVATE KEY'),
  'dsa key': key('DSA PRIVATE KEY'),
  'openssh key': key('OPENSSH PRIVATE KEY', 'b3BlbnNzaC1rZXktdjE'),
  'pkcs8 key': key('PRIVATE KEY'),
  'pgp key': key('PGP PRIVATE KEY BLOCK'),
  'npm token': token('npm_', 36, 36, WORD),
  'npmrc token': place(['//registry.npmjs.org/:_authToken=§', '_authToken=§'], 20, 60, URL_SAFE),
  'github x-oauth': place(['https://§:x-oauth-basic@github.com/owner/repo'], 20, 40, ALNUM),
  'slack token': ({ chars, one, between }) => {
    const parts = [chars(between(9, 12), DIGITS), chars(between(9, 12), DIGITS), chars(24)];
    return {
      text: one(['xoxb-', 'xoxp-', 'xapp-1-', 'xoxa-2-', 'xoxo-', 'xoxr-']) + parts.join('-'),
      random: parts.join('-'),
    };
  },
  'slack webhook': ({ chars }) => {
    const random = `T${chars(9, UPPER + DIGITS)}/B${chars(9, UPPER + DIGITS)}/${chars(24)}`;
    return { text: `https://hooks.slack.com/services/${random}`, random: random.slice(-24) };
  },
  'basic auth': place(
    ['https://ada:§@git.acme.dev', 'ftp://deploy:§@files.acme.dev', 'http://ada_b-c:§@x.acme.io'],
    8,
    40,
    URL_SAFE,
  ),
  'openai key': ({ chars, one }) => {
    const size = one([74, 58]);
    const random = `${chars(size, URL_SAFE)}T3BlbkFJ${chars(size - 1, URL_SAFE)}${chars(1)}`;
    return { text: one(['sk-proj-', 'sk-svcacct-', 'sk-admin-']) + random, random };
  },
  'openai key of old': ({ chars }) => {
    const random = `${chars(20)}T3BlbkFJ${chars(20)}`;
    return { text: `sk-${random}`, random };
  },
  'anthropic key': ({ chars, between, one }) => {
    const random = `${chars(between(90, 128), URL_SAFE)}AA`;
    return { text: one(['sk-ant-api03-', 'sk-ant-api01-']) + random, random };
  },
  'groq key': token('gsk_', 52),
  'hugging face token': token('hf_', 34, 34, UPPER + LOWER),
  'linear key': token('lin_api_', 32, 128, WORD),
  'notion token': ({ chars }) => {
    const random = chars(11, DIGITS) + chars(35);
    return { text: `ntn_${random}`, random };
  },
  'sendgrid key': ({ chars, one, between }) => {
    const second = between(12, 30);
    const random = `${chars(22, WORD)}.${chars(second, WORD)}${one(['-', '_'])}${chars(42 - second, WORD)}`;
    return { text: `SG.${random}`, random };
  },
  'shopify token': token(['shppa_', 'shpca_', 'shpat_', 'shpss_'], 32, 64),
  'stripe live key': token(['sk_live_', 'rk_live_'], 24, 99),
  'stripe test key': token(['sk_test_', 'rk_test_'], 24, 99),
  'github token': token(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 36, 36, WORD),
  'github fine-grained token': token('github_pat_', 82, 82, WORD),
  'github installation token': ({ chars, between }) => {
    const parts = [
      chars(between(40, 120), URL_SAFE),
      chars(between(80, 300), URL_SAFE),
      chars(between(40, 86), URL_SAFE),
    ];
    return {
      text: `ghs_${chars(between(3, 12), DIGITS)}_${parts.join('.')}`,
      random: parts.join('.'),
    };
  },
  'gitlab token': token('glpat-', 20, 128, URL_SAFE),
  'grafana cloud token': ({ chars, between, one }) => {
    const random = chars(between(32, 400), BASE64);
    return { text: `glc_${random}${one(['', '=', '=='])}`, random };
  },
  'grafana service token': ({ chars }) => {
    const random = `${chars(32)}_${chars(8, HEX)}`;
    return { text: `glsa_${random}`, random };
  },
  '1password token': ({ chars, between }) => {
    const keys = { muk: { k: chars(43) }, secretKey: chars(34), srpX: chars(64, HEX) };
    const json = JSON.stringify({ email: chars(between(8, 60)), ...keys, userAuth: { salt: '§' } });
    // The last bracket begins a group of base64, and is written as `fQ==` then.
    const padded = json.replace('§', chars(16 + ((4 - ((json.length + 15) % 3)) % 3)));
    const random = btoa(padded);
    return { text: `ops_${random}`, random };
  },
  'mongodb password': place(
    [
      'mongodb://ada:§@db.acme.dev:27017/shop',
      'mongodb+srv://ada:§@cluster0.acme.dev/shop?retryWrites=true',
    ],
    8,
    60,
    PASSWORD,
  ),
  'mysql password': place(
    [
      'mysql://ada:§@db.acme.dev/shop',
      'jdbc:mysql://ada:§@db.acme.dev:3306/shop',
      'mysqlx://ada:§@db.acme.dev',
    ],
    8,
    60,
    PASSWORD,
  ),
  'postgres password': place(
    [
      'postgres://ada:§@db.acme.dev/shop',
      'postgresql://ada:§@db.acme.dev:5432/shop?sslmode=require',
    ],
    8,
    60,
    PASSWORD,
  ),
  'vault service token': token('hvs.', 90, 120, URL_SAFE),
  'vault batch token': token('hvb.', 138, 300, URL_SAFE),
  'vault recovery token': token('hvr.', 90, 120, URL_SAFE),
  'vercel token': token(['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], 20, 60),
  'databricks token': ({ chars, one }) => {
    const random = chars(32, one([HEX, HEX.toUpperCase()]));
    return { text: `dapi${random}${one(['', '-2'])}`, random };
  },
  'docker token': token('dckr_pat_', 27, 27, URL_SAFE),
  'figma token': token('figd_', 40, 200, URL_SAFE),
  'cloudflare token': ({ chars, one }) => {
    const random = chars(40) + chars(8, HEX);
    return { text: one(['cfk_', 'cfut_', 'cfat_']) + random, random };
  },
  'tailscale key': ({ chars, between, one }) => {
    const random = `${chars(between(8, 40), WORD)}-${chars(between(16, 60), WORD)}`;
    return { text: `tskey-${one(['auth', 'api', 'client', 'scim', 'webhook'])}-${random}`, random };
  },
};

/** The first secrets of a shape; the same for the same seed. */
export function madeSecrets(shape: string, count: number, seed = 1): MadeSecret[] {
  const make = SECRET_SHAPES[shape];
  if (make === undefined) throw new Error(`there is no shape ${shape}`);
  const maker = makerOf(seededRandom(seed));
  return Array.from({ length: count }, () => make(maker));
}

/** Where a secret may stand. */
export const SURROUNDINGS: readonly ((text: string) => string)[] = [
  (it) => it,
  (it) => `got ${it}, then it went on`,
  (it) => `{"value": ${JSON.stringify(it)}}`,
  (it) => `const it = '${it}';`,
  (it) => `list:\n  - ${it}\n  - other\n`,
  (it) => `curl -H "X-Thing: ${it}" https://acme.dev`,
  (it) => JSON.stringify(JSON.stringify({ value: it })),
  (it) => `(${it})`,
];

const LEAK = 8;

/** A run of eight characters of the secret that is still in the text; `undefined`: none. */
export function leakOf({ random }: MadeSecret, text: string): string | undefined {
  for (const line of random.split('\n')) {
    for (let at = 0; at + LEAK <= line.length; at += 1) {
      const run = line.slice(at, at + LEAK);
      if (text.includes(run)) return run;
    }
  }
  return undefined;
}
