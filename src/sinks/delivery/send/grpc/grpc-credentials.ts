// gRPC credentials of a target: TLS with the files that it names, or none.

import { ChannelCredentials } from '@grpc/grpc-js';
import { type TlsFiles, tlsMaterial } from '../tls-files.ts';

/** Rejects with a text that names the file that cannot be read. */
export async function grpcCredentials(target: TlsFiles): Promise<ChannelCredentials> {
  if (!target.tls) return ChannelCredentials.createInsecure();
  const { ca, key, certificate } = await tlsMaterial(target);
  return ChannelCredentials.createSsl(ca, key, certificate);
}
