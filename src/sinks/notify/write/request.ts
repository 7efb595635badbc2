// Request: a notification as a channel's HTTP request, with the secrets put in; the same for sending and for a preview.

import { channelDefinition, type RequestTemplate } from '../channels/definition.ts';
import type { Notification, What } from '../notification.ts';
import type { ChannelConfig } from '../settings.ts';
import { contentTypeOfDocument, documentOf } from './document.ts';
import { ESCAPES } from './escape.ts';
import { Templates } from './liquid.ts';
import { dingtalkUrl, standardHeaders } from './sign.ts';
import { compileTree } from './tree.ts';
import { wordsFor } from './words.ts';

export interface ChannelRequest {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export type Write = (notification: Notification, thread: string | null, nowMs: number) => ChannelRequest;

type Compiled = (context: object) => {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: unknown;
};

export function writerOf(channel: ChannelConfig): Write {
  const definition = channelDefinition(channel.type);
  const { escape: form, longest, request, requests = {}, sign, document } = definition;
  const bodies = new Templates(ESCAPES[form]);
  const addresses = new Templates((text) => text);
  const words = wordsFor(channel.templates, longest);
  const usual = compile(request, bodies, addresses);
  const own = new Map(Object.entries(requests).map(([what, one]) => [what as What, compile(one, bodies, addresses)])); // keys of the definition
  return (notification, thread, nowMs) => {
    const { url, secret, to } = channel;
    const context = { ...notification, ...words(notification), url, secret, to: to[0] ?? '', thread };
    const made = (own.get(notification.what) ?? usual)(context);
    const whole = document === true ? documentOf(notification, channel.format) : null;
    const body = Buffer.from(JSON.stringify(whole === null ? made.body : whole.body));
    return {
      endpoint: sign === 'dingtalk' && secret !== null ? dingtalkUrl(made.url, secret, nowMs) : made.url,
      headers: {
        ...made.headers,
        ...whole?.headers,
        'idempotency-key': notification.key,
        ...(channel.token === null ? {} : { authorization: `Bearer ${channel.token}` }),
        ...(sign === 'standard' && secret !== null ? standardHeaders(secret, notification.key, body, nowMs) : {}),
      },
      body,
    };
  };
}

/** Address and headers are of the configuration and of our own ids: what is in them is not escaped for a text. */
function compile(
  { url = '{{ url }}', headers = {}, body }: RequestTemplate,
  bodies: Templates,
  addresses: Templates,
): Compiled {
  const address = addresses.parse(url);
  const fields = Object.entries(headers).map(([name, text]) => [name, addresses.parse(text)] as const);
  const tree = compileTree(body ?? null, bodies);
  return (context) => ({
    url: address(context),
    headers: Object.fromEntries(fields.map(([name, render]) => [name, render(context)])),
    body: tree(context),
  });
}

export function contentTypeOf({ type, format }: ChannelConfig): string {
  return channelDefinition(type).document === true ? contentTypeOfDocument(format) : 'application/json';
}
