// Definition: a channel as catalog/channels/<name>.json has it; test/sinks/notify/channels.test.ts holds the files to this form.

import { catalogueFolder } from '../../../helpers/catalogue-folder.ts';
import type { What } from '../notification.ts';
import type { EscapeName } from '../write/escape.ts';

/** What a user can give for a channel. */
export type Given = 'url' | 'secret' | 'token' | 'to' | 'from' | 'user' | 'format';

/** JSON whose texts are Liquid templates; "name?" is left out where its text is empty, "name#" is a number. */
export type Tree = string | number | boolean | null | readonly Tree[] | { readonly [name: string]: Tree };

export interface RequestTemplate {
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Tree;
  readonly html?: string;
}

/** What the body of a reply says; paths are names with dots between them. */
export interface ReplyForm {
  readonly field?: string;
  readonly good?: readonly (string | number | boolean)[];
  readonly reason?: string;
  /** Values of `field` or `reason`. */
  readonly busy?: readonly (string | number)[];
  readonly closed?: readonly (string | number)[];
  /** Seconds. */
  readonly retry_after?: string;
  /** What later messages of the conversation name. */
  readonly thread?: string;
}

export interface ChannelDefinition {
  readonly title: string;
  readonly documentation: string;
  readonly transport?: 'smtp';
  readonly needs: readonly Given[];
  readonly takes?: readonly Given[];
  /** The address alone lets anybody post. */
  readonly secret_url?: true;
  /** Where requests go unless the user says otherwise. */
  readonly url?: string;
  readonly sign?: 'standard' | 'dingtalk';
  /** It passes on the whole incident as a document. */
  readonly document?: true;
  readonly escape: EscapeName;
  /** Messages a minute. */
  readonly rate: number;
  /** Bytes of the text. */
  readonly longest: number;
  readonly request: RequestTemplate;
  readonly requests?: Readonly<Partial<Record<What, RequestTemplate>>>;
  readonly reply?: ReplyForm;
  /** What an operator can do, by status or by what the reply's field or reason says: one sentence without a full stop. */
  readonly remedies: Readonly<Record<string, string>>;
}

export const CHANNEL_TYPES = [
  'webhook',
  'slack',
  'slack_bot',
  'pagerduty',
  'opsgenie',
  'email',
  'teams',
  'dingtalk',
  'wecom',
  'telegram',
] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

let known: ReadonlyMap<string, ChannelDefinition> | null = null;

/** Read where a channel is configured, and not before. */
export function channelDefinition(type: ChannelType): ChannelDefinition {
  known ??= catalogueFolder('channels') as ReadonlyMap<string, ChannelDefinition>; // held to this form by the test named above
  const found = known.get(type);
  if (found === undefined) throw new Error(`catalog/channels has no ${type}.json`);
  return found;
}
