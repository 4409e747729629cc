import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BLOCKS, DETECTORS } from '../../../src/base/text/redact/detectors.ts';
import { beginning, redact, storableTitle } from '../../../src/base/text/redact/redact.ts';
import { cpuMs } from '../../support/cpu-time.ts';

/**
 * Fake secrets are put together here, so that no scanner finds one in this file. `fill` makes the
 * random-looking part: the same for the same alphabet and length.
 */
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const ALNUM = `0123456789${LETTERS}${LETTERS.toLowerCase()}`;
const HEX = '0123456789abcdef';
function fill(length: number, alphabet = ALNUM): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return alphabet[(state >> 8) % alphabet.length];
  }).join('');
}
const join = (...pieces: string[]) => pieces.join('');
const pem = (label: string) =>
  join('-----BEGIN ', label, '-----\n', fill(64), '\n', fill(40), '==\n-----END ', label, '-----');

const TOKENS: readonly (readonly [kind: string, secret: string])[] = [
  ['private-key', pem('RSA PRIVATE KEY')],
  ['private-key', pem('OPENSSH PRIVATE KEY')],
  ['private-key', pem('PGP PRIVATE KEY BLOCK')],
  ['private-key', pem('PRIVATE KEY').replaceAll('\n', '\\n')],
  ['private-key', join('AGE-SECRET-', 'KEY-1', fill(58, LETTERS))],
  ['aws', join('AK', 'IA', fill(16, LETTERS))],
  ['aws', join('AS', 'IA', fill(16, LETTERS))],
  ['gcp', join('AI', 'za', fill(35))],
  ['gcp', join('GOC', 'SPX-', fill(28))],
  ['gcp', join('ya', '29.', fill(60))],
  ['azure', join(fill(3), '8', 'Q~', fill(34))],
  ['azure', join(fill(76), 'AZ', 'DO', fill(4))],
  ['github', join('gh', 'p_', fill(36))],
  ['github', join('gh', 's_', fill(36))],
  ['github', join('github', '_pat_', fill(22), '_', fill(59))],
  ['gitlab', join('gl', 'pat-', fill(20))],
  ['gitlab', join('gl', 'cbt-', fill(26))],
  ['bitbucket', join('AT', 'BB', fill(32))],
  ['atlassian', join('AT', 'ATT3', fill(180))],
  ['npm', join('np', 'm_', fill(36))],
  ['pypi', join('pypi-', 'AgEI', fill(80))],
  ['rubygems', join('ruby', 'gems_', fill(48, HEX))],
  ['crates', join('ci', 'o', fill(32))],
  ['docker', join('dckr', '_pat_', fill(27))],
  ['slack', join('xo', 'xb-', fill(12, '0123456789'), '-', fill(24))],
  ['slack', join('xa', 'pp-1-', fill(60))],
  ['discord', join('M', fill(25), '.', fill(6), '.', fill(38))],
  ['telegram', join('123456789', ':A', 'A', fill(33))],
  ['stripe', join('sk', '_live_', fill(24))],
  ['stripe', join('rk', '_test_', fill(24))],
  ['stripe', join('wh', 'sec_', fill(32))],
  ['shopify', join('shp', 'at_', fill(32, HEX))],
  ['anthropic', join('sk-', 'ant-api03-', fill(93), '-', fill(6))],
  ['openai', join('sk-', 'proj-', fill(60), '_', fill(20))],
  ['openai', join('sk', '-', fill(48))],
  ['openrouter', join('sk-', 'or-v1-', fill(64, HEX))],
  ['hugging-face', join('h', 'f_', fill(34))],
  ['groq', join('gs', 'k_', fill(52))],
  ['xai', join('xa', 'i-', fill(80))],
  ['replicate', join('r', '8_', fill(37))],
  ['sendgrid', join('S', 'G.', fill(22), '.', fill(43))],
  ['mailgun', join('ke', 'y-', fill(32, HEX))],
  ['mailchimp', join(fill(32, HEX), '-u', 's12')],
  ['twilio', join('S', 'K', fill(32, HEX))],
  ['digitalocean', join('do', 'p_v1_', fill(64, HEX))],
  ['databricks', join('da', 'pi', fill(32, HEX))],
  ['terraform', join(fill(14), '.atlas', 'v1.', fill(67))],
  ['vault', join('hv', 's.', fill(90))],
  ['linear', join('lin', '_api_', fill(40))],
  ['notion', join('nt', 'n_', fill(46))],
  ['figma', join('fi', 'gd_', fill(40))],
  ['postman', join('PM', 'AK-', fill(24, HEX), '-', fill(34, HEX))],
  ['new-relic', join('NR', 'AK-', fill(27, LETTERS))],
  ['grafana', join('gl', 'sa_', fill(32), '_', fill(8, HEX))],
  ['sentry', join('sn', 'trys_', fill(80))],
  ['doppler', join('dp.', 'pt.', fill(43))],
  ['supabase', join('sb', 'p_', fill(40, HEX))],
  ['jwt', join('ey', 'J', fill(30), '.ey', 'J', fill(60), '.', fill(43))],
];

