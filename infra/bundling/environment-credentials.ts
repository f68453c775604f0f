/**
 * Stands in for `@aws-sdk/credential-provider-node` in bundles. Lambda gives a function its credentials in the
 * environment and nowhere else; the providers for profiles, SSO, processes, containers and instances, which the SDK
 * brings along for other places, are a quarter of a bundle and never run.
 */

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What every client of the SDK asks for credentials when its configuration names no other provider. */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => {
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
    if (!(AWS_ACCESS_KEY_ID && AWS_SECRET_ACCESS_KEY)) {
      throw new Error(
        'AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set; Lambda sets both for a function',
      );
    }
    return {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    };
  };
}
