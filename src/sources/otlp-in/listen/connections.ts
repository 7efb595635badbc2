// Connections: those of one address, within a limit: of the sender that has most, the oldest makes room for who comes next.

import type { Socket } from 'node:net';
import { senderOf } from '../../sender.ts';

export class Connections {
  readonly #most: number;
  /** Socket → its sender, empty until that is known; oldest first. */
  readonly #senders = new Map<Socket, string>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns the one that has to make room for it; null while there is room. */
  add(socket: Socket, sender: Promise<{ readonly name: string }> = senderOf(socket)): Socket | null {
    this.#senders.set(socket, '');
    socket.once('close', () => this.#senders.delete(socket));
    void sender.then(({ name }) => {
      if (this.#senders.has(socket)) this.#senders.set(socket, name);
    });
    if (this.#senders.size <= this.#most) return null;
    const counts = new Map<string, number>();
    for (const name of this.#senders.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [''];
    const [oldest] = [...this.#senders].find(([other, name]) => name === most && other !== socket) ?? [null];
    if (oldest !== null) this.#senders.delete(oldest);
    return oldest;
  }

  close(): void {
    for (const socket of this.#senders.keys()) socket.destroy();
  }
}