describe('tokens', () => {
  test.each(TOKENS)('%s, wherever it stands', (kind, secret) => {
    const marker = `[redacted:${kind}]`;
    expect(redact(secret)).toBe(marker);
    expect(redact(`got ${secret}, then\nwent on`)).toBe(`got ${marker}, then\nwent on`);
    expect(redact(`{"value":"${secret}"}`)).toBe(`{"value":"${marker}"}`);
    expect(redact(`(${secret})`)).toBe(`(${marker})`);
  });

  test('a private key whose end was cut off takes the rest with it', () => {
    const [begin, ...body] = pem('EC PRIVATE KEY').split('\n');
    expect(redact(`before\n${begin}\n${body[0]}\n`)).toBe('before\n[redacted:private-key]');
  });

  test('a password in an address goes as a whole, whatever signs it has', () => {
    expect(redact('amqp://app:hunter2@Zq9@mq.internal:5672')).toBe(
      'amqp://app:[redacted:password]@mq.internal:5672',
    );
  });

  test('a public key and a certificate stay', () => {
    expect(redact(pem('PUBLIC KEY'))).toBe(pem('PUBLIC KEY'));
    expect(redact(pem('CERTIFICATE'))).toBe(pem('CERTIFICATE'));
  });
});

describe('places', () => {
  const secret = join('hunt', 'er2', '-Zq9');
  test.each([
    ['Authorization: Bearer @', 'authorization'],
    ['authorization: basic @', 'authorization'],
    [`curl -H 'Authorization: token @' https://x.test`, 'authorization'],
    ['{"Authorization":"Bearer @"}', 'authorization'],
    [`{\\"authorization\\":\\"Bearer @\\"}`, 'authorization'],
    ['postgres://app:@@db.internal:5432/app', 'password'],
    ['https://someone:@@example.com/x.git', 'password'],
    ['redis://:@@cache:6379', 'password'],
    ['curl -fsS -u admin:@ https://x.test', 'password'],
    ['sshpass -p @ ssh host', 'password'],
    ['machine x.test login me password @', 'password'],
    ['Authorization: @', 'secret'],
    ['aws_secret_access_key = @', 'secret'],
    ['DB_PASSWORD=@', 'secret'],
    ['db_password                 = @', 'secret'],
    ['db_password:                @', 'secret'],
    ['export GITHUB_TOKEN=@', 'secret'],
    ['AWS_SECRET_ACCESS_KEY="@" make', 'secret'],
    ["STRIPE_API_KEY='@'", 'secret'],
    ['PGPASSWORD=@ psql', 'secret'],
    ['MYSQL_PWD=@', 'secret'],
    ['docker run -e APP_SECRET=@ image', 'secret'],
    ['//registry.example.com/:_authToken=@', 'secret'],
    ['{"password": "@"}', 'secret'],
    ["insert into users (name, password) values ('a (b)', '@')", 'secret'],
    [
      "insert into users (name, password) values (lower('A, b'), digest(1)), ('c', md5('@'))",
      'secret',
    ],
    ['{"clientSecret":"@","other":1}', 'secret'],
    ['{\\"api_key\\": \\"@\\"}', 'secret'],
    ['  db:\n    password: @\n', 'secret'],
    ['api-key: @', 'secret'],
    ['X-Api-Key: @', 'secret'],
    ['spring.datasource.password=@', 'secret'],
    ['const apiKey = "@";', 'secret'],
    ['secret_key_base: @', 'secret'],
    [`config['token'] = '@'`, 'secret'],
    ['login --password @', 'secret'],
    ['login --password=@', 'secret'],
    ['deploy --api-token "@"', 'secret'],
    ['https://x.test/hook?access_token=@&page=2', 'secret'],
    ['PASSWORD_2=@', 'secret'],
    [':password => "@"', 'secret'],
  ])('%s', (template, kind) => {
    // The secret stands where the first @ after the place is; a second one belongs to a URL.
    const at = template.indexOf('@');
    const put = (it: string) => template.slice(0, at) + it + template.slice(at + 1);
    expect(redact(put(secret))).toBe(put(`[redacted:${kind}]`));
  });

  test.each([
    [
      join('https://', fill(12), 'abc1234567890@github.com/a/b'),
      'https://[redacted:token]@github.com/a/b',
    ],
    [`Cookie: session=${secret}; theme=dark`, 'Cookie: [redacted:cookie]'],
    [`set-cookie: id=${secret}; HttpOnly`, 'set-cookie: [redacted:cookie]'],
    [
      join('https://hooks.slack.com/', 'services/T0/B0/', fill(24)),
      'https://hooks.slack.com/services/[redacted:slack]',
    ],
    [`{"auth": "${fill(20)}=="}`, '{"auth": "[redacted:password]"}'],
    [
      'Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=0f',
      'Authorization: AWS4-HMAC-SHA256 [redacted:authorization]',
    ],
    [`AccountName=a;AccountKey=${fill(86)}==;`, 'AccountName=a;AccountKey=[redacted:azure];'],
    [`curl -H "bearer ${fill(40)}"`, 'curl -H "bearer [redacted:bearer]"'],
  ])('%s', (text, expected) => {
    expect(redact(text)).toBe(expected);
  });
});

