// Target: one thing that can be done about a node, and what must be known before.

import type { Component } from '../../../model/component.ts';
import type { StageAction, StageName } from '../../../model/stage.ts';
import type { Cluster } from '../decide/breaker.ts';

/** It was tried and did not work: `type` is one of few words. */
export class ActError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

export interface Target {
  readonly stage: StageName;
  readonly action: StageAction;
  readonly component: Component;
  /** Name of this node where others are counted. */
  readonly node: string;
  /** In words, for the audit record: the request, or the program with its arguments. */
  readonly words: string;
  /** What is out of service now; null where the action takes no node out of service. Rejects where that is not known. */
  count(): Promise<Cluster | null>;
  /** Whether it is so already, whoever did it. */
  isDone(): Promise<boolean>;
  /** Asks whether it would be taken, where the other side can say that. Rejects with ActError. */
  tryOut(): Promise<void>;
  /** Rejects with ActError. */
  act(): Promise<void>;
  /** Takes it back while it is our own; left out where that cannot be. Rejects with ActError, `not_ours` where it is another's by now. */
  undo?(): Promise<void>;
  /** That in words. */
  readonly undoWords?: string;
}
