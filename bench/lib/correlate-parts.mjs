// Runs `correlate --scorer powertrace --output json` in its parts, each once in a new process, and says on standard error how much
// CPU each took: of all threads, so that what compiles and collects garbage next to the main one counts; `main` is that of the main
// thread while it works, which is the time that it takes where nothing else runs. Arguments: three files.

import { compileLate } from '../../src/commands/correlate/powertrace/compile-late.ts';
import { powerTraceDocument } from '../../src/commands/correlate/powertrace/document.ts';
import { powerTraceReport } from '../../src/commands/correlate/powertrace/incidents.ts';
import { readRecords } from '../../src/commands/correlate/read-records.ts';
import { safeJson } from '../../src/model/safe-text.ts';

const [events, traces, topology] = process.argv.slice(2);
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
// As the command does.
compileLate();
const start = cpu();
const records = readRecords({ events, traces, topology }, (line) => process.stderr.write(`${line}\n`));
const read = cpu();
const thread = process.threadCpuUsage();
const report = powerTraceReport(records, { window: 5, lag: 60, baseline: 600, confidence: 0.6 });
const worked = cpu();
const { user, system } = process.threadCpuUsage(thread);
const main = (user + system) / 1e6;
process.stdout.write(`${safeJson(JSON.stringify(powerTraceDocument(report, Date.now()), null, 2))}\n`);
const written = cpu();
process.stderr.write(
  `${JSON.stringify({ main, work: worked - read, read: read - start, write: written - worked, whole: written })}\n`,
);
