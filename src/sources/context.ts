// SourceContext: what a source is made with: this host, its clocks and readers, and what other sources offer.

import type { BaseConfig } from '../config/base.ts';
import type { Identity } from '../identity/identity.ts';
import type { NativeCore } from '../native.ts';
import type { SmallFiles } from './files/small-files.ts';
import type { Watch } from './files/watched-source.ts';
import type { Services } from './services.ts';

/** For what a device does: it restarted, answers again, refused a user. */
export interface SourceLogger {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

export interface SourceContext extends Pick<BaseConfig, 'host' | 'roots' | 'directories'> {
  readonly core: NativeCore;
  /** Now on the steady clock, epoch ms. */
  now(): number;
  /** The time on the steady clock when the wall clock showed `wallMs`, epoch ms both. */
  steady(wallMs: number): number;
  /** A reader of small files; the readers of all sources share one budget of reads that hang. */
  files(): SmallFiles;
  /** What is known of this host: sources teach it and ask it. */
  readonly identity: Identity;
  readonly logger: SourceLogger;
  readonly services: Services;
  /** Has native code read files while nothing changes; null where every sample must pass through JavaScript: it is recorded. */
  readonly watch: Watch | null;
  /** False for a look of a moment, which leaves nothing on disk and takes no inventory. */
  readonly lasting: boolean;
}
