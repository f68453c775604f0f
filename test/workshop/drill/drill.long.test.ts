import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('../../../workshop/drill/main.ts', import.meta.url));
/** It has a webhook and an event bus, and no channel of Slack. */
const CONFIG = fileURLToPath(new URL('./without-slack.config.ts', import.meta.url));
/** Short ones; all of them take about a minute on a machine that does nothing else. */
const CHOSEN = ['topic-refuses', 'endpoint-gone', 'bus-refuses'];
const LEFT_OUT = 'slack-down';

describe('a drill', () => {
  let output: string;
  let code: number | null;

  beforeAll(async () => {
    const child = spawn(process.execPath, [PROGRAM, [LEFT_OUT, ...CHOSEN].join(',')], {
      env: { ...process.env, NOTIFIER_CONFIG: CONFIG },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    [code] = (await once(child, 'close')) as [number | null];
  });

  test('breaks what it was asked to, and ends with 0 when everything sounded and nothing was lost', () => {
    expect(output).toContain('all as it must be');
    expect(code).toBe(0);
    const heads = [...output.matchAll(/^\d+\. (.*)$/gm)].map(([, name]) => name);
    const [first, last, ...others] = CHOSEN;
    const leftOut = `${LEFT_OUT} is left out: the config has no channel of Slack`;
    expect(heads).toEqual([first, leftOut, last, ...others]);
  });

  test('shows the alarm with its metric and its heading of the runbook', () => {
    expect(output).toMatch(
      /ALARM {6}events-waiting\S*\n +\w+ of EventsWaiting >= 1 in \d+ of \d+ .*: docs\/runbook\.md#events-waiting/,
    );
    expect(output).toMatch(/quiet {6}events-waiting/);
    expect(output).toMatch(/ALARM {6}bus-errors\n.*docs\/runbook\.md#bus-errors/);
  });

  test('shows what waits, what an operator does, and who was told how late', () => {
    expect(output).toMatch(/waits +\d+ changes of the company not told, [1-9]\d* events in the outbox/);
    expect(output).toMatch(/waits .*[1-9]\d* in \S*webhook-payroll-system-dead-letters/);
    expect(output).toMatch(/waits .*[1-9]\d* in drilled-event-bus/);
    expect(output).toMatch(/repaired +the operator enables the webhook and redrives [1-9]\d* events/);
    expect(output).toMatch(/recovered +(\d+) changes meanwhile: \1 told within \d+ min/);
  });

  test('closes with a table: nothing lost, nothing twice', () => {
    const rows = output.split('\n').filter((line) => CHOSEN.some((name) => line.startsWith(name)));
    expect(rows).toHaveLength(CHOSEN.length);
    for (const row of rows) expect(row).toMatch(/ {2}0 {5}0 {6}\d+ min$/);
  });
});
