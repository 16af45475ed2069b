/**
 * `npm run picture`: makes docs/console.png, the README's picture, of a demo of its own. Needs an installed Chromium.
 * The browser draws letters as this machine does, so it is made by hand and not in CI.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { findTool } from '../test/tools.js'

const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const PICTURE = fileURLToPath(new URL('../docs/console.png', import.meta.url))
const BYTES_MAX = 300_000

const executablePath = findTool('chromium', 'chromium-browser', 'google-chrome')
if (executablePath === undefined) throw new Error('There is no Chromium on this machine.')
const dataDir = mkdtempSync(join(tmpdir(), 'greenroom-picture-'))
const demo = spawn(process.execPath, [PROGRAM, 'demo'], {
  env: { ...process.env, DATA_DIR: dataDir, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
})
try {
  const browser = await chromium.launch({ executablePath, chromiumSandbox: false, args: ['--disable-gpu'] })
  try {
    const page = await browser.newPage({
      viewport: { width: 1100, height: 580 },
      deviceScaleFactor: 2,
      colorScheme: 'light',
      locale: 'en-GB',
    })
    await untilReady()
    await page.goto(inviteOwner())
    await page.locator('input[name=name]').fill('Demo')
    await page.locator('input[name=mail]').fill('demo@greenroom.example')
    await page.locator('input[name=password]').fill('long words of the picture')
    await page.locator('button[type=submit]').click()
    await page.getByRole('link', { name: /se tuesta/ }).click()
    await page.getByRole('button', { name: /^Approve/ }).waitFor()
    // The pictures are drawn by then.
    await page.waitForFunction('[...document.images].every(({ complete }) => complete)')
    await page.screenshot({ path: PICTURE })
  } finally {
    await browser.close()
  }
} finally {
  demo.kill('SIGTERM')
  await once(demo, 'exit')
  rmSync(dataDir, { recursive: true, force: true })
}
const { size } = statSync(PICTURE)
process.stdout.write(`docs/console.png: ${Math.round(size / 1000)} kB\n`)
if (size > BYTES_MAX) throw new Error(`It takes more than ${BYTES_MAX / 1000} kB.`)

async function untilReady(): Promise<void> {
  for await (const line of createInterface({ input: demo.stdout })) {
    // The demo has made its first posts by then.
    if (line.startsWith('Ready at')) return
  }
  throw new Error('The demo ended before it was ready.')
}

/** Its output is a pipe, to which the demo prints no link. */
function inviteOwner(): string {
  const args = [PROGRAM, 'users', 'invite-owner', '--json']
  return JSON.parse(
    execFileSync(process.execPath, args, { env: { ...process.env, DATA_DIR: dataDir }, encoding: 'utf8' }),
  ).link
}
