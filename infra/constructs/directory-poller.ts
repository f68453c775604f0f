import { Duration } from 'aws-cdk-lib';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { DirectoryRequest } from '#shared/config/directory-request.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import { NotifierFunction, type Surroundings } from './notifier-function.ts';
import { Schedules } from './schedules.ts';

export interface DirectoryPollerProps {
  readonly surroundings: Surroundings;
  /** Kinds of records that some channel calls by their names. */
  readonly kinds: DirectoryRequest['kinds'];
}

/** Asks every connection once a day for the names that people are shown. */
export class DirectoryPoller extends NotifierFunction {
  constructor(scope: Construct, id: string, { surroundings, kinds }: DirectoryPollerProps) {
    const { config, table, notify } = surroundings;
    const { connections, functions } = config;
    super(scope, id, {
      surroundings,
      code: 'poll-directory',
      description: 'Refreshes the names of employees, departments, activities and organisations',
      timeoutSeconds: functions.timeoutSeconds,
      memoryMb: functions.memoryMb,
      environment: {},
      startedBy: 'invocation',
      // The next schedule is a day away, and people would read ids until then.
      retries: { atMost: 2, within: Duration.hours(1) },
    });
    table.allowUse(
      this.role,
      connections.map(({ name }) => `${name}#directory`),
    );
    this.allowReadingSecrets(connections.map(({ secretName }) => secretName));
    const requests = connections.map((connection): [string, DirectoryRequest] => [
      connection.name,
      { connection, kinds },
    ]);
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.days(1)),
      inputs: new Map(requests),
    });
    new NotifierAlarm(this, 'ErrorsAlarm', {
      alarm: 'directory-errors',
      metric: schedules.failures(this.function, 60),
      when: { atLeast: 1 },
      notify,
    });
  }
}
