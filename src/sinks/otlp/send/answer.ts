// Answer: what a collector's reply, or the lack of one, means for the request that was sent.

export type Trouble = 'unreachable' | 'deadline' | 'certificate' | 'busy' | 'failing';

export type Answer =
  /** Taken; `rejected` items were refused for good (partial success) and are not sent again. */
  | { readonly is: 'taken'; readonly rejected: number; readonly message: string }
  /** Not taken, may be later. `tries`: how often at most, null for as long as the request is kept. */
  | {
      readonly is: 'again';
      readonly trouble: Trouble;
      readonly why: string;
      readonly afterMs: number | null;
      readonly tries: number | null;
    }
  /** The door is shut for all requests (credentials, wrong service): kept, and tried now and then. */
  | { readonly is: 'shut'; readonly why: string }
  /** This request will never be taken. */
  | { readonly is: 'refused'; readonly why: string };

/** Servers that fail in a way that may be theirs or the request's get this many tries. */
export const UNSURE_TRIES = 8;
const LONGEST_TEXT = 300;

/** What a server wrote, in one bounded line: it goes into a log. */
export function oneLine(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed().replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
}

export function again(trouble: Trouble, why: string, more: { afterMs?: number | null; tries?: number } = {}): Answer {
  return { is: 'again', trouble, why: oneLine(why), afterMs: more.afterMs ?? null, tries: more.tries ?? null };
}

const CERTIFICATE = /certificate|altname|CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|\bSSL\b|\bTLS\b|ERR_SSL|EPROTO/i;

/** Whether the text of a connection error speaks of certificates or TLS. */
export function isCertificateTrouble(text: string): boolean {
  return CERTIFICATE.test(text);
}
