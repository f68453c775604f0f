import { mkdirSync, writeFileSync } from 'node:fs';
import { generateEventDocuments } from './event-documents.ts';

for (const folder of ['events', 'envelopes']) mkdirSync(`docs/schemas/${folder}`, { recursive: true });
for (const { path, text } of generateEventDocuments()) {
  writeFileSync(path, text);
}
