import { readdirSync, readFileSync } from 'node:fs'
import type { GreenroomApi } from '../client/index.js'

/** The path is valid from both src/ and dist/. */
const FOLDER = new URL('../../assets/demo/', import.meta.url)

/** Uploads the images and videos of the posts. Returns their paths on the server, by file name. */
export async function uploadDemoMedia(operator: GreenroomApi, organizationId: string): Promise<Record<string, string>> {
  const media: Record<string, string> = {}
  for (const name of readdirSync(FOLDER)) {
    const { url } = await operator.call('uploadMedia', { organizationId, body: readFileSync(new URL(name, FOLDER)) })
    media[name] = url.slice(url.indexOf('/media/'))
  }
  return media
}
