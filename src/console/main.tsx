import { render } from 'preact'
import { App, readFirst } from './app.tsx'
import './style.css'

/** Nothing is shown for so long: drawing what is not complete takes longer than most answers. */
const SOON_MS = 1_000

void Promise.race([readFirst().catch(() => {}), new Promise((resolve) => setTimeout(resolve, SOON_MS))]).then(() =>
  render(<App />, document.getElementById('app')!),
)
