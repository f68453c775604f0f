/** Tests that start a browser: an npm package brings its Chromium, for Linux x64 alone. */
const IN_BROWSER = ['test/console/browser.test.ts'];

/** The tests that are left out on a platform, with one line that says so; none on Linux x64. */
export function listWithoutBrowser(
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>,
  say: (line: string) => void,
): readonly string[] {
  if (platform === 'linux' && arch === 'x64') return [];
  say(
    `left out on ${platform} ${arch}: ${IN_BROWSER.join(', ')}; their Chromium is for Linux x64, as in the dev container`,
  );
  return IN_BROWSER;
}
