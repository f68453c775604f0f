// uPlot formats numbers in the browser's language as soon as it is loaded. On a machine without a language, a browser
// names one that Intl does not know, such as `en-US@posix`, and nothing of the page would run (uPlot's issue 1053).
try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en' });
}
