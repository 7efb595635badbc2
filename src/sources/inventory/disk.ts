// Disk: a part that the kernel's lines name otherwise than its slot does.

import type { Part } from '../../identity/parts/part.ts';

/** A disk, and what the kernel calls it in its lines: "nvme1", "sda". */
export interface Disk extends Part {
  readonly device: string | null;
}
