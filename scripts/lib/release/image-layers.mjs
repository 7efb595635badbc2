// What is in the image, layer by layer: what changes seldom comes first, so that a node that upgrades fetches only the last.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tree } from './tar.mjs';

/** The user of the image where a pod does not say another: "nonroot" of the images that others build on. */
export const USER = 65532;
const PROGRAM = 'opt/faultline';
/** Of the release's tree; what installs it on a host has no use here. */
const SHIPPED = ['LICENSE', 'LICENSES', 'SECURITY.md', 'build.json', 'catalog', 'dist', 'lib', 'package.json'];

const folder = (path, mode = 0o755, uid = 0) => ({ path, mode, uid, gid: uid });
const file = (path, text, mode = 0o644) => ({ path, mode, data: Buffer.from(text) });

/** @returns {import('./tar.mjs').Entry[][]} */
export function layers(work, stage) {
  const base = join(work, 'base');
  const program = SHIPPED.flatMap((name) => tree(join(stage, name), `${PROGRAM}/${name}`));
  return [
    whole([...libraries(base), ...certificates(base), ...packages(join(work, 'packages')), ...skeleton()]),
    whole([
      folder('opt'),
      folder(PROGRAM),
      folder(`${PROGRAM}/bin`),
      ...tree(join(stage, 'bin/node'), `${PROGRAM}/bin/node`),
    ]),
    whole([...program, file('usr/bin/faultline', COMMAND, 0o755)]),
  ];
}

/** There is no shell: the kernel itself starts Node by this first line. */
const COMMAND = `#!/${PROGRAM}/bin/node --disable-sigusr1
delete process.env.NODE_OPTIONS;
import('/${PROGRAM}/dist/faultline.js');
`;

/** Libraries and the loader; of the rest of the packages only what says which they are. */
function libraries(base) {
  const wanted = /^(lib64|(usr\/)?lib\/[a-z0-9_-]+-linux-gnu)\/[^/]+\.so(\.[0-9.]+)?$|^usr\/lib\/os-release$/;
  const debug = /(memusage|pcprofile|malloc_debug|thread_db|BrokenLocale|nss_hesiod|nss_compat|libnsl)/;
  return tree(base, '').filter(({ path }) => wanted.test(path) && !debug.test(path));
}

/** As update-ca-certificates would join them. */
function certificates(base) {
  const from = join(base, 'usr/share/ca-certificates/mozilla');
  const all = readdirSync(from).sort().map((name) => readFileSync(join(from, name), 'utf8').trimEnd()); // biome-ignore format: one line
  return [file('etc/ssl/certs/ca-certificates.crt', `${all.join('\n')}\n`)];
}

/** For what looks for known faults in an image: the packages of Debian that its files are of. */
function packages(from) {
  return readdirSync(from).map((name) => file(`var/lib/dpkg/status.d/${name}`, readFileSync(join(from, name))));
}

function skeleton() {
  return [
    file(
      'etc/passwd',
      `root:x:0:0:root:/root:/sbin/nologin\nfaultline:x:${USER}:${USER}:Faultline:/var/lib/faultline:/sbin/nologin\n`,
    ),
    file('etc/group', `root:x:0:\nfaultline:x:${USER}:\n`),
    file('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    { path: 'etc/os-release', mode: 0o777, link: '../usr/lib/os-release' },
    ...['dev', 'etc/faultline', 'host', 'proc', 'sys', 'var/log'].map((path) => folder(path)),
    folder('root', 0o700),
    folder('tmp', 0o1777),
    folder('run/faultline', 0o750, USER),
    folder('var/lib/faultline', 0o750, USER),
    folder('var/log/faultline', 0o750, USER),
  ];
}

/** With the folders that lie above what is there. */
function whole(entries) {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    const steps = path.split('/').slice(0, -1);
    for (const [index] of steps.entries()) {
      const above = steps.slice(0, index + 1).join('/');
      if (!all.has(above)) all.set(above, folder(above));
    }
  }
  return [...all.values()];
}

/** The version and commit that the tree says it is. */
export function identity(stage) {
  const json = (name) => JSON.parse(readFileSync(join(stage, name), 'utf8'));
  const { version, description, license } = json('package.json');
  const { commit } = existsSync(join(stage, 'build.json')) ? json('build.json') : {};
  return { version, description, license, commit };
}