const HARMLESS = `
commit 5ee569cd2f0a9d6a8c4b1f6a3e9c8d7b6a5f4e3d
index 8720e18..69d8af3 100644
b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9  hello.txt
"integrity": "sha512-pXYhJ2nXbGJm0Q5eJ0k3q9m0b3c8l0eYp1p4G2cQ8Jb8aYl4x3v1o1m8uP0o9QmU7uQ8yqf1D5Q==",
id: 123e4567-e89b-12d3-a456-426614174000
/usr/lib/node_modules/npm/bin/npm-cli.js
C:\\Users\\me\\AppData\\Local\\Temp\\x.txt
src/auth/token.ts:12:5 - error TS2304: Cannot find name 'token'.
src/password/reset.test.ts (12 tests) 340ms
 ✓ test/secrets.test.ts > rejects a wrong password (4 ms)
SyntaxError: Unexpected token: punctuation
SyntaxError: Unexpected token '}', "{"a":1,}" is not valid JSON
Error: Unexpected token: ident42 at line 3
  password: string;
  token?: string,
  secret: z.string().min(8),
  apiKey: process.env.API_KEY,
  password: faker.internet.password(),
  const token = await getToken2(user1);
  token = tokens[12]
  token: parser.current2,
DB_PASSWORD=$PASSWORD
DB_PASSWORD=\${DB_PASSWORD:-}
API_KEY={{ .Values.apiKey }}
GOOGLE_APPLICATION_CREDENTIALS=/home/me/keys/service-account.json
password: ********
Enter your password:
"password": "Enter your password"
max_tokens=4096 prompt_tokens: 1200
bypass: 42 tests, compass=north42
Basic functionality works; bearer of bad news arrives
Usage: login --password <password> --token TOKEN
  --token string   token to use
git clone https://github.com/owner/repo.git
git@github.com:owner/repo.git
ssh://git@github.com:22/owner/repo.git
https://user@example.com/path
http://localhost:3000/a@b:c
postgres://localhost:5432/app
12:34:56.789 INFO  GET /api/users?page=2&sort=name 200 12ms
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk
Tests  12 passed | 1 skipped (13)
at Object.<anonymous> (/repo/node_modules/jest-circus/build/utils.js:231:10)
sk-learn, task-1234567890, risk-free, desk-12345678901234567890123456789012
ghp_short npm_config_cache npm_lifecycle_event hf_hub_download
cache-key-d41d8cd98f00b204e9800998ecf8427e
Cookie: none
Authorization: Bearer $TOKEN
Authorization: Basic <credentials>
authorization: required for this route
"auth": "required", "auth": "bearerAndCookie"
secret scanning is enabled; the token expires: never
primary key: 42, foreign key: users.id, public_key: abc
PASSWORD= TOKEN="" SECRET=null
    --- PASS: TestTotals2/adds_up (0.00s)
const progressToken = _meta?.progressToken2;
const WORDS = { pass: 'passed', fail: 'failed' };
npm_config_very_long_name_of_a_setting_here npm_package_engines_of_the_node_runtime
postgres://ada:\${DB_PASS}@db/app mongodb://ada:<password>@db/app mysql://ada:****@db/app
vite v7.1.3 building for production... dist/assets/index-BxK3f9aQ.js 143.21 kB
`
  .trim()
  .split('\n');

test.each(HARMLESS)('leaves %j as it is', (line) => {
  expect(redact(line)).toBe(line);
});

