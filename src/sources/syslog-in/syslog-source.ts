// Syslog source: listens on its addresses, takes messages apart, and hands over those that are of this host and mean something.

import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { chmodSync } from 'node:fs';
import { createServer, isIPv6, type Server, type Socket } from 'node:net';
import { errorCode } from '../../helpers/error-code.ts';
import { errorText } from '../../helpers/error-text.ts';
import { matchesWildcard } from '../../helpers/wildcard.ts';
import type { Emit } from '../../model/record.ts';
import { removeSocket } from '../own-socket.ts';
import type { Source, SourceCounts, SourceHealth } from '../source.ts';
import { TextIntake } from '../text-in/text-intake.ts';
import { Framing } from './framing.ts';
import { bareSyslog, readSyslog } from './message.ts';
import type { Place, SyslogInSettings } from './settings.ts';

const SOURCE = 'syslog-in';
const RETRY_MS = 10_000;
/** Of one address; the oldest makes room for who comes next. */
const CONNECTIONS = 64;
const IDLE_MS = 3_600_000;
/** All users may send: what they send is a tenant's word. */
const OPEN_MODE = 0o666;
/** Datagrams that wait in the system while we are busy. */
const WAITING_BYTES = 1024 * 1024;
/** Of all streams together, while no line may be taken: senders wait, instead of this process working. */
const FLOOD_BYTES_PER_MS = 1024;

export interface SyslogOptions {
  readonly host: string;
  readonly now: () => number;
  readonly steady: (wallMs: number) => number;
  readonly kernel: () => boolean;
}

interface Open {
  readonly place: Place;
  port: number | null;
  close: (() => void) | null;
  trouble: string | null;
}

export class SyslogSource implements Source {
  readonly name = SOURCE;
  readonly #settings: SyslogInSettings;
  readonly #intake: TextIntake;
  readonly #places: Open[];
  #emit: Emit | null = null;
  #timer: NodeJS.Timeout | null = null;
  #messages = 0;
  #position = 0;
  #cut = 0;
  #restsUntilMs = 0;

  constructor(settings: SyslogInSettings, { host, now, steady, kernel }: SyslogOptions) {
    this.#settings = settings;
    const { hosts, linesPerSecond } = settings;
    this.#intake = new TextIntake({ source: SOURCE, host, hosts, now, steady, kernel, linesPerSecond });
    this.#places = settings.listen.map((place) => ({ place, port: null, close: null, trouble: null }));
  }

  /** The ports that were given where 0 was asked for, in the order of the settings. */
  get ports(): readonly (number | null)[] {
    return this.#places.map(({ port }) => port);
  }

  start(emit: Emit, signal: AbortSignal): void {
    this.#emit = emit;
    signal.addEventListener('abort', () => void this.stop(), { once: true });
    void this.#listen();
  }

