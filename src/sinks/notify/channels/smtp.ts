// SMTP: the transport of email. Loaded only where a channel is one.

import nodemailer, { type Transporter } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { type CallStart, callOut } from '../../../helpers/calls.ts';
import { errorCode } from '../../../helpers/error-code.ts';
import { errorText } from '../../../helpers/error-text.ts';
import { isCertificateTrouble, type Outcome, oneLine, retry, taken } from '../../delivery/send/outcome.ts';
import { tlsMaterial } from '../../delivery/send/tls-files.ts';
import type { Transport } from '../../delivery/send/transport.ts';
import type { Message } from '../../delivery/spool/frame.ts';
import type { ChannelConfig } from '../settings.ts';
import { mailOf } from '../write/mail.ts';
import { TRIES } from '../write/outcome.ts';
import { channelDefinition } from './definition.ts';
import { Pace } from './pace.ts';
import { notificationIn } from './queued.ts';

const STANDARD_PORT = 587;
const TLS_PORT = 465;

export class SmtpChannel implements Transport {
  readonly #channel: ChannelConfig;
  readonly #mailOf: ReturnType<typeof mailOf>;
  readonly #pace: Pace;
  #transporter: Transporter<SMTPTransport.SentMessageInfo> | null = null;

  constructor(channel: ChannelConfig) {
    this.#channel = channel;
    this.#mailOf = mailOf(channel);
    this.#pace = new Pace(channel.rate);
  }

  async send(message: Message): Promise<Outcome> {
    if (!(await this.#pace.turn())) return retry('busy', 'it is stopped');
    const traced = callOut(() => smtpCall(this.#channel.url));
    try {
      const mail = this.#mailOf(notificationIn(message));
      const { rejected, response } = await (await this.#connect()).sendMail(mail);
      traced.end();
      return taken(rejected.length > 0 ? message.items : 0, oneLine(response));
    } catch (error) {
      traced.end({ error: String(statusOf(error) ?? errorCode(error) ?? 'error') });
      return withRemedy(outcomeOf(error), error);
    } finally {
      this.#transporter?.close(); // the certificates are read again, and no connection is idle at a server that counts them
      this.#transporter = null;
    }
  }

  close(): void {
    this.#pace.close();
    this.#transporter?.close();
    this.#transporter = null;
  }

  async #connect(): Promise<Transporter<SMTPTransport.SentMessageInfo>> {
    const { url, user, secret, reach } = this.#channel;
    const { hostname, port, protocol } = new URL(url);
    const secure = protocol === 'smtps:';
    const { ca, key, certificate } = await tlsMaterial({ tls: true, ...reach });
    const options: SMTPTransport.Options & { proxy?: string } = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? TLS_PORT : STANDARD_PORT) : Number(port),
      secure,
      // A password goes over no line that can be read.
      requireTLS: !secure && user !== null,
      ...(user === null || secret === null ? {} : { auth: { user, pass: secret } }),
      tls: {
        ...(ca === null ? {} : { ca }),
        ...(key === null ? {} : { key }),
        ...(certificate === null ? {} : { cert: certificate }),
      },
      connectionTimeout: reach.timeoutMs,
      greetingTimeout: reach.timeoutMs,
      socketTimeout: reach.timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(reach.proxy === null ? {} : { proxy: reach.proxy }),
    };
    this.#transporter = nodemailer.createTransport(options);
    return this.#transporter;
  }
}

/** OpenTelemetry has no names of its own for mail. */
function smtpCall(url: string): CallStart {
  const { hostname, port, protocol } = new URL(url);
  const standard = protocol === 'smtps:' ? TLS_PORT : STANDARD_PORT;
  return {
    name: 'SMTP send',
    attributes: {
      'network.protocol.name': 'smtp',
      'server.address': hostname,
      'server.port': port === '' ? standard : Number(port),
    },
  };
}

function withRemedy(outcome: Outcome, error: unknown): Outcome {
  const remedy = channelDefinition('email').remedies[String(statusOf(error) ?? '')];
  return remedy === undefined || outcome.is === 'ok' || outcome.is === 'partial' ? outcome : { ...outcome, remedy };
}

function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'responseCode') : undefined;
}

/** 4yz: later; 5yz: never, but for credentials, which an operator can change (RFC 5321, 4.2.1; RFC 4954, 6). */
function outcomeOf(error: unknown): Outcome {
  const why = oneLine(errorText(error));
  const status = statusOf(error);
  const code = errorCode(error);
  if (status === 530 || status === 534 || status === 535 || code === 'EAUTH') return { is: 'closed', why };
  if (typeof status === 'number' && status >= 500) return { is: 'fatal', why };
  if (typeof status === 'number' && status >= 400) return retry('busy', why, { tries: TRIES });
  if (isCertificateTrouble(`${code ?? ''} ${why}`)) return retry('certificate', why);
  return retry(code === 'ETIMEDOUT' ? 'deadline' : 'unreachable', why);
}
