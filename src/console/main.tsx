import { render } from 'preact'
import { App, readFirst } from './app.tsx'
import './style.css'

/** Nothing is drawn before this: drawing an incomplete page takes longer than most answers. */
const SOON_MS = 1_000

void Promise.race([readFirst().catch(() => {}), new Promise((resolve) => setTimeout(resolve, SOON_MS))]).then(() =>
  render(<App />, document.getElementById('app')!),
)
