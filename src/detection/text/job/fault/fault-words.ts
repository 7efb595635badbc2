// Fault words: an entry of `faults` in a file of catalog/job: a line or an exception that is a fault, and what it means.

import type { AttributeValue } from '../../../../model/event.ts';
import type { Kind } from '../../../../model/kind.ts';
import type { Severity } from '../../../../model/severity.ts';

/**
 * What an attribute is: a group of the patterns, as it is or as a number, and with "?" left out where the line lacks it; the
 * exception's name; the message; the number of the rank that printed; or the same for every line.
 */
export type AttributeFrom =
  | 'text'
  | 'text?'
  | 'lower'
  | 'integer'
  | 'integer?'
  | 'name'
  | 'message'
  | 'printer'
  | { readonly is: AttributeValue };

export interface FaultWords {
  /** Where it is printed. */
  readonly from: string;
  /** A line that the test holds against the entry. */
  readonly example: string;
  /**
   * `exception`: looked for in "Name: message"; `uncaught`: only where the exception ended its process;
   * `server`: a line in the log of an inference server, which is what `place: job` means there;
   * `whole`: in the line with what loggers put before it, such as its level, where no other entry takes it.
   */
  readonly on?: 'exception' | 'uncaught' | 'server' | 'whole';
  /** One of them is in the line. */
  readonly words?: readonly string[];
  readonly unless?: readonly string[];
  /** Fits the line; its named groups are what the line reports. */
  readonly pattern?: string;
  /**
   * What may be before what the pattern fits. `message`: only what launchers and loggers print; `clause`: as well a message that
   * gives it as its error, and does not quote it. A pattern without it begins with ^.
   */
  readonly begins?: 'message' | 'clause';
  /** Looked for in the rest of the line, each by itself, for more groups. */
  readonly more?: readonly string[];
  /** It is one only where the number of the first of two groups is above that of the second. */
  readonly more_than?: readonly [string, string];
  readonly kind?: Kind;
  /** The kind follows from how the process ended: the groups `exit_code` and `signal`. */
  readonly exit?: true;
  /** A launcher reports how its worker ended, as with `exit`: what the worker printed of it belongs to it. */
  readonly launcher?: true;
  /** It counts where the log is then silent, or is cut: the exception behind it says of what the process ended. */
  readonly last_word?: true;
  /** The server ends: of what, the exception after it says. */
  readonly then?: 'exception';
  /** The line or exception means nothing. */
  readonly ignored?: true;
  /** What it means instead where a failure was reported shortly before, and something ends what is left. */
  readonly after_failure?: Kind | 'nothing';
  /** `rank`: as the groups `rank`, over the job, or `local_rank` say, else the printer; `named_host`: the group `host`. */
  readonly place?: 'rank' | 'named' | 'job' | 'host' | 'device' | 'named_host';
  /** The process that raises it ends with it, also where no traceback of it was read. */
  readonly ends?: true;
  readonly severity?: Severity;
  readonly attributes?: Readonly<Record<string, AttributeFrom>>;
  /** The group with how long before the line it began. */
  readonly began_before_ms?: string;
  /** The groups of the first line are those of the second as well. */
  readonly kept?: 'first' | 'second';
  /** Groups with numbers: a fault begins where one is NaN or infinite, and ends where all are numbers again. */
  readonly not_finite?: readonly string[];
  /** Those of them that count only from the second line in a row on. */
  readonly twice?: readonly string[];
}
