// Packs the Helm chart with the version of the release. The same files give the same bytes; helm package stamps the time into its own.
// usage: node scripts/lib/release/write-chart.mjs FOLDER ARCHIVE

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { tar, tree } from './tar.mjs';

const [folder, archive] = process.argv.slice(2);
const { VERSION, SOURCE_DATE_EPOCH } = process.env;
const chart = readFileSync(join(folder, 'Chart.yaml'), 'utf8')
  .replace(/^version: .*$/m, `version: ${VERSION}`)
  .replace(/^appVersion: .*$/m, `appVersion: "${VERSION}"`);
const entries = tree(folder, 'faultline').map((entry) =>
  entry.path === 'faultline/Chart.yaml' ? { ...entry, data: Buffer.from(chart) } : entry,
);
writeFileSync(archive, gzipSync(tar(entries, Number(SOURCE_DATE_EPOCH)), { level: 9 }));
