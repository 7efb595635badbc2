// Outcome: what came of one try to send a message to its receiver.

export type Difficulty = 'unreachable' | 'deadline' | 'certificate' | 'busy' | 'failing';

/** `remedy`: what an operator can do about this very answer, where its receiver is known. */
export type Outcome =
  | { readonly is: 'ok' }
  /** Taken, but `rejected` of its items were refused for good; they are not sent again. */
  | { readonly is: 'partial'; readonly rejected: number; readonly message: string }
  /** Not taken, may be later. `tries`: how often at most, null for as long as the message is kept. */
  | {
      readonly is: 'retry';
      readonly difficulty: Difficulty;
      readonly why: string;
      readonly afterMs: number | null;
      readonly tries: number | null;
      readonly remedy?: string;
    }
  /** The receiver takes nothing at all (credentials, wrong service): messages are kept and tried now and then. */
  | { readonly is: 'closed'; readonly why: string; readonly remedy?: string }
  /** This message will never be taken. */
  | { readonly is: 'fatal'; readonly why: string; readonly remedy?: string };

/** Receivers that fail in a way that may be theirs or the message's get this many tries. */
export const UNSURE_TRIES = 8;
const LONGEST_TEXT = 300;

/** What a receiver wrote, in one bounded line: it goes into a log. */
export function oneLine(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed().replace(/\s+/g, ' ').replace(/\p{C}/gu, '').trim();
}

export function retry(
  difficulty: Difficulty,
  why: string,
  more: { afterMs?: number | null; tries?: number } = {},
): Outcome {
  return { is: 'retry', difficulty, why: oneLine(why), afterMs: more.afterMs ?? null, tries: more.tries ?? null };
}

/** Taken, all of it or without `rejected` items. */
export function taken(rejected: number, message: string): Taken {
  return rejected > 0 ? { is: 'partial', rejected, message } : { is: 'ok' };
}

export type Taken = Extract<Outcome, { is: 'ok' | 'partial' }>;

export function isTaken(outcome: Outcome): outcome is Taken {
  return outcome.is === 'ok' || outcome.is === 'partial';
}

const CERTIFICATE = /certificate|altname|CERT_|SELF_SIGNED|UNABLE_TO_VERIFY|\bSSL\b|\bTLS\b|ERR_SSL|EPROTO/i;

/** Whether the text of a connection error speaks of certificates or TLS. */
export function isCertificateTrouble(text: string): boolean {
  return CERTIFICATE.test(text);
}
