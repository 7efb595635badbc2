// The api section: what it comes to, and everything that is missing or wrong, with its line and what to write.

import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { digestOf } from '../../src/config/token-digest.ts';
import { checkConfig } from '../../src/daemon/config.ts';
import { certificate } from '../sinks/certificate.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'fl-api-config-'));
after(() => rmSync(FOLDER, { recursive: true, force: true }));
const surroundings = { environment: {}, uid: 0, home: '/root', hostname: 'node-3' };
const TLS = 'certificate_file: server.pem, key_file: server.key';

function check(api: string) {
  return checkConfig(`api: {${api}}\n`, join(FOLDER, 'faultline.yaml'), surroundings);
}

describe('the api section', () => {
  before(() => {
    certificate(FOLDER, 'server');
    certificate(FOLDER, 'other');
    const token = (name: string, text: string) => {
      writeFileSync(join(FOLDER, name), text);
      chmodSync(join(FOLDER, name), 0o600);
    };
    token('read', `${'r'.repeat(32)}\n`);
    token('write', `${'w'.repeat(32)}\n`);
    token('short', 'short');
    copyFileSync(join(FOLDER, 'read'), join(FOLDER, 'open'));
    chmodSync(join(FOLDER, 'open'), 0o644);
    writeFileSync(join(FOLDER, 'noise.pem'), 'no certificate');
  });

  test('is off when left out', async () => {
    const { config } = await check('');
    assert.deepEqual(config.api, { tcp: null, writeGroup: null });
  });

  test('a port alone is on loopback, and of tokens only digests are kept', async () => {
    const { config, raw } = await check(`listen: ":9466", ${TLS}, read_token_file: read, write_token_file: write`);
    assert.deepEqual(config.api.tcp?.listen, { host: '127.0.0.1', port: 9466 });
    assert.equal(config.api.tcp?.readDigest, digestOf('r'.repeat(32)));
    assert.ok(!JSON.stringify([config, raw]).includes('rrrr'));
  });

  const wrong: readonly [string, RegExp][] = [
    [`listen: 127.0.0.1:9466`, /:1:15.*needs read_token_file, write_token_file or client_ca_file.*\[FL1110\]/],
    [`listen: 127.0.0.1:9466, read_token_file: read`, /needs certificate_file and key_file.*\[FL1110\]/],
    [`listen: 127.0.0.1:9466, read_token_file: read, certificate_file: server.pem`, /needs key_file: .*\[FL1110\]/],
    [`listen: host.example:9466, ${TLS}, read_token_file: read`, /must be an IP address.*\[FL1106\]/],
    [`listen: 127.0.0.1:0, ${TLS}, read_token_file: read`, /FL1106/],
    [`listen: none, ${TLS}, read_token_file: read`, /FL1106|an address and a port/],
    [`read_token_file: read`, /needs api.listen.*\[FL1110\]/],
    [`listen: ":9466", ${TLS}, read_token_file: missing`, /does not exist.*\[FL1109\]/],
    [`listen: ":9466", ${TLS}, read_token_file: short`, /16 to 512 characters.*openssl rand.*\[FL1109\]/],
    [`listen: ":9466", ${TLS}, read_token_file: read, write_token_file: read`, /another token.*\[FL1109\]/],
    [`listen: ":9466", ${TLS}, read_token_file: read, writers: [ops]`, /needs client_ca_file.*\[FL1110\]/],
    [`listen: ":9466", certificate_file: server.pem, key_file: other.key, read_token_file: read`, /key of another.*\[FL1109\]/],
    [`listen: ":9466", certificate_file: noise.pem, key_file: server.key, read_token_file: read`, /PEM.*\[FL1109\]/],
    [`listen: ":9466", certificate_file: none.pem, key_file: server.key, read_token_file: read`, /cannot be read.*\[FL1109\]/],
    [`listen: ":9466", ${TLS}, client_ca_file: noise.pem`, /PEM.*\[FL1109\]/],
    [`listn: ":9466"`, /listen/],
  ]; // biome-ignore format: a table
  for (const [text, message] of wrong) {
    test(`refuses ${text}`, async () => {
      await assert.rejects(check(text), (error: Error) => {
        assert.match(error.message, message);
        assert.match(error.message, /faultline\.yaml:1:\d+/);
        return true;
      });
    });
  }

  test('warns of a token that everybody can read, and of a certificate that ends soon', async () => {
    const { warnings } = await check(`listen: ":9466", ${TLS}, read_token_file: open`);
    assert.match(warnings.join('\n'), /everybody can read/);
    assert.match(warnings.join('\n'), /certificate that ends on/);
  });
});
