// The configuration of nfpm for one package: deploy/packages/nfpm.yaml with version, architecture and every file with its mode.
// usage: node scripts/lib/release/write-nfpm.mjs TREE deb|rpm      (to standard output)

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';

const [tree, format] = process.argv.slice(2);
const { VERSION, DEB_ARCH, SOURCE_DATE_EPOCH } = process.env;
const mtime = new Date(Number(SOURCE_DATE_EPOCH) * 1000).toISOString();
/** Folders that are ours, and not those of every package. */
const OWN_FOLDERS = [/^\/usr\/lib\/faultline(\/|$)/, /^\/etc\/faultline(\/|$)/, /^\/usr\/share\/doc\/faultline(\/|$)/];
// What no package of a small Red Hat has; several may have one.
if (format === 'rpm') OWN_FOLDERS.push(/^\/usr\/share\/(?:fish|zsh)(\/|$)/);
const SECRET = /^\/etc\/faultline(\/|$)/;

function entry(path) {
  const dst = path.slice(tree.length);
  const stat = lstatSync(path);
  const info = { owner: 'root', group: 'root', mtime };
  if (stat.isSymbolicLink()) return { src: readlinkSync(path), dst, type: 'symlink', file_info: info };
  if (stat.isDirectory()) {
    const mode = SECRET.test(dst) ? 0o750 : 0o755;
    return OWN_FOLDERS.some((each) => each.test(dst)) ? { dst, type: 'dir', file_info: { ...info, mode } } : null;
  }
  // What an operator has changed stays over upgrades.
  if (SECRET.test(dst)) return { src: path, dst, type: 'config|noreplace', file_info: { ...info, mode: 0o640 } };
  const file = { src: path, dst, file_info: { ...info, mode: stat.mode & 0o100 ? 0o755 : 0o644 } };
  // rpm marks what may be left out; dpkg goes by the folder.
  return format === 'rpm' && /^\/usr\/share\/(?:man|doc)\//.test(dst) ? { ...file, type: 'doc' } : file;
}

const paths = readdirSync(tree, { recursive: true, encoding: 'utf8' }).map((name) => join(tree, name));
const contents = paths
  .sort()
  .map(entry)
  .filter((each) => each !== null);
const configuration = {
  ...parse(readFileSync('deploy/packages/nfpm.yaml', 'utf8')),
  version: VERSION,
  arch: DEB_ARCH,
  mtime,
  contents,
};
if (format === 'rpm') configuration.release = '1';
process.stdout.write(stringify(configuration));
