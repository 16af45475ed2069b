import { join } from 'node:path'
import { parseJson, toRecord } from '../lib/json.js'
import { readIfThere } from '../lib/read-if-there.js'
import { CliError } from './io.js'

/** The part of demo.json that the commands read. */
interface DemoFile {
  baseUrl: string
  operatorToken: string
  key: { id: string; secret: string }
  organizationId?: string
  personId?: string
}

/**
 * Reads demo.json, or returns undefined if there is none. Throws a CliError if the file does not have the demo's address and
 * credentials.
 */
export function readDemoFile(dataDir: string): DemoFile | undefined {
  const file = join(dataDir, 'demo.json')
  const unusable = `${file} does not have the demo's address and credentials: start the demo again, or set GREENROOM_URL.`
  let text: string | undefined
  try {
    text = readIfThere(file)
  } catch {
    throw new CliError(2, unusable)
  }
  if (text === undefined) return undefined
  const demo = toRecord(parseJson(text)) ?? {}
  const { id, secret } = toRecord(demo.key) ?? {}
  const isUsable = [demo.baseUrl, demo.operatorToken, id, secret].every((value) => typeof value === 'string')
  if (isUsable && URL.canParse(demo.baseUrl as string)) return demo as unknown as DemoFile
  throw new CliError(2, unusable)
}

/** Reads demo.json like `readDemoFile`, but also returns undefined for an invalid file. */
export function findDemoFile(dataDir: string): DemoFile | undefined {
  try {
    return readDemoFile(dataDir)
  } catch {
    return undefined
  }
}
