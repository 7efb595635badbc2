// What is looked up when a sink collects: sources, native core, queues, incident log, exports.

import type { Instruments } from './instruments.ts';
import type { SelfInputs } from './self-inputs.ts';

export function observeInputs(instruments: Instruments, inputs: SelfInputs): void {
  observeSources(instruments, inputs);
  observeCore(instruments, inputs);
  observeQueues(instruments, inputs);
  instruments.observableCounter('faultline.log.entries').addCallback((result) => {
    const { written, unavailable, dropped } = inputs.log() ?? { written: 0, unavailable: 0, dropped: 0 };
    for (const [name, value] of Object.entries({ written, unavailable, dropped }))
      result.observe(value, { result: name });
  });
  instruments.observableCounter('faultline.connections.let_go').addCallback((result) => {
    for (const [server, { refused, evicted }] of Object.entries(inputs.servers())) {
      result.observe(refused, { server, result: 'refused' });
      result.observe(evicted, { server, result: 'evicted' });
    }
  });
  instruments.observableCounter('faultline.exports').addCallback((result) => {
    for (const { sink, exports } of inputs.sinks()) {
      for (const [name, value] of Object.entries(exports)) result.observe(value, { sink, result: name });
    }
  });
}

function observeSources(instruments: Instruments, inputs: SelfInputs): void {
  instruments.observableUpDownCounter('faultline.source.up').addCallback((result) => {
    // Several logs or devices may have one name: it is up only while all of them are.
    const up = new Map<string, number>();
    for (const { source, status } of inputs.sources().flatMap((each) => each.health())) {
      if (status !== 'off')
        up.set(source, Math.min(up.get(source) ?? 1, status === 'works' || status === 'partial' ? 1 : 0));
    }
    for (const [source, value] of up) result.observe(value, { source });
  });
  const counts = () => inputs.sources().flatMap((source) => source.counts?.() ?? []);
  instruments.observableCounter('faultline.source.reads').addCallback((result) => {
    for (const { source, reads, failures } of counts()) {
      if (reads !== undefined) result.observe(reads, { source, result: 'ok' });
      if (failures !== undefined) result.observe(failures, { source, result: 'failed' });
    }
  });
  instruments.observableCounter('faultline.source.read.time').addCallback((result) => {
    for (const { source, readSeconds } of counts()) {
      if (readSeconds !== undefined) result.observe(readSeconds, { source });
    }
  });
  instruments.observableCounter('faultline.source.lost').addCallback((result) => {
    for (const { source, lost } of counts()) if (lost !== undefined) result.observe(lost, { source });
  });
}

function observeCore(instruments: Instruments, inputs: SelfInputs): void {
  instruments.observableUpDownCounter('faultline.core.series').addCallback((r) => r.observe(inputs.core().series));
  instruments.observableCounter('faultline.core.samples').addCallback((r) => r.observe(inputs.core().samples));
  instruments.observableCounter('faultline.core.edges').addCallback((r) => r.observe(inputs.core().edges));
  instruments.observableCounter('faultline.core.wakeups').addCallback((r) => r.observe(inputs.core().wakeups));
  instruments.observableCounter('faultline.core.records.lost').addCallback((r) => r.observe(inputs.core().recordsLost));
}

function observeQueues(instruments: Instruments, inputs: SelfInputs): void {
  instruments.observableUpDownCounter('faultline.queue.items').addCallback((result) => {
    result.observe(inputs.core().pendingEvents, { queue: 'native' });
    for (const { sink, waitingItems } of inputs.sinks()) {
      if (waitingItems !== undefined) result.observe(waitingItems, { queue: sink });
    }
  });
  instruments.observableUpDownCounter('faultline.queue.size').addCallback((result) => {
    result.observe(inputs.log()?.waitingBytes ?? 0, { queue: 'incident-log' });
    for (const { sink, waitingBytes } of inputs.sinks()) {
      if (waitingBytes !== undefined) result.observe(waitingBytes, { queue: sink });
    }
  });
}
