// Which npm packages the bundle holds, with their licences: what a release says of itself (SBOM, LICENSES) is read from here.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of the bundle's sources → folders of the packages that they are of, each once, sorted. */
export function packagesOf(inputs) {
  const folders = inputs.flatMap((path) => path.match(/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** build/bundled-packages.json: name, version, licence and licence files of each. */
export function writeBundledPackages(inputs) {
  const packages = packagesOf(inputs).map((folder) => {
    const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)\b/i.test(file));
    const source = typeof repository === 'string' ? repository : repository?.url;
    return { name, version, license, source, folder, files: files.sort() };
  });
  mkdirSync('build', { recursive: true });
  writeFileSync('build/bundled-packages.json', `${JSON.stringify(packages, null, 2)}\n`);
}
