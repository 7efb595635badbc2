// A PDU next to attackers who know our port and send forged answers as fast as they can: what is taken, what it costs.
// usage: node bench/hostile-snmp.mjs [SECONDS]

import { fork } from 'node:child_process';
import dgram from 'node:dgram';
import { setTimeout as sleep } from 'node:timers/promises';
import { datagramHead, tlvChildren, tlvInteger } from '../src/sources/pdu/datagram.ts';
import { SnmpSession } from '../src/sources/pdu/session.ts';
import { berInteger, response } from '../test/sources/pdu/hostile-agent.ts';
import { pduConfig } from '../test/sources/pdu/support.ts';

const [seconds = 20, attack] = process.argv.slice(2);
const UPTIME = '1.3.6.1.2.1.1.3.0';
const UPTIME_BER = Buffer.from('2b06010201010300', 'hex');
const FORGED = 666;

if (attack === 'flood') {
  process.on('message', async ({ port }) => {
    const socket = dgram.createSocket('udp4').bind(0, '127.0.0.2');
    for (let id = 1; ; id = (id % (2 ** 31 - 2)) + 1) {
      socket.send(response(id, [[UPTIME_BER, berInteger(FORGED)]]), port, '127.0.0.1');
      if (id % 200 === 0) await sleep(1);
    }
  });
} else {
  const device = dgram.createSocket('udp4').bind(0, '127.0.0.1');
  await new Promise((resolve) => device.once('listening', resolve));
  const attacker = fork(import.meta.filename, [seconds, 'flood']);
  let known = 0;
  device.on('message', (buffer, from) => {
    if (known !== from.port) attacker.send({ port: from.port });
    known = from.port;
    const head = datagramHead(buffer);
    const [id] = tlvChildren(buffer, head.pdu);
    device.send(response(tlvInteger(buffer, id), [[UPTIME_BER, berInteger(42)]]), from.port, from.address);
  });
  const session = new SnmpSession(pduConfig(device.address().port, { timeoutMs: 2000 }), Date.now);
  const counts = { right: 0, forged: 0, unanswered: 0 };
  const cpu = process.cpuUsage();
  const end = performance.now() + Number(seconds) * 1000;
  while (performance.now() < end) {
    const value = await session.get([UPTIME]).then(
      ({ values }) => values[0].value,
      () => null,
    );
    counts[value === 42 ? 'right' : value === null ? 'unanswered' : 'forged'] += 1;
    await sleep(20);
  }
  const { user, system } = process.cpuUsage(cpu);
  console.log(
    `${session.foreign} forged datagrams in ${seconds} s: ${counts.right} right answers, ${counts.forged} forged ones taken, ${counts.unanswered} polls without an answer, ${((user + system) / 1e4 / seconds).toFixed(0)} % of one core`,
  );
  attacker.kill('SIGKILL');
  process.exit();
}
