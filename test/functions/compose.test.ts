import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLogger } from '#functions/parts/compose.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import { listModules } from '#test/support/modules.ts';

let written: string[];

beforeEach(() => {
  written = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.spyOn(console, 'info').mockImplementation((line: string) => void written.push(line));
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test.each(['DEBUG', 'INFO', 'WARN', 'ERROR', 'SILENT'])(
  'outcome lines are written at the level %s: alarms count them',
  (level) => {
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', level);
    createLogTelemetry(createLogger()).report({ outcome: 'alerts.collected', result: 'incomplete' });
    expect(written.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'INFO', outcome: 'alerts.collected', result: 'incomplete' },
    ]);
  },
);

test('every function has that logger', () => {
  const makers = listModules(['functions']).filter(({ path }) =>
    readFileSync(path, 'utf8').includes('new Logger('),
  );
  expect(makers.map(({ path }) => path)).toEqual(['functions/parts/compose.ts']);
});
