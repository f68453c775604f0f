import type { AwsApi } from '../aws-api.ts';
import type { Schedule } from './notifier.ts';

interface ScheduleList {
  readonly Schedules: readonly { readonly Name: string; readonly GroupName: string }[];
}

interface ScheduleDetails {
  readonly Target: { readonly Arn: string; readonly Input: string };
}

/** The schedules of a stack, as the account gives them back. */
export async function readSchedules(api: AwsApi, stackName: string): Promise<readonly Schedule[]> {
  const { Schedules } = (await api.rest('GET', '/schedules')) as ScheduleList;
  const ours = Schedules.filter(({ GroupName }) => GroupName.startsWith(`${stackName}-`));
  return await Promise.all(
    ours.map(async ({ Name, GroupName }) => {
      const path = `/schedules/${Name}?groupName=${GroupName}`;
      const { Target } = (await api.rest('GET', path)) as ScheduleDetails;
      const functionName = Target.Arn.slice(Target.Arn.lastIndexOf(':') + 1);
      return { functionName, input: JSON.parse(Target.Input) as unknown };
    }),
  );
}
