// Memory and CPU of the daemon and of the children that read for it: what watching costs the host.

import type { Meter } from '@opentelemetry/api';
import { processUsage } from './host-process.ts';
import type { Instruments } from './instruments.ts';
import type { SelfInputs } from './self-inputs.ts';

export function observeProcesses(instruments: Instruments, meter: Meter, inputs: SelfInputs): void {
  const memory = instruments.observableUpDownCounter('process.memory.usage');
  const cpu = instruments.observableCounter('process.cpu.time');
  meter.addBatchObservableCallback(
    async (result) => {
      const found = processes(inputs).map(
        async ([role, pid]) => [role, await processUsage(inputs.procRoot, pid)] as const,
      );
      for (const [role, usage] of await Promise.all(found)) {
        if (usage === null) continue;
        result.observe(memory, usage.residentBytes, { 'process.role': role });
        result.observe(cpu, usage.userSeconds, { 'process.role': role, 'cpu.mode': 'user' });
        result.observe(cpu, usage.systemSeconds, { 'process.role': role, 'cpu.mode': 'system' });
      }
    },
    [memory, cpu],
  );
}

function processes(inputs: SelfInputs): [role: string, pid: number][] {
  const found: [string, number][] = [['daemon', process.pid]];
  for (const source of inputs.sources()) {
    const pid = source.childPid?.() ?? null;
    if (pid !== null) found.push([source.name, pid]);
  }
  return found;
}
