import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listMediaFiles } from '../media/media.store.js'
import { type ExaminedDatabase, type Findings, findingsOf } from './finding.js'

const { ok, problem } = findingsOf('media')

/** Checks for the files that the database knows: a post with a missing file cannot be published. */
export async function* checkMedia({ database, config: { media } }: ExaminedDatabase): Findings {
  const files = await listMediaFiles(database)
  if (files.length === 0) return
  if (media === null) {
    return yield problem(
      `The database lists ${files.length} uploaded files, but MEDIA_DIR is not set, so posts with them cannot be published.`,
      'Set MEDIA_DIR to the directory that contains them, which all nodes share.',
    )
  }
  const missing = files.filter(({ organizationId, name }) => !existsSync(join(media.dir, organizationId, name)))
  const [first] = missing
  yield first === undefined
    ? ok(`All ${files.length} uploaded files are in MEDIA_DIR.`)
    : problem(
        `${missing.length} of ${files.length} uploaded files are not in MEDIA_DIR ${media.dir}, such as ${first.organizationId}/${first.name}.`,
        'Set MEDIA_DIR to the directory that all nodes share, or take the files from a backup (docs/backup.md).',
      )
}