describe('time', () => {
  const hints = [...BLOCKS, ...DETECTORS].flatMap(([, words]) => words);
  /** What walks text again from each of its letters needs minutes where this allows seconds. */
  const LIMIT_MS = 1500;
  const timeOf = (text: string) => cpuMs(() => redact(text));
  const repeated = (piece: string, size: number) => piece.repeat(Math.ceil(size / piece.length));

  test.each([...new Set(hints)])('grows with the text, not faster, around %j', (hint) => {
    const fillers = ['', 'a', '-', '.', ' ', ':'];
    for (const filler of fillers) {
      expect(timeOf(repeated(hint + filler, 60_000))).toBeLessThan(LIMIT_MS);
    }
    expect(timeOf(hint + repeated('a-', 60_000))).toBeLessThan(LIMIT_MS);
  });

  test.each([
    'password',
    'password=',
    'password:',
    'PASSWORD="',
    "token='",
    'token=\\"',
    '\\"token\\": \\"a',
    '--a-',
    '--token ',
    'api_key=a',
    'token="\\"',
    'https://a:',
    'https://',
    'a://b:c',
    'cookie: a',
    'authorization: bearer ',
    'curl -u a ',
    "insert into x (password) values ('a'),",
    "insert into x (password) values ('",
    "insert into x (password) values (f('a'),",
    'insert into x (password) values (a',
    'name: a_password value: ',
    'passphrase is "',
    'here is the key ',
    'login: aaa / ',
    'user: a pass ',
    'admin:',
    'it is aa1 ',
    'password for a ',
    'aa1 as ',
    'пароль ',
    'password? ö',
    'a,password\n',
    'password {a=b\n',
    'login("a", ',
    'secrets set a ',
    'net use a ',
    'user: a, password ',
    'USER a PASS ',
    'password, it was the ',
    '-----BEGIN PRIVATE KEY-----',
    'eyJaaaaaaaaa.',
    '\\',
    '"',
    ' ',
    'a',
    'aA1',
    '🔑',
  ])('of a megabyte of %j is no matter', (piece) => {
    expect(timeOf(repeated(piece, 1_000_000))).toBeLessThan(LIMIT_MS);
  });

  test.each(['password is', 'token es', 'recovery phrase is now', 'senha foi', 'use a1 as'])(
    'of white space behind %j is no matter',
    (words) => {
      for (const space of [' ', '\t'])
        expect(timeOf(words + repeated(space, 30_000))).toBeLessThan(LIMIT_MS);
    },
  );

  test('a text of many megabytes is redacted to its end, with or without lines', () => {
    const [, token = ''] = TOKENS.find(([kind]) => kind === 'github') ?? [];
    const lines = repeated('all is well\n', 9_000_000);
    expect(redact(`${lines}${token}\n${lines}${token}`)).toBe(
      `${lines}[redacted:github]\n${lines}[redacted:github]`,
    );
    expect(redact(token + repeated('a', 20_000_000))).not.toContain(token);
  });
});

describe('whatever the text', () => {
  const piece = fc.oneof(
    fc.constantFrom(...TOKENS.map(([, token]) => token)),
    fc.constantFrom(
      'PASSWORD=',
      'token: ',
      '"secret": "',
      '\\"apiKey\\":\\"',
      '--token ',
      'Bearer ',
      'https://u:',
      '@h',
      'Authorization: ',
      'Cookie: a=',
      '"',
      "'",
      '\\',
      '\n',
      ' ',
      ';',
      '[redacted:aws]',
      '[redacted:',
      ']',
      'x9!Zq2',
    ),
    fc.string({ maxLength: 12 }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

  test('what stands for a secret behind the beginning of a colour code is not taken for its end', () => {
    const once = redact('password: \u001bghp_16C7e42F292c6912E7710c838347Ae178B4a here');
    expect(once).toBe('password: \u001b[redacted:github] here');
    expect(redact(once)).toBe(once);
  });

  test('redacting twice is redacting once', () => {
    fc.assert(
      fc.property(text, (it) => redact(redact(it)) === redact(it)),
      { numRuns: 500 },
    );
  });

  test('no token that stands free survives', () => {
    const free = fc.tuple(
      fc.string(),
      fc.constantFrom(...TOKENS.map(([, token]) => token)),
      fc.string(),
    );
    fc.assert(
      fc.property(
        free,
        ([before, token, after]) => !redact(`${before}\n${token}\n${after}`).includes(token),
      ),
    );
  });
});

test('a text is not cut within a secret', () => {
  const secret = join('gh', 'p_', fill(36));
  const title = `${'word '.repeat(797)}${secret} more`;
  expect(title.slice(0, 4_000)).toContain(secret.slice(0, 10));
  expect(storableTitle(title)).toBe('word '.repeat(797).trim());
  expect([beginning('one two', 5), beginning('one two', 7), beginning('onetwo', 3)]).toEqual([
    'one',
    'one two',
    '',
  ]);
});
