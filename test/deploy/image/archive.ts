// Reads an OCI archive as a runtime does: index, manifest, configuration, and the layers one over the other, each held to its digest.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface ImageConfig {
  readonly architecture: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

export interface Image {
  readonly digest: string;
  readonly config: ImageConfig;
  readonly rootfs: string;
}

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Unpacks into `folder`/oci and `folder`/rootfs. */
export function unpackImage(archive: string, folder: string): Image {
  const [layout, rootfs] = [join(folder, 'oci'), join(folder, 'rootfs')];
  for (const path of [layout, rootfs]) mkdirSync(path, { recursive: true });
  execFileSync('tar', ['--extract', '--file', archive, '--directory', layout]);
  const read = (name: string): unknown => JSON.parse(readFileSync(join(layout, name), 'utf8'));
  const blob = ({ digest, size }: Descriptor): Buffer => {
    const bytes = readFileSync(join(layout, 'blobs', digest.replace(':', '/')));
    assert.deepEqual([sha256(bytes), bytes.length], [digest, size]);
    return bytes;
  };
  assert.deepEqual(read('oci-layout'), { imageLayoutVersion: '1.0.0' });
  const { manifests } = read('index.json') as { manifests: readonly [Descriptor] }; // of the image-spec
  const manifest = JSON.parse(blob(manifests[0]).toString()) as { config: Descriptor; layers: readonly Descriptor[] };
  const config = JSON.parse(blob(manifest.config).toString()) as ImageConfig;
  for (const [index, layer] of manifest.layers.entries()) {
    const bytes = gunzipSync(blob(layer));
    assert.equal(sha256(bytes), config.rootfs.diff_ids[index]);
    execFileSync('tar', ['--extract', '--numeric-owner', '--same-permissions', '--directory', rootfs], {
      input: bytes,
    });
  }
  return { digest: manifests[0].digest, config, rootfs };
}
