import { describe, expect, test } from 'vitest';
import { redact } from '../../../src/base/text/redact/redact.ts';
import { corpus } from '../../support/recall-corpus.ts';

/** Put together, so that no scanner takes one for real. */
const SECRETS = [
  ['kQ7v', 'Lm2pX9'],
  ['hunter2', '!Zq'],
  ['correct-', 'horse-9'],
].map((parts) => parts.join(''));
const WORD = ['sword', 'fish'].join('');

describe('what a sentence announces', () => {
  test.each([
    'the password is @',
    'The staging password is: @',
    'the password for the staging broker is @, ask ops',
    'admin and password: @',
    'my pw is @',
    'pw = @',
    'here is the token @',
    'use password @ for the broker',
    'the api key for billing is @',
    'Passwort ist @',
    'Das Kennwort für staging lautet @.',
    'le mot de passe est @',
    'Le jeton est @',
    'la contraseña es @',
    'la clave de la API es @',
    '密码是 @',
    '令牌: @',
    'パスワードは @ です',
    'トークンは「@」です',
  ])('%s', (sentence) => {
    const expected = sentence.replace('@', '[redacted:secret]');
    for (const secret of SECRETS) expect(redact(sentence.replace('@', secret))).toBe(expected);
  });

  test.each(['the password is @', 'Passwort ist @.', 'la contraseña es @', '密码是@'])(
    'a plain word: %s',
    (sentence) => {
      expect(redact(sentence.replace('@', WORD))).not.toContain(WORD);
    },
  );

  test.each([
    'the password is wrong',
    'the password is required.',
    'the token is expired',
    'Unexpected token: }',
    'the password is hashed with argon2id',
    'password is sha256',
    'the access token is valid for 3600s',
    'the password for admin is in the vault',
    'the next token is 12',
    'max tokens is 4096',
    'const password = readPassword()',
    'the api key is read from process.env.API_KEY',
    'pwd is /home/me/project',
    'GPIO pin is D4',
    'We pin node22 in CI',
    "Do not take it for the length of the passphrase, but the passphrase's length.",
    'passwords are normalized according to RFC7613.',
    'Explicitly pass force_zip64 to the writer',
    'Pin urllib3 to 1.26.x',
    'pin to `requests<2.28`',
    'Das Passwort ist falsch.',
    'Das Token ist abgelaufen',
    'le mot de passe est vide',
    'la contraseña es obligatoria',
    '密码是错误的',
    'パスワードが間違っています',
    'API_KEY=your-api-key-here',
    'PASSWORD=changeme',
  ])('nothing in: %s', (sentence) => {
    expect(redact(sentence)).toBe(sentence);
  });
});

describe('within or around a secret', () => {
  const secret = ['gr', 'een', 'tea9'];
  const whole = secret.join('');
  test.each([
    [
      'colour codes',
      `\x1b[32mpassword:\x1b[0m \x1b[1m${whole}\x1b[0m`,
      '\x1b[32mpassword:\x1b[0m \x1b[1m@\x1b[0m',
    ],
    ['a colour code in it', `password: ${secret.join('\x1b[0m')}`, 'password: @'],
    ['an entity', `<p>password: ${secret.join('&amp;')}</p>`, '<p>password: @</p>'],
    [
      'entities for quotes',
      `value=&quot;x&quot; password=&quot;${whole}&quot;`,
      'value=&quot;x&quot; password=&quot;@&quot;',
    ],
    ['a space that does not break', `password:\u00a0${whole}`, 'password:\u00a0@'],
    ['a sign without a width', `password: ${secret.join('\u200b')}`, 'password: @'],
    ['fullwidth signs', `密码\uff1a${whole}`, '密码\uff1a@'],
    ['bold type', `**Password:** ${whole}`, '**Password:** @'],
    [
      'a block of YAML',
      `db:\n  password: |\n    ${whole}\n  port: 1`,
      'db:\n  password: |\n    @\n  port: 1',
    ],
    ['an encoded form', `password%3D${whole}`, 'password%3D@'],
  ])('%s', (_, text, expected) => {
    expect(redact(text)).toBe(expected.replace('@', '[redacted:secret]'));
  });

  test('a sign of a font for terminals stays, and is no sign for something removed', () => {
    const prompt = '\ue0b0 main \uf8ff password is required';
    expect(redact(prompt)).toBe(prompt);
    expect(redact(`\ue0b0 password: ${whole}`)).toBe('\ue0b0 password: [redacted:secret]');
  });
});

describe('what programs are told', () => {
  test.each([
    'mysql -u app -p@ db',
    'redis-cli -h cache -a @ ping',
    'docker login -u me -p @ registry.test',
    'openssl rsa -passin pass:@ -in key.pem',
    'echo @ | docker login -u me --password-stdin',
    `create user app identified by '@'`,
    'db.test:5432:app:svc:@',
    '*:*:app:svc:@',
  ])('%s', (line) => {
    for (const secret of SECRETS) expect(redact(line.replace('@', secret))).not.toContain(secret);
  });

  test.each([
    'mysql -u app -p db',
    'docker run -p 8080:80 app',
    'echo "$TOKEN" | docker login -u me --password-stdin',
    'src/a.ts:12:5:error:unused',
    '00:11:22:33:44:55',
  ])('nothing in: %s', (line) => {
    expect(redact(line)).toBe(line);
  });
});

describe.each([
  ['secrets', 'harmless'],
  ['secrets-second', 'harmless-second'],
  ['secrets-third', 'harmless-third'],
  ['secrets-fourth', 'harmless-fourth'],
  ['secrets-fifth', 'harmless-fifth'],
  ['secrets-sixth', 'harmless-sixth'],
  ['secrets-seventh', 'harmless-seventh'],
] as const)('of labelled lines in %s and %s', (secrets, harmless) => {
  test('all secrets go', () => {
    expect(corpus(secrets).filter(({ text, secret }) => redact(text).includes(secret))).toEqual([]);
  });

  test('all that is harmless stays', () => {
    expect(corpus(harmless).filter(({ text }) => redact(text) !== text)).toEqual([]);
  });
});
