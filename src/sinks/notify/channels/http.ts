// HTTP: the transport of every channel that is a file of catalog/channels.

import { errorText } from '../../../helpers/error-text.ts';
import { REDACTED } from '../../../model/redact.ts';
import { HttpTransport } from '../../delivery/send/http-transport.ts';
import { type Outcome, oneLine, retry } from '../../delivery/send/outcome.ts';
import type { Transport } from '../../delivery/send/transport.ts';
import type { Message } from '../../delivery/spool/frame.ts';
import type { ChannelConfig } from '../settings.ts';
import { answered } from '../write/outcome.ts';
import { type ChannelRequest, contentTypeOf, writerOf } from '../write/request.ts';
import { channelDefinition } from './definition.ts';
import { Pace } from './pace.ts';
import { notificationIn } from './queued.ts';
import type { Threads } from './threads.ts';

export interface ChannelSurroundings {
  readonly userAgent: string;
  readonly now: () => number;
  readonly threads: Threads;
}

export function httpChannel(channel: ChannelConfig, { userAgent, now, threads }: ChannelSurroundings): Transport {
  const { reply, remedies } = channelDefinition(channel.type);
  const hide = withoutSecretsOf(channel);
  const write = writerOf(channel);
  const pace = new Pace(channel.rate);
  const threadOf = (message: Message) => notificationIn(message).conversation;
  const http = new HttpTransport({
    target: {
      endpoint: channel.url,
      tls: channel.url.startsWith('https:'),
      headers: {},
      compression: 'none',
      ...channel.reach,
    },
    contentType: contentTypeOf(channel),
    userAgent,
    requestOf: async (message): Promise<ChannelRequest | Outcome> => {
      if (!(await pace.turn())) return retry('busy', 'it is stopped');
      try {
        const notification = notificationIn(message);
        return write(notification, threads.of(channel.name, notification.conversation), now());
      } catch (error) {
        return { is: 'fatal', why: oneLine(`it cannot be written: ${errorText(error)}`) };
      }
    },
    outcomeOf: async (got, message) => {
      const { outcome, thread } = answered(got, reply, remedies);
      if (thread !== null) threads.learn(channel.name, threadOf(message), thread);
      return 'why' in outcome ? { ...outcome, why: hide(outcome.why) } : outcome;
    },
  });
  return {
    send: (message) => http.send(message),
    close: () => {
      pace.close();
      http.close();
    },
  };
}

const SHORTEST_SECRET = 6;

/** A receiver that repeats what it was sent would have our secrets in the log. */
function withoutSecretsOf({ secret, token, url, type }: ChannelConfig): (text: string) => string {
  const { pathname, search } = new URL(url);
  const address =
    channelDefinition(type).secret_url === true ? [url, `${pathname}${search}`, ...pathname.split('/')] : [];
  const all = [secret, token, ...address].filter((each) => each !== null && each.length >= SHORTEST_SECRET);
  const longest = [...new Set(all)].sort((a, b) => (b?.length ?? 0) - (a?.length ?? 0));
  return (text) => longest.reduce<string>((left, each) => left.replaceAll(each ?? '', REDACTED), text);
}
