// Writes an OCI image as one archive (image-spec 1.1: layers, configuration, manifest, index), without an engine. The same tree gives
// the same bytes.
// usage: node scripts/lib/release/write-image.mjs WORK STAGE ARCHIVE

import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { identity, layers, USER } from './image-layers.mjs';
import { tar } from './tar.mjs';

const [work, stage, archive] = process.argv.slice(2);
const seconds = Number(process.env.SOURCE_DATE_EPOCH);
const created = new Date(seconds * 1000).toISOString();
const { version, description, license, commit } = identity(stage);
const ARCHITECTURE = { x64: 'amd64', arm64: 'arm64' }[process.env.PLATFORM?.split('-')[1] ?? process.arch];

const digest = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const blobs = [];
function blob(mediaType, bytes) {
  blobs.push(bytes);
  return { mediaType, digest: digest(bytes), size: bytes.length };
}
const json = (mediaType, value) => blob(mediaType, Buffer.from(JSON.stringify(value)));

const MADE = ['libraries of Debian', 'Node', 'Faultline'];
const made = layers(work, stage).map((entries) => tar(entries, seconds));
const compressed = made.map((bytes) =>
  blob('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(bytes, { level: 6 })),
);
const labels = {
  'org.opencontainers.image.title': 'faultline',
  'org.opencontainers.image.description': description,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': commit,
  'org.opencontainers.image.created': created,
  'org.opencontainers.image.licenses': license,
};
const config = json('application/vnd.oci.image.config.v1+json', {
  created,
  architecture: ARCHITECTURE,
  os: 'linux',
  config: {
    User: `${USER}:${USER}`,
    Env: [
      'PATH=/usr/bin',
      'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      'MALLOC_ARENA_MAX=1',
      // Where a user other than root has them as well; a configuration says others.
      'STATE_DIRECTORY=/var/lib/faultline',
      'LOGS_DIRECTORY=/var/log/faultline',
      'RUNTIME_DIRECTORY=/run/faultline',
    ],
    Entrypoint: ['/usr/bin/faultline'],
    Cmd: ['run'],
    WorkingDir: '/var/lib/faultline',
    StopSignal: 'SIGTERM',
    Labels: labels,
  },
  rootfs: { type: 'layers', diff_ids: made.map(digest) },
  history: MADE.map((what) => ({ created, created_by: what })),
});
const manifest = json('application/vnd.oci.image.manifest.v1+json', {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.manifest.v1+json',
  config,
  layers: compressed,
  annotations: labels,
});
const named = {
  'org.opencontainers.image.ref.name': version,
  'io.containerd.image.name': `docker.io/library/faultline:${version}`,
};
const index = {
  schemaVersion: 2,
  mediaType: 'application/vnd.oci.image.index.v1+json',
  manifests: [{ ...manifest, platform: { architecture: ARCHITECTURE, os: 'linux' }, annotations: named }],
};

const text = (path, value) => ({ path, mode: 0o644, data: Buffer.from(JSON.stringify(value)) });
const folders = ['blobs', 'blobs/sha256'].map((path) => ({ path, mode: 0o755 }));
const stored = new Map(blobs.map((bytes) => [digest(bytes), bytes]));
const files = [...stored].map(([name, data]) => ({ path: `blobs/${name.replace(':', '/')}`, mode: 0o644, data }));
const whole = [text('oci-layout', { imageLayoutVersion: '1.0.0' }), text('index.json', index), ...folders, ...files];
writeFileSync(archive, tar(whole, seconds));
writeFileSync(`${archive}.digest`, `${manifest.digest}\n`);
const mebibytes = (size) => (size / 1024 ** 2).toFixed(1);
const sizes = made.map(
  (bytes, at) => `${MADE[at]} ${mebibytes(bytes.length)} MiB (${mebibytes(compressed[at].size)} packed)`,
);
console.error(`faultline: image ${manifest.digest}: ${sizes.join(', ')}`);
