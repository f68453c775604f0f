import { render } from 'preact';
import { App } from './app.tsx';
import { refusal } from './data/feed.ts';
import { enter } from './data/session.ts';

const place = document.getElementById('page');
refusal.value = await enter();
if (place !== null) render(<App />, place);
