// Carriers: what is around a message in what people paste: heads of other programs, marks of pages and chats, and what copying makes of a text.

/** A message with what its own log has before it. */
export interface Carried {
  /** Of one line: the words alone. */
  readonly said: string;
  /** Without the name of the program, which the journal has before it. */
  readonly message: string;
  /** With the head that its own log gives it. */
  readonly logged: string;
  /** As the journal calls who wrote it: "kernel", "slurmctld[812]"; null for what a job or a tool prints. */
  readonly tag: string | null;
}

export type Carrier = (line: Carried) => string;

const DAY = '2026-11-27';
const ISO = `${DAY}T12:00:00`;
const cut = (text: string, words: number): string => text.split(' ').slice(words).join(' ');
const json = (key: string, text: string): string =>
  JSON.stringify({ timestamp: `${ISO}Z`, level: 'error', [key]: text });
const smart = (text: string): string =>
  text
    .replace(/"([^"]*)"/g, '“$1”')
    .replace(/'/g, '’')
    .replace(/ - /g, ' – ')
    .replace(/--/g, '—')
    .replace(/\.\.\./g, '…');
const html = (text: string): string =>
  text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
const wrapped = (text: string, width: number): string =>
  (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []).join('\n');
const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\t', '\\t');
const others = ['starting the shard reader', 'all workers are ready'] as const;
const [before, after] = others;

/** By name. What people add themselves says nothing of who wrote a line. */
export const CARRIERS: Readonly<Record<string, Carrier>> = {
  'nothing': ({ said }) => said,
  'between other lines': ({ said }) => `${before}\n${said}\n${after}`,
  'journalctl': ({ said, message, tag }) => (tag === null ? said : `Nov 27 12:00:00 node-1 ${tag}: ${message}`),
  'journalctl --no-hostname': ({ said, message, tag }) => (tag === null ? said : `Nov 27 12:00:00 ${tag}: ${message}`),
  'journalctl -o short-full': ({ said, message, tag }) => (tag === null ? said : `Fri ${DAY} 12:00:00 UTC node-1 ${tag}: ${message}`),
  'journalctl -o with-unit': ({ said, message, tag }) => (tag === null ? said : `Fri ${DAY} 12:00:00 UTC node-1 ${tag === 'kernel' ? tag : tag.replace('[', '.service[')}: ${message}`),
  'kubectl logs --prefix': ({ said }) => `[pod/train-0/main] ${said}`,
  'kubectl logs --prefix --timestamps': ({ said }) => `[pod/train-0/main] ${ISO}.123456789Z ${said}`,
  'stern': ({ said }) => `train-0 main ${said}`,
  'docker compose': ({ said }) => `worker-1  | ${said}`,
  'docker logs -t': ({ said }) => `${ISO}.123456789Z ${said}`,
  'clush': ({ said }) => `node-1: ${said}`,
  'clush -b': ({ said }) => `---------------\nnode-1\n---------------\n${said}`,
  'clush, of its log': ({ logged }) => `node-1: ${logged}`,
  'ansible': ({ said }) => `node-1 | CHANGED | rc=0 >>\n${said}`,
  'ansible debug': ({ said }) => `ok: [node-1] => {\n    "msg": [\n        "${before}",\n        "${escaped(said)}"\n    ]\n}`,
  'ansible stdout_lines': ({ said }) => `ok: [node-1] => {\n    "out.stdout_lines": [\n        "${escaped(said)}",\n        "${after}"\n    ]\n}`,
  'ansible stdout': ({ said }) => `changed: [node-1] => {"changed": true, "rc": 0, "stdout": "${before}\\n${escaped(said)}\\n${after}"}`,
  'a list of JSON strings': ({ said }) => `[\n  "${before}",\n  "${escaped(said)}",\n  "${after}"\n]`,
  'half a list of JSON strings': ({ said }) => `  "${before}",\n  "${escaped(said)}",\n  "${after}"`,
  'salt': ({ said }) => `node-1:\n    ${said}`,
  'grep -n': ({ said }) => `12:${said}`,
  'grep -Hn': ({ said }) => `messages.1:12:${said}`,
  'grep -A': ({ said }) => `messages.1-12-${said}`,
  'grep -n, of its log': ({ logged }) => `12:${logged}`,
  'zgrep -H': ({ said }) => `/var/log/messages-20261127.gz:${said}`,
  'zgrep -H, of its log': ({ logged }) => `/var/log/messages-20261127.gz:${logged}`,
  'cat -n': ({ said }) => `    12\t${said}`,
  'cat -n, of its log': ({ logged }) => `    12\t${logged}`,
  'a quotation': ({ said }) => `> ${before}\n> ${said}`,
  'a quotation, of its log': ({ logged }) => `> ${logged}`,
  'a list': ({ said }) => `- ${before}\n- ${said}`,
  'a list with stars': ({ said }) => `* ${before}\n* ${said}`,
  'a numbered list': ({ said }) => `1. ${before}\n2. ${said}`,
  'code': ({ said }) => `\`\`\`\n${said}\n\`\`\``,
  'code in a line': ({ said }) => `\`${said}\``,
  'a table of Markdown': ({ said }) => `| time | message |\n|---|---|\n| 12:00:00 | ${said.replaceAll('|', '\\|')} |`,
  'double quotes': ({ said }) => `"${escaped(said)}"`,
  'single quotes': ({ said }) => `'${said}'`,
  'one line of several': ({ said }) => `${before} ${said} ${after}`,
  'one line with \\n': ({ said }) => `${before}\\n${said}\\n${after}`,
  'one line of its log': ({ logged }) => `${logged} ${logged}`,
  'HTML': ({ said }) => html(said),
  'HTML with tags': ({ said }) => `<p>${html(said)}<br/></p>`,
  'smart quotes': ({ said }) => smart(said),
  'no-break spaces': ({ said }) => said.replace(/ /g, '\u00a0'),
  'blanks doubled': ({ said }) => said.replace(/ /g, '  '),
  'blanks squeezed': ({ said }) => said.replace(/\s+/g, ' ').trim(),
  'tabs for blanks': ({ said }) => said.replace(/ {2,}/g, '\t'),
  'CRLF': ({ said }) => `${before}\r\n${said}\r\n${after}\r\n`,
  'the head cut': ({ logged }) => cut(logged, 1),
  'the head cut further': ({ logged }) => cut(logged, 2),
  'the end cut': ({ said }) => `${said.slice(0, Math.ceil(said.length * 0.85))}…`,
  'Grafana': ({ said }) => `${DAY} 12:00:00.000\terror\t${said}`,
  'logcli': ({ said }) => `${ISO}Z {host="node-1", job="journal"} ${said}`,
  'Kibana': ({ said }) => `Nov 27, 2026 @ 12:00:00.000\tnode-1\t${said}`,
  'CloudWatch': ({ said }) => `${ISO}.000Z\t${said}`,
  'CloudWatch tail': ({ said }) => `${ISO}.000000+00:00 gpu-host/i-0a1b2c3d4e5f67890 ${said}`,
  'gcloud': ({ said }) => `ERROR ${ISO}.123456789Z [resource.labels.podName: train-0] ${said}`,
  'Datadog': ({ said }) => `Nov 27 12:00:00.123 node-1 trainer ${said}`,
  'Splunk': ({ said }) => `11/27/26\t12:00:00.000 PM\t${said}\nhost = node-1   source = /var/log/messages   sourcetype = syslog`,
  'JSON, message': ({ said }) => json('message', said),
  'JSON, msg': ({ said }) => json('msg', said),
  'JSON, log': ({ said }) => JSON.stringify({ log: `${said}\n`, stream: 'stderr', time: `${ISO}.1Z` }),
  'JSON, textPayload': ({ said }) => json('textPayload', said),
  'JSON, MESSAGE': ({ said }) => JSON.stringify({ MESSAGE: said, PRIORITY: '4', __REALTIME_TIMESTAMP: '1795780800000000' }),
  'JSON, @message': ({ said }) => json('@message', said),
  'JSON, indented': ({ said }) => JSON.stringify({ timestamp: `${ISO}Z`, severity: 'ERROR', message: said }, null, 2),
  'JSON, cut': ({ said }) => `${json('message', said).slice(0, -1)}`,
  'level and colon': ({ said }) => `ERROR: ${said}`,
  'a logger': ({ said }) => `${DAY} 12:00:00,123 - trainer.main - ERROR - ${said}`,
  'a progress bar': ({ said }) => ` 45%|████▌     | 450/1000 [10:23<12:41,  1.38s/it]${said}`,
  'a progress bar and a blank': ({ said }) => `Training:  45%|████▌     | 450/1000 [10:23<12:41,  1.38s/it] ${said}`,
  'ranks': ({ said }) => `[vllm]: [rank0]: ${said}`,
  'ray': ({ said }) => `(TrainWorker pid=4411, ip=10.0.0.4) ${said}`,
  'raylet': ({ said }) => `(raylet, ip=10.0.0.4) [${DAY} 12:00:00,123 E 4411 4411] (raylet) node_manager.cc:3064: ${said}`,
  'srun --label': ({ said }) => `3: ${said}`,
  'mpirun --tag-output': ({ said }) => `[1,3]<stderr>:${said}`,
  'torchrun --tee': ({ said }) => `[default3]:${said}`,
  '80 columns': ({ said }) => wrapped(said, 80),
  '120 columns': ({ said }) => wrapped(said, 120),
  '80 columns, of its log': ({ logged }) => wrapped(logged, 80),
  'a time, 17:03': ({ said }) => `17:03 ${said}`,
  'a time, 17:03:12': ({ said }) => `17:03:12 ${said}`,
  'a time, [17:03]': ({ said }) => `[17:03:12] ${said}`,
  'a time, 5:03 PM': ({ said }) => `Nov 28 5:03 PM ${said}`,
  'a time in seconds': ({ said }) => `1795780800 ${said}`,
  'a chat': ({ said }) => `node-1 log says:\n${said}`,
}; // biome-ignore format: one carrier a line