  health(): readonly SourceHealth[] {
    const troubles = this.#places.flatMap(({ place, trouble }) => (trouble === null ? [] : [`${nameOf(place)}: ${trouble}`])); // biome-ignore format: one line
    const open = this.#places.filter(({ close }) => close !== null).map(({ place }) => nameOf(place));
    if (troubles.length + open.length < this.#places.length)
      return [{ source: SOURCE, status: 'absent', detail: 'starting', remedy: null }];
    const cut = this.#cut === 0 ? '' : `, ${this.#cut} over 64 KiB cut`;
    const taken = `${this.#messages} messages, ${this.#intake.taken} lines taken${cut}${this.#intake.leftOut()}`;
    return [
      {
        source: SOURCE,
        status: troubles.length === 0 ? 'works' : open.length > 0 ? 'partial' : 'failed',
        detail: troubles.length > 0 ? troubles.join('; ') : `listens on ${open.join(', ')}: ${taken}`,
        remedy: troubles.length > 0 ? 'free the address, or change sources.syslog_in.listen; it is tried every ten seconds' : null,
      },
    ]; // biome-ignore format: short enough
  }

  counts(): readonly SourceCounts[] {
    return [{ source: SOURCE, reads: this.#messages, lost: this.#intake.tooFast }];
  }

  async stop(): Promise<void> {
    this.#emit = null;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const open of this.#places) open.close?.();
  }

  async #listen(): Promise<void> {
    for (const open of this.#places) {
      if (open.close !== null || this.#emit === null) continue;
      try {
        await (open.place.way === 'udp' ? this.#datagrams(open) : this.#streams(open));
        open.trouble = null;
      } catch (error) {
        open.trouble = errorCode(error) === 'EADDRINUSE' ? 'another program listens there' : errorText(error);
      }
    }
    if (this.#emit === null) return this.stop();
    if (this.#places.every(({ close }) => close !== null)) return;
    this.#timer = setTimeout(() => void this.#listen(), RETRY_MS).unref();
  }

  async #datagrams(open: Open): Promise<void> {
    const { address } = open.place;
    if ('path' in address) return;
    const socket: DatagramSocket = createSocket({ type: isIPv6(address.host) ? 'udp6' : 'udp4', recvBufferSize: WAITING_BYTES });
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.bind(address.port, address.host, () => {
        socket.off('error', reject);
        resolve();
      });
    }).catch((error: unknown) => {
      socket.close();
      throw error;
    });
    socket.on('error', (error) => this.#ended(open, error));
    socket.on('message', (bytes) => this.#takeAll([bytes], 'syslog/udp'));
    open.port = socket.address().port;
    open.close = () => {
      open.close = null;
      socket.close();
    };
  } // biome-ignore format: short enough

  async #streams(open: Open): Promise<void> {
    const { address, way } = open.place;
    if ('path' in address) await removeSocket(address.path);
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => this.#connected(socket, sockets, `syslog/${way}`));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      const done = (): void => {
        server.off('error', reject);
        resolve();
      };
      if ('path' in address) server.listen(address.path, done);
      else server.listen(address.port, address.host, done);
    });
    server.on('error', (error) => this.#ended(open, error));
    if ('path' in address) chmodSync(address.path, OPEN_MODE);
    const bound = server.address();
    open.port = typeof bound === 'object' && bound !== null ? bound.port : null;
    open.close = () => {
      open.close = null;
      server.close();
      for (const socket of sockets) socket.destroy();
    };
  }

  #connected(socket: Socket, sockets: Set<Socket>, stream: string): void {
    sockets.add(socket);
    for (const oldest of sockets) {
      if (sockets.size <= CONNECTIONS) break;
      sockets.delete(oldest);
      oldest.destroy();
    }
    const framing = new Framing();
    const take = (messages: readonly string[]): void => {
      this.#takeAll(messages, stream);
      this.#cut += framing.cut;
      framing.cut = 0;
    };
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    socket.on('error', () => {}); // it closes next
    socket.on('data', (bytes) => {
      take(framing.push(bytes));
      if (this.#intake.isFull) this.#rest(socket, bytes.length);
    });
    socket.once('end', () => take(framing.end()));
    socket.once('close', () => sockets.delete(socket));
  }

  #ended(open: Open, error: Error): void {
    open.close?.();
    open.trouble = errorText(error);
    this.#timer ??= setTimeout(() => void this.#listen(), RETRY_MS).unref();
  }

  /** Reads on when the bytes of a flood have had their time. */
  #rest(socket: Socket, bytes: number): void {
    const nowMs = performance.now();
    this.#restsUntilMs = Math.max(nowMs, this.#restsUntilMs) + bytes / FLOOD_BYTES_PER_MS;
    socket.pause();
    setTimeout(() => socket.resume(), this.#restsUntilMs - nowMs).unref();
  }

  #takeAll(messages: readonly (string | Buffer)[], stream: string): void {
    this.#messages += messages.length;
    this.#intake.each(messages, (message) => this.#take(message.toString(), stream));
  }

  #take(bytes: string, stream: string): void {
    const emit = this.#emit;
    const message = bytes.trimEnd();
    if (emit === null || message === '') return;
    const { facility, severity, host, program, text, wallMs, digits } = readSyslog(message, Date.now()) ?? bareSyslog(message);
    const { work } = this.#settings;
    const own = program === null ? null : (work.find((each) => matchesWildcard(program, each.program)) ?? null);
    this.#position += 1;
    this.#intake.take(
      {
        stream,
        position: this.#position,
        wallMs,
        digits,
        host,
        // Any program may send it with the kernel's number, or under the name of another.
        kernel: facility === 0,
        facility,
        priority: severity,
        program,
        text,
        // A log daemon passes on what users write: who sends it does not say whose words they are.
        trust: 'tenant',
        job: own?.job ?? null,
        service: own?.service ?? null,
        history: false,
      },
      emit,
    );
  } // biome-ignore format: short enough
}

function nameOf({ way, address }: Place): string {
  return way === 'unix' ? address.text : `${way}:${address.text}`;
}
