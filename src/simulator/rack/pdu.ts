// A PDU of the world as a real SNMP agent on a free loopback port.

import { SimulatedPdu as Agent } from '../pdu-agent/simulated-pdu.ts';
import type { PlannedPdu } from '../scenario/world.ts';
import type { SimulatedPdu } from './simulated-pdu.ts';

export function startPdu(pdu: PlannedPdu): Promise<SimulatedPdu> {
  const perPhase = Math.max(1, Math.round(pdu.outlets / pdu.phases));
  return Agent.start({
    model: {
      model: pdu.model,
      name: pdu.name,
      phases: pdu.phases,
      outlets: pdu.outlets,
      voltageV: pdu.voltage,
      outletCurrentA: pdu.current / perPhase,
    },
  });
}
