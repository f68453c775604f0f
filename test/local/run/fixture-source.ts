import { json } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { serveOnLoopback } from '#local/loopback-server.ts';
import type { PollRequest } from '#shared/config/requests/poll-request.ts';
import { fixtureFunction, type Resources, writeAssembly } from '../aws/fixture-assembly.ts';

/** What the fixture poll function does: publish messages and return a report with these members. */
interface Plan {
  readonly messages?: readonly string[];
  readonly report?: Record<string, unknown>;
  readonly crash?: boolean;
}

/** The input of the fixture poll function. */
interface ReceivedPoll {
  readonly authorization: string | undefined;
  readonly request: PollRequest;
}

/** Decides what the fixture poll function does; `times` counts its polls from 1. */
export type Planner = (times: number, request: PollRequest) => Plan | Promise<Plan>;

export interface FixtureSource {
  readonly baseUrl: string;
  readonly asked: readonly ReceivedPoll[];
  close(): void;
}

/** A server that directs the fixture poll function. */
export async function startFixtureSource(plan: Planner): Promise<FixtureSource> {
  const asked: ReceivedPoll[] = [];
  const { endpoint, stop } = await serveOnLoopback(async (request, response) => {
    const { authorization } = request.headers;
    const sent = (await json(request)) as PollRequest;
    asked.push({ authorization, request: sent });
    response.end(JSON.stringify(await plan(asked.length, sent)));
  });
  return { baseUrl: endpoint, asked, close: () => void stop() };
}

/** A cloud assembly with a poll function that does what a fixture source says. */
export function writePollAssembly(): string {
  return writeAssembly(pollResources(), fileURLToPath(new URL('./fixtures/polls', import.meta.url)));
}

/** The poll function, its schedule and the topic that it publishes to. */
export function pollResources(): Resources {
  const environment = { Environment: { Variables: { TOPIC_ARN_TIMESHEETS: { Ref: 'Timesheets' } } } };
  const connection = {
    name: 'main',
    baseUrl: 'https://acme.workforce.example',
    timeZone: 'UTC',
    secretName: 'workforce/main',
  };
  const feeds = [{ name: 'timesheets', silent: false }];
  return {
    Role: { Type: 'AWS::IAM::Role' },
    Timesheets: { Type: 'AWS::SNS::Topic' },
    Poll: fixtureFunction('poll', environment),
    Schedule: {
      Type: 'AWS::Scheduler::Schedule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        Target: { Arn: { 'Fn::GetAtt': ['Poll', 'Arn'] }, Input: JSON.stringify({ connection, feeds }) },
      },
    },
  };
}
