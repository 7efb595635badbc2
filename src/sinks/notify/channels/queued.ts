// Queued: a notification as it lies in the queue.

import type { Message } from '../../delivery/spool/frame.ts';
import type { Notification } from '../notification.ts';

export function queued(notification: Notification): Buffer {
  return Buffer.from(JSON.stringify(notification));
}

/** Written by this sink; the frame's checksum says that it is whole. */
export function notificationIn({ bytes }: Pick<Message, 'bytes'>): Notification {
  return JSON.parse(Buffer.from(bytes).toString()) as Notification; // what `queued` made
}
