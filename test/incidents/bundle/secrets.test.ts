import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Cleaner } from '../../../src/incidents/bundle/cleaner.ts';
import { Names } from '../../../src/incidents/bundle/names.ts';
import { isSecretName, withoutSecrets } from '../../../src/incidents/bundle/secrets.ts';

const SECRET = 'Zx9secretZx9';
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.Zx9secretZx9';

const FORMS = [
  `DB_PASSWORD=${SECRET}`,
  `password: "${SECRET} with spaces"`,
  `{"apiKey":"${SECRET}","a":1}`,
  `--api-key ${SECRET} --next`,
  `--token=${SECRET}`,
  `curl -u bob:${SECRET} http://x`,
  `Authorization: Bearer ${SECRET}`,
  `authorization: Basic ${SECRET}`,
  `sshpass -p ${SECRET} ssh x`,
  `postgres bob:${SECRET}@db.local`,
  `https://bob:${SECRET}@h/x`,
  `https://h/x?token=${SECRET}&a=1`,
  `community=${SECRET}`,
  `AWS_SECRET_ACCESS_KEY = '${SECRET}'`,
  `https://hooks.slack.com/services/T0/B0/${SECRET}`,
  `https://api.telegram.org/bot123:${SECRET}/send`,
  `ghp_${SECRET}${SECRET}`,
  `hf_${SECRET}${SECRET}`,
  JWT,
  `-----BEGIN RSA PRIVATE KEY-----\nabc\n${SECRET}\n-----END RSA PRIVATE KEY-----`,
  `-----BEGIN OPENSSH PRIVATE KEY-----\n${SECRET}`,
];

for (const form of FORMS) {
  test(`taken out: ${form.slice(0, 40)}`, () => {
    const left = withoutSecrets(`before ${form}\nafter`);
    assert.ok(!left.includes(SECRET), left);
    assert.match(left, /^before /);
  });
}

const HARMLESS = [
  'NVRM: Xid (PCI:0000:9b:00): 79, pid=12, name=python, GPU has fallen off the bus.',
  'tokens: 4096 token_count=5 tokens_per_second=300 consumed_tokens=1',
  'tokenizer: bpe, step time 12:30:45 pass 3, key: value',
  'secret_file: /etc/faultline/secret',
  'pcieport 0000:00:1c.0: AER: Corrected error message received from 0000:01:00.0',
  'mlx5_core 0000:c1:00.0: mlx5_cmd_out_err:835:(pid 1234): ACCESS_REG(0x805) op_mod(0x1) failed, status bad parameter(0x3)',
  '[rank3]: NCCL WARN Timeout waiting for peer 10.0.0.1<29500>',
];

test('what only looks like one stays', () => {
  for (const line of HARMLESS) assert.equal(withoutSecrets(line), line);
});

test('names of secrets', () => {
  for (const name of ['password', 'dbPassword', 'API_KEY', 'snmp-community', 'secret', 'accessKey'])
    assert.ok(isSecretName(name), name);
  for (const name of ['tokens', 'token_count', 'secret_file', 'key', 'trace_id', 'component'])
    assert.ok(!isSecretName(name), name);
});

test('in a document: by name, by value of the configuration, in keys; the shape stays', () => {
  const cleaner = new Cleaner(['of-the-configuration', 'short'], null);
  const value = { password: 'x', list: [{ text: 'has of-the-configuration in it' }], n: 1, none: null, short: 'short' };
  assert.deepEqual(cleaner.value(value), {
    password: '(redacted)',
    list: [{ text: 'has (redacted) in it' }],
    n: 1,
    none: null,
    short: 'short',
  });
  assert.equal(cleaner.removed, 2);
});

test('any text: no throw, JSON stays JSON, and twice is the same as once', () => {
  const cleaner = new Cleaner([], new Names());
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, text) => {
      JSON.parse(JSON.stringify(cleaner.value(value)));
      const once = withoutSecrets(text);
      assert.equal(withoutSecrets(once), once);
    }),
    { seed: 11, numRuns: 300 },
  );
});

test('names: whole words only, neighbours and lists of a row too, devices and versions stay', () => {
  const names = new Names();
  names.host('node-3.example.com');
  names.host('gpu12');
  names.user('alice');
  names.user('root');
  names.learnFrom('/home/bobby/train.py by eve@other.example.com');
  const text =
    'psu/node-3/1 node-3.example.com node-30 NODE-3 node-[1-4,9] gpu12 gpu0 /home/bobby alice malice root eve@other.example.com 10.1.2.3 10.1.2.3 127.0.0.1 550.54.15 0000:9b:00.0 0c:42:a1:00:00:01';
  assert.equal(
    names.replace(text),
    'psu/host-1/1 host-1 host-3 host-1 host-[…] host-2 gpu0 /home/user-2 user-1 malice root user-3@host address-1 address-1 127.0.0.1 550.54.15 0000:9b:00.0 address-2',
  );
});
