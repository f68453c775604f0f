/**
 * Preloaded into the process of a command (`node --import`): what it asks of Slack goes to the receiver of the test, since
 * nothing of a run leaves this machine.
 */
const SLACK = 'https://slack.com/api/';

const api = process.env.SLACK_STAND_IN;
if (api !== undefined) replaceFetch(api);

function replaceFetch(address: string): void {
  const fetchAnything = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(SLACK)) return await fetchAnything(input, init);
    const { method, headers } = request;
    const body = await request.text();
    return await fetchAnything(address + request.url.slice(SLACK.length), { method, headers, body });
  };
}
