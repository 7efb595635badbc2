// Mail: a notification as an email: plain text and HTML, one thread for each conversation.

import type { SendMailOptions } from 'nodemailer';
import { channelDefinition } from '../channels/definition.ts';
import type { Notification } from '../notification.ts';
import type { ChannelConfig } from '../settings.ts';
import { ESCAPES } from './escape.ts';
import { Templates } from './liquid.ts';
import { wordsFor } from './words.ts';

export function mailOf(channel: ChannelConfig): (notification: Notification) => SendMailOptions {
  const { escape: form, longest, request } = channelDefinition(channel.type);
  const html = new Templates(ESCAPES[form]).parse(request.html ?? '');
  const words = wordsFor(channel.templates, longest);
  return (notification) => {
    const made = words(notification);
    const { key, conversation, host, severity, what } = notification;
    const urgent = severity === 'critical' && what !== 'resolved';
    return {
      from: channel.from ?? '',
      to: [...channel.to],
      subject: ESCAPES.plain(made.title).replace(/\s+/g, ' '),
      text: `${ESCAPES.plain(made.title)}\n\n${ESCAPES.plain(made.text)}\n`,
      html: html({ ...notification, ...made }),
      messageId: idOf(key, host),
      references: idOf(conversation, host),
      inReplyTo: idOf(conversation, host),
      ...(urgent ? { priority: 'high' as const } : {}),
      headers: {
        'Auto-Submitted': 'auto-generated',
        'X-Faultline-Conversation': conversation.replace(/[^\x21-\x7e]/g, '_'),
      },
    };
  };
}

/** A message id of RFC 5322. */
function idOf(text: string, host: string): string {
  return `<${text.replace(/[^A-Za-z0-9._-]/g, '-')}@${host.replace(/[^A-Za-z0-9.-]/g, '-')}>`;
}
