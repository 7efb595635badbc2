// net-snmp's own daemon takes our requests, whatever their ids, over v1, v2c and v3, and is found by name.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SnmpSession } from '../../src/sources/pdu/session.ts';
import type { PduSettings } from '../../src/sources/pdu/settings.ts';
import { pduConfig, USER } from '../sources/pdu/support.ts';

const SNMPD = '/usr/sbin/snmpd';
const UPTIME = '1.3.6.1.2.1.1.3.0';
const skip = existsSync(SNMPD) ? false : 'snmpd is not installed: apt-get install snmpd';

describe('snmpd', { skip }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'snmpd-'));
  let child: ChildProcess;
  let port = 0;

  async function ask(more: Partial<PduSettings>): Promise<unknown> {
    const session = new SnmpSession(pduConfig(port, { timeoutMs: 2000, retries: 1, ...more }), Date.now);
    try {
      return (await session.get([UPTIME])).values[0]?.value;
    } finally {
      session.close();
    }
  }

  before(async () => {
    const free = dgram.createSocket('udp4').bind(0, '127.0.0.1');
    await once(free, 'listening');
    port = free.address().port;
    free.close();
    const { name, authKey, privKey } = USER;
    writeFileSync(
      join(folder, 'snmpd.conf'),
      `createUser ${name} SHA-256 ${authKey} AES ${privKey}\nrouser ${name} priv\nrocommunity public 127.0.0.1\n`,
      { mode: 0o600 },
    );
    child = spawn(SNMPD, ['-f', '-Lo', '-C', '-c', join(folder, 'snmpd.conf'), `udp:127.0.0.1:${port}`], {
      stdio: 'ignore',
      env: { ...process.env, SNMP_PERSISTENT_DIR: folder },
    });
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await ask({ timeoutMs: 100, retries: 0 }).catch(() => null)) !== null) return;
      await sleep(50);
    }
    throw new Error(`snmpd does not answer; it ended with ${child.exitCode}`);
  });
  after(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  for (const version of ['1', '2c', '3'] as const) {
    test(`answers over v${version}`, async () => {
      const user = version === '3' ? USER : null;
      for (let i = 0; i < 20; i += 1) assert.equal(typeof (await ask({ version, user })), 'number');
    });
  }

  test('is found by name', async () => {
    assert.equal(typeof (await ask({ host: 'localhost' })), 'number');
  });
});
