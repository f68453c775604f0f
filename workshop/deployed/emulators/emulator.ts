import type { IncomingHttpHeaders } from 'node:http';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';

/** An AWS that this project did not write. It runs in one process and keeps the account in memory. */
export interface Emulator {
  readonly name: EmulatorName;
  /** With its exact version: `moto 5.2.5`. */
  readonly title: string;
  /** Resource types that its CloudFormation does not create, and what the test does about each. */
  readonly unknownTypes: UnknownTypes;
  /** Its CloudFormation knows that a template is unchanged. */
  readonly comparesTemplates: boolean;
  /** Its CloudFormation can change a stack again after a change that failed half way. */
  readonly continues: boolean;
  /** Its CloudFormation keeps a retained resource that a change takes out of the template. */
  readonly retains: boolean;
  /** Actions that its IAM asks for beside one that AWS asks for. */
  readonly alsoAsks: AlsoAsks;
  /** For a role it takes `aws:PrincipalArn` to be the ARN of the session, where AWS takes that of the role. */
  readonly sessionIsPrincipal: boolean;
  /** Longest names by type, where the names that its CloudFormation makes are too long. */
  readonly nameLimits: ReadonlyMap<string, number>;
  /** Types that its CloudFormation makes otherwise than the template says, and that the test puts right. */
  readonly mangles: ReadonlySet<string>;
  /** Services for which its IAM refuses what the policies of a role and of a resource do not allow. */
  readonly decides: ReadonlySet<string>;
  /** Services that get one request at a time, since it mixes up those that it works on side by side. */
  readonly oneAtATime: ReadonlySet<string>;
  /** It does a transaction again that is sent again with its token. */
  readonly forgetsTokens: boolean;
  /** Puts an answer right that the CDK CLI cannot work with. */
  readonly correctAnswer?: CorrectAnswer;
  /** Installs it under `.cache` if it is not there yet, and starts it. Throws when it cannot be had. */
  start(logFile: string): Promise<Engine>;
}

type EmulatorName = 'moto' | 'fakecloud';

/** What is changed in a template for it. */
export type Adaptations = Pick<Emulator, 'unknownTypes' | 'alsoAsks' | 'sessionIsPrincipal' | 'nameLimits'>;

/** By the action that AWS asks for. */
export type AlsoAsks = ReadonlyMap<string, string>;

/** `applied`: the test makes it through the API of its own service. `left out`: nobody makes it. */
export type UnknownTypes = ReadonlyMap<string, 'applied' | 'left out'>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `request`: the body of the request. */
export type CorrectAnswer = (request: string, answer: Answer) => Answer;
