// The temporary folder of a demo: only its owner's, kept where it holds evidence, gone otherwise.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { socketPath } from '../../api/socket-path.ts';
import { errorText } from '../../helpers/error-text.ts';

/** sun_path holds 108 bytes with its end mark (linux/un.h). */
const MAX_SOCKET_BYTES = 107;

export class Workplace {
  readonly folder: string;
  readonly rack: string;
  readonly config: string;
  readonly daemonLog: string;
  readonly incidentLog: string;
  readonly socket: string;

  /** Throws FL5110 when the folder for temporary files cannot hold it. */
  constructor(parent: string = tmpdir()) {
    try {
      this.folder = mkdtempSync(join(parent, 'faultline-demo-')); // mode 0700
    } catch (error) {
      const reason = errorText(error);
      throw new Error(
        `FL5110 no temporary folder could be made in ${parent}: ${reason}. Set TMPDIR to a folder you own`,
      );
    }
    this.rack = join(this.folder, 'rack');
    this.config = join(this.folder, 'faultline.yaml');
    this.daemonLog = join(this.folder, 'daemon.log');
    this.incidentLog = join(this.folder, 'log', 'incidents.jsonl');
    this.socket = socketPath(join(this.folder, 'run'));
    if (Buffer.byteLength(this.socket) > MAX_SOCKET_BYTES) {
      this.remove();
      throw new Error(`FL5110 ${this.socket} is too long for a socket. Set TMPDIR to a shorter path, for example /tmp`);
    }
    mkdirSync(this.rack);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
