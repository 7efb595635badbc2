// The bill of materials of a release, CycloneDX 1.6, without the serial number and the clock that would make each run another one.
// usage: node scripts/lib/release/write-sbom.mjs WORK COMPILER_VERSION      (to standard output)

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const [work, compiler] = process.argv.slice(2);
const { VERSION, COMMIT, SOURCE_DATE_EPOCH, PLATFORM } = process.env;
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));
const lock = json('package-lock.json').packages;
const pin = json('deploy/packages/node.json');

const license = (id) => (id === undefined ? {} : { licenses: [{ license: { id } }] });
const npmPurl = (name, version) => `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;
const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
/** "sha512-<base64>" of a lock file as CycloneDX has it. */
function hashes(integrity) {
  const [, sum] = /^sha512-(.+)$/.exec(integrity ?? '') ?? [];
  return sum === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] };
}

function component(type, name, version, purl, more = {}) {
  return { type, 'bom-ref': purl, name, version, purl, ...more };
}

function npmComponent({ name, version, license: short, folder }) {
  const { integrity } = lock[folder] ?? {};
  return component('library', name, version, npmPurl(name, version), { ...license(short), ...hashes(integrity) });
}

/** What Node has linked in, as it names it itself: what a scanner for known holes looks for. */
function insideNode() {
  const node = join(work, 'node/node');
  const versions = JSON.parse(execFileSync(node, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' }));
  const data = ['node', 'modules', 'napi', 'cldr', 'tz', 'unicode'];
  return Object.entries(versions)
    .filter(([name, version]) => !data.includes(name) && version !== '')
    .map(([name, version]) =>
      component('library', name, version, `pkg:generic/${name}@${encodeURIComponent(version)}`),
    );
}

function nodeComponent() {
  const packed = `node-${PLATFORM}`;
  return component('platform', 'node', pin.version, `pkg:generic/node@${pin.version}`, {
    ...license('MIT'),
    hashes: [{ alg: 'SHA-256', content: sha256(join(work, 'node/node')) }],
    components: insideNode(),
    pedigree: {
      ancestors: [
        component('file', packed, pin.version, npmPurl(packed, pin.version), hashes(pin[PLATFORM].integrity)),
      ],
      notes: 'bin/node of that package, without its symbols',
    },
  });
}

const bundled = json(join(work, 'bundle/bundled-packages.json'));
const headers = ['node-addon-api', 'node-api-headers'].map((name) => {
  const folder = `node_modules/${name}`;
  return npmComponent({ folder, ...json(`${folder}/package.json`) });
});
const compiled = ['libstdc++', 'libgcc'].map((name) =>
  component('library', name, compiler, `pkg:generic/${encodeURIComponent(name)}@${compiler}`, {
    licenses: [{ expression: 'GPL-3.0-or-later WITH GCC-exception-3.1' }],
    description: 'parts of it are linked into the native parts',
  }),
);
const base = Object.entries(json('deploy/image/base.json')[PLATFORM] ?? {}).map(([name, { version, sha256 }]) =>
  component(
    'library',
    name,
    version,
    `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=debian-12`,
    {
      hashes: [{ alg: 'SHA-256', content: sha256 }],
      description: 'in the image alone',
    },
  ),
);
const seen = new Set();
const components = [nodeComponent(), ...bundled.map(npmComponent), ...headers, ...compiled, ...base].filter(
  ({ purl }) => !seen.has(purl) && seen.add(purl),
);
const ref = `pkg:generic/faultline@${VERSION}`;
const document = {
  $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: {
    timestamp: new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString(),
    component: component('application', 'faultline', VERSION, ref, {
      ...license('Apache-2.0'),
      properties: [
        { name: 'faultline:commit', value: COMMIT },
        { name: 'faultline:platform', value: PLATFORM },
      ],
    }),
  },
  components,
  dependencies: [{ ref, dependsOn: components.map(({ purl }) => purl) }],
};
process.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
