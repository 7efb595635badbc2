// LineIn: one line that came in from elsewhere, whichever way: what is known of it before anything is read out of it.

import type { Trust } from '../../model/event.ts';

export interface LineIn {
  /** Which stream it came in: "journal/system", "syslog/udp", "otlp/llama". */
  readonly stream: string;
  /** Tells apart lines of the stream that are otherwise equal. */
  readonly position: number;
  /** What its position counts in, where a stream has several rows of them. */
  readonly row?: string;
  /** When it was written, on the wall clock, epoch ms; null where it does not say. */
  readonly wallMs: number | null;
  readonly digits: number;
  /** Null where it does not say. */
  readonly host: string | null;
  /** The kernel wrote it, by what it came through; how far that is true is its `trust`. */
  readonly kernel: boolean;
  /** syslog(3); 1 is a user's. */
  readonly facility: number;
  readonly priority: number;
  /** Who wrote it, where that is a program that names itself. */
  readonly program: string | null;
  readonly text: string;
  /** Who could have written it. */
  readonly trust: Trust;
  /** The job or service whose line it is; null where it is of none. */
  readonly job: string | null;
  readonly service?: string | null;
  readonly rank?: number | null;
  /** Nothing but its sender says that there is such a job or service. */
  readonly claimed?: boolean;
  /** Of a boot before this one, or from before this daemon started. */
  readonly history: boolean;
  /** Trace and span that it was written in: 32 and 16 hex digits. */
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}
