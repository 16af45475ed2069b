import { basename, dirname, resolve } from 'node:path'
import { parseS3Place, type S3Config, type S3Place } from '../../config/backup.js'
import type { Config } from '../../config/index.js'
import { StartError } from '../../lib/start-error.js'
import type { BackupPlace, BackupStorage } from './backup-storage.js'
import { openDirectory } from './directory.js'

/** Opens the storage of BACKUP_DIR; undefined if there is none. */
export async function openStorage({ backup, s3 }: Pick<Config, 'backup' | 's3'>): Promise<BackupStorage | undefined> {
  if (backup?.dir !== undefined) return openDirectory(backup.dir)
  return backup?.bucket === undefined ? undefined : await openBucket(backup.bucket, s3)
}

/**
 * Opens a directory, or s3://bucket/prefix. Throws StartError if that is malformed, or the storage's settings are missing.
 */
export async function openStorageAt(text: string, config: () => Pick<Config, 's3'>): Promise<BackupStorage> {
  if (!text.startsWith('s3:')) return openDirectory(resolve(text))
  const place = parseS3Place(text)
  if (place === undefined) throw new StartError('Specify a place in a bucket like this: s3://backups/greenroom.')
  return await openBucket(place, config().s3)
}

/** Finds a file, or s3://bucket/prefix/name. Throws StartError as openStorageAt does. */
export async function findBackup(text: string, config: () => Pick<Config, 's3'>): Promise<BackupPlace> {
  if (!text.startsWith('s3:')) return { storage: openDirectory(dirname(resolve(text))), name: basename(text) }
  const [, place = '', name = ''] = /^(.*)\/([^/]+)$/.exec(text) ?? []
  if (parseS3Place(place) === undefined || !/^[\w.-]+$/.test(name)) {
    throw new StartError('Specify a backup in a bucket like this: s3://backups/greenroom/acme.backup.')
  }
  return { storage: await openStorageAt(place, config), name }
}

async function openBucket(place: S3Place, s3: S3Config | null): Promise<BackupStorage> {
  if (s3 === null) {
    throw new StartError('Set BACKUP_S3_KEY_ID and BACKUP_S3_SECRET to an access key for the bucket.')
  }
  // The client is loaded here, because most servers keep their backups in a directory.
  const { openS3 } = await import('./s3.js')
  return openS3(s3, place)
}
