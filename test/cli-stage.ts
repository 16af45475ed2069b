import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import { type CliRun, type CliSurroundings, greenroom } from './cli.js'
import { OPERATOR_TOKEN, startTestApp, type TestApp } from './harness.js'

/** A server and its operator's command line, for all tests of a file. */
export class CliStage {
  app!: TestApp
  url!: string
  directory!: string

  /** `prepare` runs before the server listens. */
  constructor(prepare: (app: TestApp) => void = () => {}) {
    beforeAll(async () => {
      this.directory = mkdtempSync(join(tmpdir(), 'greenroom-cli-'))
      const publicUrl = 'https://greenroom.example'
      this.app = await startTestApp({ media: { dir: join(this.directory, 'media') }, http: { publicUrl } })
      prepare(this.app)
      await this.app.app.listen({ host: '127.0.0.1', port: 0 })
      this.url = `http://127.0.0.1:${(this.app.app.server.address() as AddressInfo).port}`
    })
    afterAll(async () => {
      await this.app.app.close()
      rmSync(this.directory, { recursive: true })
    })
  }

  /** Runs a command as the operator; fails unless it exits with `code`. */
  run = async (code: number, argv: string[], surroundings: CliSurroundings = {}): Promise<CliRun> => {
    const env = { GREENROOM_URL: this.url, GREENROOM_OPERATOR_TOKEN: OPERATOR_TOKEN, ...surroundings.env }
    const result = await greenroom(argv, { clock: this.app.clock, ...surroundings, env })
    expect(result.code, `${argv.join(' ')}: ${result.stderr}`).toBe(code)
    return result
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape
  json = async (argv: string[], surroundings?: CliSurroundings): Promise<any> =>
    JSON.parse((await this.run(0, argv, surroundings)).stdout)

  /** Writes a file and returns its path. */
  file = (name: string, content: string | Buffer): string => {
    const path = join(this.directory, name)
    writeFileSync(path, content)
    return path
  }
}
