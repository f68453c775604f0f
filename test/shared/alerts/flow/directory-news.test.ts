import { expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

test('a channel with names reads who left which department, and any other their ids', async () => {
  const types = ['workforce.employee.left', 'workforce.department.manager_changed'];
  const channel = { kind: 'email', addresses: ['office@acme.example'] };
  const stage = new CollectStage({
    channels: [
      { ...channel, name: 'people', names: ['employees', 'departments'] },
      { ...channel, name: 'desk', addresses: ['desk@acme.example'] },
    ],
    rules: [{ types }],
  });
  stage.names = {
    ...NO_NAMES,
    employees: new Map([['2001_4711', 'Jo']]),
    departments: new Map([
      ['501_4711', 'Kitchen'],
      ['502_4711', 'Bar'],
    ]),
  };
  const events = [buildSampleEvent('employee.left'), buildSampleEvent('department.manager_changed')];
  await stage.collect(events.map((event) => createMessage(event)));
  const lines = async (name: string) => (await stage.waiting(name)).map(({ line }) => line).toSorted();
  expect(await lines('people')).toEqual(['Department Kitchen is managed by Jo now.', 'Jo left Bar.']);
  expect(await lines('desk')).toEqual([
    'Department 501_4711 is managed by employee 2001_4711 now.',
    'Employee 2001_4711 left department 502_4711.',
  ]);
});
