// What a release says and signs of itself: sums, provenance and signatures by the tools of others, and what they refuse.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { installationRoot } from '../../src/native.ts';

const root = installationRoot();
const work = mkdtempSync(join(tmpdir(), 'fl release '));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));
const out = join(work, 'out');
const key = join(work, 'key.pem');
const FILE = 'faultline-1.2.3-linux-x64.tar.gz';

function run(command: string, ...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: out });
  if (error) throw error;
  return { status, said: stdout + stderr };
}

function release(env: Readonly<Record<string, string>>, ...args: string[]): { status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync(join(root, 'scripts/release'), args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
  return { status, said: stdout + stderr };
}

const PUBLISH = ['1.2.3', '--out', out, '--allow-changes', '--steps', 'checksums,provenance,signatures'];
const skip = existsSync(join(root, '.git')) ? false : 'a release is made of a git checkout';

describe('a signed release', { skip }, () => {
  before(() => {
    const { privateKey } = generateKeyPairSync('ed25519');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    spawnSync('mkdir', [out]);
    writeFileSync(join(out, FILE), 'a tarball');
    const { status, said } = release({ FAULTLINE_SIGNING_KEY: key }, ...PUBLISH);
    assert.equal(status, 0, said);
  });

  const openssl = () =>
    run(
      'openssl',
      ...'pkeyutl -verify -pubin -rawin -inkey faultline-release.pub.pem -in SHA256SUMS'.split(' '),
      '-sigfile',
      'SHA256SUMS.sig',
    );

  test('its sums are those of sha256sum, its signature that of openssl', () => {
    assert.match(run('sha256sum', '--check', 'SHA256SUMS').said, new RegExp(`^${FILE}: OK\n$`));
    assert.match(openssl().said, /Signature Verified Successfully/);
  });

  const minisign = spawnSync('minisign', ['-v']).error ? 'needs minisign: apt-get install minisign' : false;
  test('minisign verifies it, with the version in the trusted comment', { skip: minisign }, () => {
    const { status, said } = run('minisign', '-V', '-p', 'faultline-release.pub', '-m', 'SHA256SUMS');
    assert.equal(status, 0, said);
    assert.match(said, /Trusted comment: faultline 1\.2\.3, commit of 20/);
  });

  test('its provenance is a signed statement of the same files, which says its own level', () => {
    const envelope = JSON.parse(readFileSync(join(out, 'faultline-1.2.3.intoto.jsonl'), 'utf8'));
    const payload = Buffer.from(envelope.payload, 'base64');
    const type: string = envelope.payloadType;
    writeFileSync(
      join(work, 'pae'),
      Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]),
    );
    writeFileSync(join(work, 'sig'), Buffer.from(envelope.signatures[0].sig, 'base64'));
    const words = ['pkeyutl', '-verify', '-pubin', '-rawin', '-inkey', 'faultline-release.pub.pem'];
    assert.equal(run('openssl', ...words, '-in', join(work, 'pae'), '-sigfile', join(work, 'sig')).status, 0);
    const statement = JSON.parse(payload.toString());
    const sum = readFileSync(join(out, 'SHA256SUMS'), 'utf8').slice(0, 64);
    assert.deepEqual(statement.subject, [{ name: FILE, digest: { sha256: sum } }]);
    assert.equal(statement.predicate.buildDefinition.internalParameters.slsaBuildLevel, 1);
    assert.equal(
      existsSync(join(out, 'faultline-1.2.3.intoto.json')),
      false,
      'the statement without a signature stays',
    );
  });

  test('the same again gives the same bytes', () => {
    const names = ['SHA256SUMS', 'SHA256SUMS.sig', 'SHA256SUMS.minisig', 'faultline-1.2.3.intoto.jsonl'];
    const read = () => names.map((name) => readFileSync(join(out, name), 'base64'));
    const first = read();
    assert.equal(release({ FAULTLINE_SIGNING_KEY: key, TZ: 'Asia/Tokyo' }, ...PUBLISH).status, 0);
    assert.deepEqual(read(), first);
  });

  test('a file that was changed fails by its sum, a sum that was changed by the signature', () => {
    writeFileSync(join(out, FILE), 'another tarball');
    assert.equal(run('sha256sum', '--check', '--status', 'SHA256SUMS').status, 1);
    const sums = readFileSync(join(out, 'SHA256SUMS'), 'utf8');
    const flipped = (sums[0] === '0' ? '1' : '0') + sums.slice(1);
    writeFileSync(join(out, 'SHA256SUMS'), flipped);
    assert.notEqual(openssl().status, 0);
    if (minisign === false)
      assert.notEqual(run('minisign', '-V', '-p', 'faultline-release.pub', '-m', 'SHA256SUMS').status, 0);
    writeFileSync(join(out, 'SHA256SUMS'), sums);
  });

  test('a key that others may read signs nothing', () => {
    chmodSync(key, 0o644);
    const { status, said } = release({ FAULTLINE_SIGNING_KEY: key }, ...PUBLISH);
    chmodSync(key, 0o600);
    assert.equal(status, 1);
    assert.match(said, /others may read the signing key: chmod 600 /);
  });
});

test('a version, a step or an option that is none is wrong usage, before anything is made', { skip }, () => {
  for (const [words, expected] of [
    [[], /a release needs a version/],
    [['1.2'], /1\.2 is not a version: write 1\.4\.0/],
    [['v1.2.3'], /v1\.2\.3 is not a version/],
    [['1.2.3', '--steps', 'tarbal'], /there is no step tarbal: node native/],
    [['1.2.3', '--sign'], /--sign is not known/],
    [['1.2.3', '--out'], /--out needs a value/],
  ] as const) {
    const { status, said } = release({}, ...words);
    assert.equal(status, 2, said);
    assert.match(said, expected);
  }
});
