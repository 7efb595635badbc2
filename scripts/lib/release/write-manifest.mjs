// What a release says of itself within its tree: package.json with its version, build.json with its commit, LICENSES.
// usage: node scripts/lib/release/write-manifest.mjs STAGE BUNDLED_PACKAGES NODE_LICENSE

import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [stage, bundled, nodeLicence] = process.argv.slice(2);
const { VERSION, COMMIT, SOURCE_DATE_EPOCH, PLATFORM } = process.env;
const json = (name, value) => writeFileSync(join(stage, name), `${JSON.stringify(value, null, 2)}\n`);

const { name, description, license, type, engines, imports } = JSON.parse(readFileSync('package.json', 'utf8'));
json('package.json', { name, version: VERSION, description, license, private: true, type, engines, imports });
// What `faultline version` holds an installation to: files of two releases mixed are half an upgrade.
const parts = ['bin/node', 'lib', 'dist'].flatMap((part) => filesBelow(part));
json('build.json', {
  commit: COMMIT,
  date: new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString(),
  platform: PLATFORM,
  files: Object.fromEntries(parts.sort().map((file) => [file, sha256(readFileSync(join(stage, file)))])),
});

function filesBelow(part) {
  const path = join(stage, part);
  return statSync(path).isFile() ? [part] : readdirSync(path).map((file) => `${part}/${file}`);
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex');
}

const licences = join(stage, 'LICENSES');
mkdirSync(licences);
copyFileSync(nodeLicence, join(licences, 'node.txt'));
const seen = new Set();
for (const { name: of, version, license: short, folder, files } of JSON.parse(readFileSync(bundled, 'utf8'))) {
  const file = `${of.replace('/', '+')}.txt`;
  // Two versions of one package have one licence.
  if (seen.has(file)) continue;
  seen.add(file);
  const texts = files.map((each) => readFileSync(join(folder, each), 'utf8'));
  // Some packages name their licence and bring no text of it.
  writeFileSync(join(licences, file), [`${of} ${version}: ${short}\n`, ...texts].join('\n'));
}
writeFileSync(
  join(licences, 'README.txt'),
  `What is in this release that others wrote, and its licence.

node.txt      Node.js, bin/node, with all that is in it (V8, OpenSSL, zlib and others)
*.txt         npm packages in the bundle, dist/
libstdc++     parts of GCC's C++ library and of libgcc are in lib/, under GPL-3.0 with the GCC Runtime Library Exception 3.1
node-addon-api, node-api-headers   headers, compiled into lib/faultline.node, MIT
`,
);
