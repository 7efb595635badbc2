// Resolver for gRPC: takes addresses from the process's name book. The library's own would hold a thread for each channel.

import { experimental, status } from '@grpc/grpc-js';
import { names } from '../../../../helpers/name-book.ts';

const DEFAULT_PORT = 443;

class NamesResolver implements experimental.Resolver {
  readonly #target: experimental.HostPort | null;
  readonly #listener: experimental.ResolverListener;
  /** The addresses that the channel has. */
  #known = '';
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
    if (this.#known !== '') names.failed(this.#target?.host ?? '');
    void this.#ask().finally(() => {
      this.#asking = false;
    });
  }

  destroy(): void {
    this.#destroyed = true;
    this.#known = '';
  }

  async #ask(): Promise<void> {
    const { host, port = DEFAULT_PORT } = this.#target ?? { host: '' };
    try {
      const endpoints = (await names.addresses(host)).map(({ address }) => ({ addresses: [{ host: address, port }] }));
      const found = JSON.stringify(endpoints);
      if (this.#destroyed || found === this.#known) return;
      this.#known = found;
      this.#listener(experimental.statusOrFromValue(endpoints), {}, null, '');
    } catch {
      if (this.#destroyed) return;
      this.#known = '';
      const details = `Name resolution failed for ${host}`;
      this.#listener(experimental.statusOrFromError({ code: status.UNAVAILABLE, details }), {}, null, '');
    }
  }
}

/** From now on every channel of this process, the SDK's exporter's too, has its names from the book. */
export function useNameBook(): void {
  experimental.registerResolver('dns', NamesResolver);
}

/** What a channel is made for. A unix socket has no name. */
export function grpcTarget(endpoint: string): string {
  if (endpoint.startsWith('unix:')) return endpoint;
  useNameBook();
  return endpoint.replace(/^https?:\/\//, '');
}
