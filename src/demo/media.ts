import { readdirSync, readFileSync } from 'node:fs'
import type { GreenroomApi } from '../client/index.js'

/** The path is the same from src/ and from dist/. */
const FOLDER = new URL('../../assets/demo/', import.meta.url)

/** Uploads the pictures and videos of the posts. Gives their paths below the server's root, by their names. */
export async function uploadDemoMedia(operator: GreenroomApi, organizationId: string): Promise<Record<string, string>> {
  const media: Record<string, string> = {}
  for (const name of readdirSync(FOLDER)) {
    const { url } = await operator.call('uploadMedia', { organizationId, body: readFileSync(new URL(name, FOLDER)) })
    media[name] = url.slice(url.indexOf('/media/'))
  }
  return media
}
