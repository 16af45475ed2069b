import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { buildApp } from '../../src/app.js'
import { LANGUAGES } from '../../src/interface/languages.js'
import { type ConfigChanges, mergeChanges } from '../config.js'
import { freePort } from '../free-port.js'
import { startTestApp, type TestApp } from '../harness.js'
import { ROOT } from '../recipes.js'

/** The whole app with the console built from these sources, listening. */
export interface ConsoleServer {
  test: TestApp
  url: string
  /** The folder of hashed files and index.html. */
  folder: string
  close(): Promise<void>
}

let built: Promise<string> | undefined

/** Builds the console once for all tests of a run; returns the folder. */
function buildConsole(): Promise<string> {
  built ??= buildTo(mkdtempSync(join(tmpdir(), 'greenroom-console-')))
  return built
}

async function buildTo(folder: string): Promise<string> {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const mode of LANGUAGES) {
    await build({ mode, configFile: `${ROOT}src/console/vite.config.ts`, build: { outDir: folder } })
  }
  return folder
}

/** Listens at `http://localhost`: passkeys need an address with a name, and browsers treat this one as secure. */
export async function startNamedServer(config: ConfigChanges = {}): Promise<ConsoleServer> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  return { ...(await startConsoleServer(mergeChanges({ http: { publicUrl: url } }, config), port)), url }
}

export async function startConsoleServer(config: ConfigChanges = {}, port = 0): Promise<ConsoleServer> {
  const folder = await buildConsole()
  const plain = await startTestApp(config)
  const consoleFolder = pathToFileURL(`${folder}/`)
  const test = { ...plain, app: await buildApp(plain.context, { checkAnswers: true, consoleFolder }) }
  await test.app.listen({ host: '127.0.0.1', port })
  return {
    test,
    folder,
    url: `http://127.0.0.1:${(test.app.server.address() as AddressInfo).port}`,
    async close() {
      test.app.server.closeAllConnections()
      await test.app.close()
    },
  }
}
