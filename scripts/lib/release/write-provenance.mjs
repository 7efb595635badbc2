// An in-toto statement of how the files of SHA256SUMS came to be (https://slsa.dev/provenance/v1). It has no times: the same commit
// gives the same statement.
// usage: node scripts/lib/release/write-provenance.mjs SHA256SUMS      (to standard output)

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const [sums] = process.argv.slice(2);
const { VERSION, COMMIT, SOURCE_DATE_EPOCH, PLATFORM } = process.env;
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
const pin = JSON.parse(readFileSync('deploy/packages/node.json', 'utf8'));
const file = (name) => ({ uri: `file:${name}`, digest: { sha256: sha256(name) } });

const subject = readFileSync(sums, 'utf8')
  .trim()
  .split('\n')
  .map((line) => ({ name: line.slice(66), digest: { sha256: line.slice(0, 64) } }));
const statement = {
  _type: 'https://in-toto.io/Statement/v1',
  subject,
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'urn:faultline:scripts/release/1',
      externalParameters: { version: VERSION, platform: PLATFORM },
      internalParameters: {
        sourceDateEpoch: Number(SOURCE_DATE_EPOCH),
        slsaBuildLevel: 1,
        slsaBuildLevelNote:
          'Made by scripts/release on a machine of the publisher, which also signs this statement: level 1. What is claimed can be checked by making it again; the bytes are the same.',
      },
      resolvedDependencies: [
        { name: 'source', uri: 'pkg:generic/faultline', digest: { gitCommit: COMMIT } },
        { name: 'npm packages', ...file('package-lock.json') },
        { name: 'packages of the image', ...file('deploy/image/base.json') },
        { name: 'nfpm', ...file('deploy/packages/nfpm/go.sum') },
        {
          name: 'node',
          uri: `pkg:npm/node-${PLATFORM}@${pin.version}`,
          digest: { sha256: pin[PLATFORM].sha256 },
          annotations: { file: 'bin/node' },
        },
      ],
    },
    runDetails: { builder: { id: 'urn:faultline:publisher' } },
  },
};
process.stdout.write(`${JSON.stringify(statement, null, 2)}\n`);
