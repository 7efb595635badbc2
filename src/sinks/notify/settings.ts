// The notify section that is in force.

import type { Matcher } from '../../model/matcher.ts';
import type { Severity } from '../../model/severity.ts';
import type { Reach } from '../message/receiver.ts';
import type { ChannelType } from './channels/definition.ts';
import type { DocumentFormat } from './write/document.ts';
import type { OwnTemplates } from './write/words.ts';

export interface ChannelConfig {
  readonly name: string;
  readonly type: ChannelType;
  /** May be a secret. */
  readonly url: string;
  readonly secret: string | null;
  /** Sent as a bearer token. */
  readonly token: string | null;
  readonly user: string | null;
  readonly to: readonly string[];
  readonly from: string | null;
  readonly format: DocumentFormat;
  /** Messages a minute. */
  readonly rate: number;
  readonly templates: OwnTemplates;
  readonly reach: Reach;
}

/** Times of a day in minutes; `to` before `from` is of the next day. */
export interface QuietHours {
  readonly fromMinute: number;
  readonly toMinute: number;
  /** From this severity on it is not quiet. */
  readonly except: Severity;
}

export interface Route {
  readonly to: readonly string[];
  readonly severity: Severity;
  readonly matchers: readonly Matcher[];
  /** 0 to 1. */
  readonly minConfidence: number;
  /** Names of labels; empty: each incident by itself. */
  readonly groupBy: readonly string[];
  readonly repeatMs: number | null;
  readonly quiet: QuietHours | null;
  readonly escalate: { readonly afterMs: number; readonly to: readonly string[] } | null;
}

export interface NotifyConfig {
  readonly channels: readonly ChannelConfig[];
  readonly routes: readonly Route[];
  readonly labels: Readonly<Record<string, string>>;
  readonly runbooks: string | null;
  /** Notifications of each channel a day that are not about something it has heard of. */
  readonly limitADay: number;
  readonly digestMinute: number;
  readonly timeZone: string;
  readonly caps: { readonly maxBytes: number; readonly maxAgeMs: number };
}
