// Late transport: one whose code is loaded with the first message, so that no start waits for a library that only sends.

import type { Message } from '../spool/frame.ts';
import type { Outcome } from './outcome.ts';
import type { Transport } from './transport.ts';

export class LateTransport implements Transport {
  /** As that transport says, once it is there. */
  copies = false;
  readonly #make: () => Promise<Transport>;
  #made: Promise<Transport> | null = null;

  /** `make` must not reject. */
  constructor(make: () => Promise<Transport>) {
    this.#make = make;
  }

  async send(message: Message): Promise<Outcome> {
    this.#made ??= this.#make();
    const transport = await this.#made;
    this.copies = transport.copies === true;
    return transport.send(message);
  }

  close(): void {
    void this.#made?.then((transport) => transport.close());
  }
}
