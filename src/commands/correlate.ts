// faultline correlate: what caused the degradations of services, out of PowerTrace's three files.

import type { AnyOptions } from './correlate/run-correlate.ts';
import { defineCommand, InvalidArgumentError, Option } from './define-command.ts';

const HELP = `
events:   {"events": [{id, timestamp, source, type, severity, device_id, raw_message}]}
traces:   {"service_metrics": [{service_name, timestamp, p50_latency_ms, p95_latency_ms, p99_latency_ms, error_rate_percent, throughput_rps}]}
alerts:   {"alerts": [{id, alert_name, source, status, starts_at, workload_id, pod_id, node_name}]}, for --scorer primus
topology: {"mappings": [{physical_device_id, feeds, gpus, services, parent_device_id, cloud_instance_id}]}

Times are ISO 8601 with a zone. A record that cannot be used is left out and named on standard error.

Exit status: 0 done, whatever was found; 1 an input cannot be used; 2 wrong usage.
`;

const seconds = (text: string): number => number(text, 0, 31_536_000);

export const correlate = defineCommand<AnyOptions>({
  name: 'correlate',
  group: 'Analyse and try',
  usage: '--events E --traces T --topology P',
  summary: 'causes in event, trace and topology files',
  description:
    'find what caused the degradations of services, out of files of events, of service metrics and of the topology',
  help: HELP,
  options: [
    new Option('--events <file>', 'what happened to devices'),
    new Option('--traces <file>', 'latency, errors and throughput of services'),
    new Option('--topology <file>', 'which device feeds, holds and serves what'),
    new Option('--alerts <file>', 'primus: alerts of Primus Lens, in place of the other three files'),
    new Option(
      '--scorer <name>',
      "this program's graph of causes, PowerTrace's penalties, or Primus Lens' pairs of alerts",
    )
      .choices(['faultline', 'powertrace', 'primus'])
      .default('faultline'),
    new Option('--output <form>', 'how to print it').choices(['timeline', 'json', 'markdown']).default('timeline'),
    new Option('--window <s>', 'powertrace: events up to this long after a degradation began count')
      .argParser(seconds)
      .default(5),
    new Option('--lag <s>', 'powertrace: events up to this long before it count').argParser(seconds).default(60),
    new Option('--baseline <s>', 'how far back a normal level is looked for').argParser(seconds).default(600),
    new Option('--confidence <share>', 'powertrace: incidents below it are marked')
      .argParser((text) => number(text, 0, 1))
      .default(0.6),
    new Option('--gpu-rate <usd>', 'powertrace: what an hour costs, USD').argParser((text) => number(text, 0, 1e9)),
  ],
  run: async ({ options, isGiven, io }) => {
    const { runCommand } = await import('./common/run-command.ts');
    const { runCorrelate } = await import('./correlate/run-correlate.ts');
    await runCommand(io, async () => runCorrelate(options, io, isGiven));
  },
});

function number(text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= least && value <= most))
    throw new InvalidArgumentError(`a number from ${least} to ${most} is wanted.`);
  return value;
}
