// Withheld sink: takes the place of a sink that sends, in shadow mode; takes everything and sends nothing.

import type { Sink, SinkHealth } from './sink.ts';

export class WithheldSink implements Sink {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  start(): void {}

  event(): void {}

  incident(): void {}

  health(): SinkHealth {
    return { sink: this.name, status: 'off', detail: 'configured, and sends nothing: shadow mode (shadow: true)' };
  }

  async stop(): Promise<void> {}
}
