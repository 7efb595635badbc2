// net-snmp's own daemon on a loopback port, started, ended and started again.

import { type ChildProcess, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SnmpSession } from '../../src/sources/pdu/session.ts';
import { pduConfig, USER } from '../sources/pdu/support.ts';

const SNMPD = '/usr/sbin/snmpd';
/** Why tests of it are skipped; false where it is there. */
export const skip = existsSync(SNMPD) ? false : 'snmpd is not installed: apt-get install snmpd';

export class Snmpd {
  readonly port: number;
  /** Where it keeps how often it started. */
  readonly folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.folder = folder;
  }

  /** `more`: further lines of its configuration. */
  static async start(more: readonly string[] = []): Promise<Snmpd> {
    const free = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(free, 'listening');
    const { port } = free.address();
    free.close();
    const daemon = new Snmpd(port, mkdtempSync(join(tmpdir(), 'snmpd-')));
    const { name, authKey, privKey } = USER;
    const lines = [
      `createUser ${name} SHA-256 ${authKey} AES ${privKey}`,
      `rouser ${name} priv`,
      'rocommunity public 127.0.0.1',
      ...more,
    ];
    writeFileSync(join(daemon.folder, 'snmpd.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
    await daemon.run();
    return daemon;
  }

  async run(): Promise<void> {
    const conf = join(this.folder, 'snmpd.conf');
    this.#child = spawn(SNMPD, ['-f', '-Lo', '-C', '-c', conf, `udp:127.0.0.1:${this.port}`], {
      stdio: 'ignore',
      env: { ...process.env, SNMP_PERSISTENT_DIR: join(this.folder, 'kept') },
    });
    for (let tries = 0; tries < 200; tries += 1) {
      const session = new SnmpSession(pduConfig(this.port, { timeoutMs: 100 }), Date.now);
      const reply = await session.get(['1.3.6.1.2.1.1.3.0']).catch(() => null);
      session.close();
      if (reply !== null) return;
      await sleep(50);
    }
    throw new Error(`snmpd does not answer; it ended with ${this.#child.exitCode}`);
  }

  /** `forgets`: as a card that keeps nothing over a loss of power. */
  async end(forgets: boolean): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    if (forgets) rmSync(join(this.folder, 'kept'), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    await this.end(true);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
