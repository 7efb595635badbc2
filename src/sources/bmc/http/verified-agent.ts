// Connections to one BMC over TLS, each handed out only once its certificate was verified: nothing is sent to a service that is not
// the one that is meant. BMCs make their own certificates; which of those is the right one is a pin, or an authority's word.

import { X509Certificate } from 'node:crypto';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import tls, { checkServerIdentity, type PeerCertificate, type TLSSocket } from 'node:tls';
import type { BmcRecord } from '../memory/bmc-record.ts';
import type { BmcSettings } from '../settings.ts';
import { type BmcPeer, RedfishError, transportError } from './redfish-error.ts';

export const FIRST_USE = 'first_use';

type Created = (error: Error | null, socket: Duplex) => void;

export class VerifiedAgent extends https.Agent {
  readonly #config: BmcSettings;
  readonly #peer: BmcPeer;
  readonly #record: BmcRecord;
  readonly #connecting = new Set<TLSSocket>();
  /** Of the last connection that was verified: taking it up again costs a BMC's processor less than a handshake. */
  #session: Buffer | null = null;
  /** The authorities, read once and not for each connection: BMCs close theirs between two polls. */
  #context: tls.SecureContext | null = null;

  constructor(options: https.AgentOptions, config: BmcSettings, peer: BmcPeer, record: BmcRecord) {
    const ca = config.ca === null ? {} : { ca: config.ca, checkServerIdentity: identityCheck(config.ca) };
    super({ ...options, ...ca, rejectUnauthorized: false });
    this.#config = config;
    this.#peer = peer;
    this.#record = record;
  }

  override createConnection(options: tls.ConnectionOptions, created: Created): null {
    this.#context ??= tls.createSecureContext(authorities(this.#config));
    const session = this.#session === null ? {} : { session: this.#session };
    const socket = tls.connect({ ...options, ...session, secureContext: this.#context });
    this.#connecting.add(socket);
    const settle = (error: Error | null): void => {
      if (!this.#connecting.delete(socket)) return;
      socket.off('error', failed);
      if (error !== null) socket.on('error', () => undefined).destroy();
      else socket.on('session', (session: Buffer) => (this.#session = session));
      created(error, socket);
    };
    const failed = (error: Error): void => {
      this.#session = null;
      settle(transportError(error, this.#peer));
    };
    socket.once('error', failed);
    socket.once('close', () => settle(new RedfishError('network', this.#peer, 'the connection broke')));
    socket.once('secureConnect', () => settle(this.#verified(socket)));
    return null;
  }

  /** Gives up what is not connected yet. */
  dropConnecting(): void {
    for (const socket of [...this.#connecting]) socket.destroy(new Error('given up'));
  }

  override destroy(): void {
    this.dropConnecting();
    super.destroy();
  }

  /** Null where it may be spoken to. */
  #verified(socket: TLSSocket): RedfishError | null {
    if (socket.isSessionReused() || this.#config.insecure) return null;
    const fingerprint = fingerprintOf(socket);
    if (fingerprint === null) return new RedfishError('certificate', this.#peer, 'it shows none');
    const pin = this.#config.pin ?? null;
    if (pin === null) {
      if (socket.authorized) return null;
      const { text } = authorizationError(socket, this.#peer);
      return new RedfishError('certificate', this.#peer, `${text}; its SHA-256 is ${fingerprint}`);
    }
    const expected = pin === FIRST_USE ? this.#record.fingerprint : pin;
    if (expected === null) {
      this.#record.pin(fingerprint);
      return null;
    }
    if (expected === fingerprint) return null;
    return new RedfishError('certificate_changed', this.#peer, `SHA-256 ${fingerprint}, not ${expected}`);
  }
}

/** Where a pin decides, or nothing does, no one's word is asked for: those that Node knows are a MiB of memory. */
function authorities({ ca, pin, insecure }: BmcSettings): tls.SecureContextOptions {
  if (ca !== null) return { ca };
  return insecure || (pin ?? null) !== null ? { ca: [] } : {};
}

/** SHA-256 of the certificate that the peer shows, hex in small letters. */
function fingerprintOf(socket: TLSSocket): string | null {
  return socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() ?? null;
}

function authorizationError(socket: TLSSocket, peer: BmcPeer): { text: string } {
  const why: unknown = socket.authorizationError;
  const code = why instanceof Error && 'code' in why ? String(why.code) : String(why ?? 'not trusted');
  const error = transportError(Object.assign(new Error(code), { code }), peer);
  return { text: error.fault === 'certificate' ? error.detail : 'not trusted' };
}

/** A BMC's own certificate, given as the CA, is the right one whatever name it is made out to. */
function identityCheck(ca: string): (host: string, certificate: PeerCertificate) => Error | undefined {
  const own = new Set<string>();
  for (const [pem] of ca.matchAll(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)) {
    try {
      own.add(new X509Certificate(pem).fingerprint256);
    } catch {
      // TLS itself refuses what is not a certificate
    }
  }
  return (host, certificate) =>
    own.has(certificate.fingerprint256) ? undefined : checkServerIdentity(host, certificate);
}
