// Secrets: read from files and variables, and never shown again by anything.

import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { test } from 'node:test';
import { printConfig, redactedConfig } from '../../src/config/print-config.ts';
import { configSchema } from '../../src/daemon/config.ts';
import { complaints, load, secretFile } from './helpers.ts';

const SECRET = 'correct-horse-battery';

test('community and keys come from files, without the line end', async () => {
  const [community, auth, priv] = [
    secretFile(`${SECRET}\n`),
    secretFile(`${SECRET}-auth`),
    secretFile(`${SECRET}-priv\r\n`),
  ];
  const { config, warnings } = await load(
    `sources:\n  pdu:\n    - {name: a, host: h, community_file: ${community}}\n    - {name: b, host: h, version: 3, user: {name: u, auth_key_file: ${auth}, priv_key_file: ${priv}}}`,
  );
  assert.deepEqual(warnings, []);
  assert.equal(config.sources.pdu[0]?.community, SECRET);
  assert.deepEqual(config.sources.pdu[1]?.user, {
    name: 'u',
    level: 'authPriv',
    authProtocol: 'sha256',
    authKey: `${SECRET}-auth`,
    privProtocol: 'aes',
    privKey: `${SECRET}-priv`,
  });
});

test('a file that everybody can read is reported, with the line that fixes it', async () => {
  const path = secretFile(SECRET, 0o644);
  const { warnings } = await load(`sources: {pdu: [{name: a, host: h, community_file: ${path}}]}`);
  assert.deepEqual(warnings, [
    `faultline.yaml:1:52: sources.pdu[0].community_file names ${path}, which everybody can read. Run: chmod 600 ${path} [FL1111]`,
  ]);
});

test('a file that everybody can write is refused: whoever does decides where messages go', async () => {
  const path = secretFile(SECRET);
  chmodSync(path, 0o666); // whatever the umask is
  const [complaint = ''] = await complaints(`sources: {pdu: [{name: a, host: h, community_file: ${path}}]}`);
  assert.match(complaint, /which everybody can write. Run: chmod 600 /);
  assert.ok(!complaint.includes(SECRET));
});

test('what is printed shows no secret, whichever way it came', async () => {
  const path = secretFile(SECRET);
  const loaded = await load(
    `sources: {pdu: [{name: a, host: h, community: "\${C}"}, {name: b, host: h, community_file: ${path}}, {name: c, host: h, community: "\${D:-${SECRET}}"}]}`,
    { C: SECRET },
  );
  for (const text of [printConfig(loaded, configSchema), JSON.stringify(redactedConfig(loaded, configSchema))]) {
    assert.ok(!text.includes(SECRET));
    assert.ok(text.includes(path));
    assert.ok(text.includes('(redacted)'));
  }
});

test('no message quotes a secret', async () => {
  const short = secretFile('hunter2');
  const two = secretFile(`${SECRET}\nline two`);
  const texts = [
    `sources: {pdu: [{name: a, host: h, community: ${SECRET}}]}`,
    `sources: {pdu: [{name: a, host: h, community: [${SECRET}]}]}`,
    `sources: {pdu: [{name: a, host: h, community: "\${S}", version: 3}]}`,
    `sources: {pdu: [{name: a, host: h, version: "\${S}"}]}`,
    `sources: {pdu: [{name: a, host: h, community_file: ${two}}]}`,
    `sources: {pdu: [{name: a, host: h, version: 3, user: {name: u, level: authNoPriv, auth_key_file: ${short}}}]}`,
  ];
  for (const text of texts) {
    const lines = await complaints(text, { S: SECRET });
    assert.notDeepEqual(lines, []);
    for (const line of lines) assert.ok(!line.includes(SECRET) && !line.includes('hunter2'), line);
  }
});

test('a secret that is written out is reported with whatever else is wrong, and not shown', async () => {
  const text = `sources:\n  pdu:\n    - {name: a, host: h, community: ${SECRET}, interval: soon}\n    - {name: b, host: h, community: public}\n    - {name: c, host: h, community: "\${C}"}\notlp: {headers: "authorization=${SECRET}"}\n`;
  const reported = await complaints(text, { C: SECRET });
  assert.deepEqual(
    reported.map((line) => /^faultline\.yaml:(\d+:\d+): (\S+) .*\[(FL\d{4})\]$/.exec(line)?.slice(1)),
    [
      ['3:37', 'sources.pdu[0].community', 'FL1109'],
      ['3:70', 'sources.pdu[0].interval', 'FL1106'],
      ['6:17', 'otlp.headers', 'FL1109'],
    ],
  );
  assert.ok(!reported.join().includes(SECRET));
});
