import type { RunningSource } from '#local/source/server.ts';

/** A request to a control route of the sample source, such as `faults`, with the token it asks for. */
export async function steer(
  { baseUrl, token }: Pick<RunningSource, 'baseUrl' | 'token'>,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  return await fetch(`${baseUrl}/control/${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
  });
}
