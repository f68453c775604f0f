import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { formatCurl } from '#console/server/records/read-record.ts';

test.each([
  'https://acme.example/api/v1/timesheets/1_7',
  "https://acme.example/api/v1/timesheets/1';touch$IFS$(x)&",
  'https://acme.example/a b/api/v1/payperiods/`id`"$HOME"',
])('a shell takes the request that is copied for %s as one address', (address) => {
  const script = `curl() { printf '%s\\n' "$@"; }; WORKFORCE_API_TOKEN=t; ${formatCurl(address)}`;
  const words = execFileSync('sh', ['-c', script], { encoding: 'utf8' });

  expect(words).toBe(`-H\nAuthorization: Bearer t\n${address}\n`);
});
