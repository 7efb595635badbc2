// HTTP outcome: what a status code means for the message that was posted (RFC 9110, and OTLP's "OTLP/HTTP response").

import { type Outcome, oneLine, retry, taken, UNSURE_TRIES } from './outcome.ts';

export interface HttpReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: Buffer;
}

/** How a receiver's bodies are read; left out, they are text and a success is one of the whole message. */
export interface HttpBodies {
  readonly partial?: (body: Buffer) => { readonly rejected: number; readonly message: string };
  readonly reason?: (body: Buffer) => string;
  /** How often a message is sent to a receiver that fails in a way that may be the message's. */
  readonly tries?: number;
}

export function httpOutcome({ status, retryAfter, body }: HttpReply, bodies: HttpBodies = {}): Outcome {
  if (status >= 200 && status < 300) {
    const { rejected, message } = bodies.partial?.(body) ?? { rejected: 0, message: '' };
    return taken(rejected, message);
  }
  const why = oneLine(`HTTP ${status} ${(bodies.reason ?? asText)(body)}`);
  const afterMs = retryAfterMs(retryAfter, Date.now());
  if (status === 429 || status === 503) return retry('busy', why, { afterMs });
  if (status === 502 || status === 504 || status === 408) return retry('failing', why, { afterMs });
  // A proxy or a network on the way wants a sign-in: the receiver has not seen the message.
  if (status === 407 || status === 511) return { is: 'closed', why };
  if (status >= 500) return retry('failing', why, { tries: bodies.tries ?? UNSURE_TRIES });
  if (status === 401 || status === 403 || status === 404 || status === 405 || status < 400) {
    return { is: 'closed', why };
  }
  return { is: 'fatal', why };
}

function asText(body: Buffer): string {
  return body.subarray(0, 200).toString('utf8');
}

/** Retry-After as seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(date - nowMs, 0);
}
