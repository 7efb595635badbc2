// What is done on this host itself: one GPU reset, or a reboot. Both need rights that the service does not have by itself.

import type { Component } from '../../../model/component.ts';
import type { StageAction } from '../../../model/stage.ts';
import { trusted } from '../../../sources/files/trusted.ts';
import { runProgram } from './program.ts';
import { ActError, type Target } from './target.ts';

/** A reset takes some seconds; one of all GPUs of a board with switches up to a minute. */
const RESET_MS = 120_000;
const REBOOT_MS = 30_000;
/** How long our own handles on the devices stay closed. */
const RELEASE_MS = 180_000;
/** What holds them is gone after a tenth of a second; a call that hangs is abandoned after some. */
const RELEASED_MS = 3_000;

abstract class HostProgram implements Target {
  readonly stage = 'remediated';
  abstract readonly action: StageAction;
  readonly component: Component;
  readonly node: string;
  protected readonly path: string;
  protected readonly arguments: readonly string[];

  constructor(path: string, words: readonly string[], component: Component, host: string) {
    this.path = path;
    this.arguments = words;
    this.component = component;
    this.node = host;
  }

  get words(): string {
    return [this.path, ...this.arguments].join(' ');
  }

  /** The node is out of service already, and was counted then. */
  async count(): Promise<null> {
    return null;
  }

  async isDone(): Promise<boolean> {
    return false;
  }

  async tryOut(): Promise<void> {
    const found = await trusted(this.path);
    if (found === null) throw new ActError('no_program', `${this.path} is not there`);
    if (found.doubt !== null) throw new ActError('no_program', `${this.path} is not run: ${found.doubt}`);
  }

  abstract act(): Promise<void>;
}

export class GpuReset extends HostProgram {
  readonly action = 'gpu_reset';
  readonly #release: (ms: number) => boolean;

  /** `release`: lets go of the devices; the reset fails while anything has one open. */
  constructor(path: string, uuid: string, gpu: Component, { host, release }: { readonly host: string; readonly release: (ms: number) => boolean }) {
    super(path, ['--gpu-reset', '-i', uuid], gpu, host);
    this.#release = release;
  } // biome-ignore format: signature

  async act(): Promise<void> {
    if (this.#release(RELEASE_MS)) await new Promise((resolve) => setTimeout(resolve, RELEASED_MS).unref());
    await runProgram(this.path, this.arguments, { deadlineMs: RESET_MS });
  }
}

export class Reboot extends HostProgram {
  readonly action = 'reboot';

  constructor(path: string, host: string) {
    super(path, ['reboot'], { type: 'host', id: host }, host);
  }

  async act(): Promise<void> {
    await runProgram(this.path, this.arguments, { deadlineMs: REBOOT_MS });
  }
}
