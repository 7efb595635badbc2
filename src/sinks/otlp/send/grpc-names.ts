// Resolver for gRPC: takes addresses from the process's name book. The library's own would hold a thread for each channel.

import { experimental, status } from '@grpc/grpc-js';
import { names } from '../../../helpers/name-book.ts';

const SCHEME = 'names';
const DEFAULT_PORT = 443;

class NamesResolver implements experimental.Resolver {
  readonly #target: experimental.HostPort | null;
  readonly #listener: experimental.ResolverListener;
  /** What the channel was told last. */
  #told = '';
  #asking = false;
  #destroyed = false;

  constructor({ path }: experimental.GrpcUri, listener: experimental.ResolverListener) {
    this.#target = experimental.splitHostPort(path);
    this.#listener = listener;
  }

  static getDefaultAuthority({ path }: experimental.GrpcUri): string {
    return path;
  }

  /** Called at the start, and again when no connection could be made. */
  updateResolution(): void {
    this.#destroyed = false;
    if (this.#asking) return;
    this.#asking = true;
    if (this.#told !== '') names.failed(this.#target?.host ?? '');
    void this.#ask().finally(() => {
      this.#asking = false;
    });
  }

  destroy(): void {
    this.#destroyed = true;
    this.#told = '';
  }

  async #ask(): Promise<void> {
    const { host, port = DEFAULT_PORT } = this.#target ?? { host: '' };
    try {
      const endpoints = (await names.addresses(host)).map(({ address }) => ({ addresses: [{ host: address, port }] }));
      const told = JSON.stringify(endpoints);
      if (this.#destroyed || told === this.#told) return;
      this.#told = told;
      this.#listener(experimental.statusOrFromValue(endpoints), {}, null, '');
    } catch {
      if (this.#destroyed) return;
      this.#told = '';
      const details = `Name resolution failed for ${host}`;
      this.#listener(experimental.statusOrFromError({ code: status.UNAVAILABLE, details }), {}, null, '');
    }
  }
}

/** What a channel is made for. A proxy resolves the name itself; a unix socket has none. */
export function grpcTarget(endpoint: string): string {
  if (endpoint.startsWith('unix:')) return endpoint;
  experimental.registerResolver(SCHEME, NamesResolver);
  return `${SCHEME}:${endpoint.replace(/^https?:\/\//, '')}`;
}
