// The UDP socket of a simulated agent, with a switch in front: silence, delay, and agents that cannot do GETBULK.

import dgram from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { datagramHead, tlvChildren, tlvInteger } from '../../sources/pdu/datagram.ts';

const GET_BULK = 0xa5;

export interface AgentFaults {
  /** False: every request is dropped, as when the PDU lost its own power. */
  answering: boolean;
  /** Answers come this much later, ms. */
  delayMs: number;
  /** GETBULK with more repetitions than this is dropped; Infinity for a sound agent. */
  mostRepetitions: number;
}

/** Is where the protocol library's agent expects a dgram socket; the real one is bound before. */
export class AgentSocket extends EventEmitter {
  readonly faults: AgentFaults = { answering: true, delayMs: 0, mostRepetitions: Number.POSITIVE_INFINITY };
  /** The datagram being handled, for the agent's error callback. */
  current: { buffer: Buffer; from: dgram.RemoteInfo } | null = null;
  /** Answers a datagram in place of the agent; true when it did. */
  intercept: ((buffer: Buffer, from: dgram.RemoteInfo) => boolean) | null = null;
  readonly #socket: dgram.Socket;
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  private constructor(socket: dgram.Socket) {
    super();
    this.#socket = socket;
    socket.on('message', (buffer, from) => this.#receive(buffer, from));
    socket.on('error', () => undefined);
  }

  static async open(address: string, port: number): Promise<AgentSocket> {
    const socket = dgram.createSocket('udp4');
    socket.bind(port, address);
    await once(socket, 'listening');
    return new AgentSocket(socket);
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Bound already. */
  bind(): this {
    return this;
  }

  address(): ReturnType<dgram.Socket['address']> {
    return this.#socket.address();
  }

  send(
    buffer: Buffer,
    offset: number,
    length: number,
    port: number,
    address: string,
    done: (error: Error | null) => void,
  ): void {
    if (this.#closed) done(null);
    else this.#socket.send(buffer, offset, length, port, address, done);
  }

  close(done?: () => void): void {
    if (this.#closed) {
      done?.();
      return;
    }
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#socket.close(done);
  }

  #receive(buffer: Buffer, from: dgram.RemoteInfo): void {
    if (!this.faults.answering || this.#tooMany(buffer)) return;
    if (this.faults.delayMs <= 0) {
      this.#deliver(buffer, from);
      return;
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#deliver(buffer, from);
    }, this.faults.delayMs);
    this.#timers.add(timer);
  }

  #deliver(buffer: Buffer, from: dgram.RemoteInfo): void {
    if (this.intercept?.(buffer, from)) return;
    this.current = { buffer, from };
    try {
      this.emit('message', buffer, from);
    } catch {
      // a datagram that the library's agent cannot read is dropped, as a device would
    } finally {
      this.current = null;
    }
  }

  #tooMany(buffer: Buffer): boolean {
    const head = datagramHead(buffer);
    if (head?.pduTag !== GET_BULK || head.pdu === null) return false;
    return (tlvInteger(buffer, tlvChildren(buffer, head.pdu)[2]) ?? 0) > this.faults.mostRepetitions;
  }
}
