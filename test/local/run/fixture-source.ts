import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { fixtureFunction, type Resources, writeAssembly } from '../aws/fixture-assembly.ts';

/** What a fixture poll function does: publish messages and return a report with these members. */
export interface Plan {
  readonly messages?: readonly string[];
  readonly report?: Record<string, unknown>;
  readonly crash?: boolean;
}

/** The input of a fixture poll function. */
interface ReceivedPoll {
  readonly feed: string;
  readonly authorization: string | undefined;
  readonly request: { connection: Record<string, unknown>; scope: string };
}

/** Decides what a fixture poll function does; `times` counts the polls of its feed from 1. */
export type Planner = (feed: string, times: number, scope: string) => Plan | Promise<Plan>;

export interface FixtureSource {
  readonly baseUrl: string;
  readonly asked: readonly ReceivedPoll[];
  close(): void;
}

/** A server that directs the fixture poll functions. */
export async function startFixtureSource(plan: Planner): Promise<FixtureSource> {
  const asked: ReceivedPoll[] = [];
  const { endpoint, stop } = await serveOnLoopback(async (request, response) => {
    const feed = request.url?.slice(1) ?? '';
    const { authorization } = request.headers;
    const sent = (await json(request)) as ReceivedPoll['request'];
    asked.push({ feed, authorization, request: sent });
    const times = asked.filter((earlier) => earlier.feed === feed).length;
    response.end(JSON.stringify(await plan(feed, times, sent.scope)));
  });
  return { baseUrl: endpoint, asked, close: () => void stop() };
}

/** A cloud assembly with two poll functions that do what a fixture source says. */
export function writePollAssembly(): string {
  return writeAssembly(pollResources(), fileURLToPath(new URL('./fixtures/polls', import.meta.url)));
}

/** Two poll functions, their schedules and the topic they publish to. */
export function pollResources(): Resources {
  const environment = { Environment: { Variables: { TOPIC_ARN_TIMESHEETS: { Ref: 'Timesheets' } } } };
  const connection = {
    name: 'main',
    baseUrl: 'https://acme.workforce.example',
    timeZone: 'UTC',
    secretName: 'workforce/main',
  };
  const schedule = (target: string) => ({
    Type: 'AWS::Scheduler::Schedule',
    Properties: {
      ScheduleExpression: 'rate(1 minute)',
      Target: {
        Arn: { 'Fn::GetAtt': [target, 'Arn'] },
        Input: JSON.stringify({ connection, scope: 'due' }),
      },
    },
  });
  return {
    Role: { Type: 'AWS::IAM::Role' },
    Timesheets: { Type: 'AWS::SNS::Topic' },
    PollTimesheets: fixtureFunction('timesheets', environment),
    PollPayPeriods: fixtureFunction('payPeriods', environment),
    ScheduleTimesheets: schedule('PollTimesheets'),
    SchedulePayPeriods: schedule('PollPayPeriods'),
  };
}
