import type {
  BackupHealth,
  DiskHealth,
  HealthPart,
  HealthState,
  ServerHealth,
} from '../../interface/generated/types.ts'
import { common } from '../words.ts'

type FoundOf<Part extends HealthPart['part']> = Extract<HealthPart, { part: Part }>['found']

const { count, number } = common

const GB = 1_000_000_000

/** Gigabytes with one digit after the point. */
const size = (bytes: number): string => `${number(Math.floor((bytes / GB) * 10) / 10)} GB`

export const words = {
  health: 'Health',
  states: { good: 'Good', warning: 'Look at it', bad: 'Bad', off: 'Not set up' } satisfies Record<HealthState, string>,
  database: 'Database',
  databaseOf: {
    pglite: 'It answers. It is a part of Greenroom, in the data directory.',
    postgres: 'It answers. It is a PostgreSQL.',
  } satisfies Record<ServerHealth['database'], string>,
  parts: {
    publisher: 'Publishing',
    intake: 'Deliveries of shops and apps',
    mail: 'Emails',
    media: 'Pictures and videos',
    platform: 'Meta’s API',
  },
  publisher: {
    on_time: 'Posts are published on time.',
    late: 'A post waits longer than it should. See the log of the server.',
    stopped: 'No process publishes: start one with the role to publish.',
  } satisfies Record<FoundOf<'publisher'>, string>,
  intake: {
    on_time: () => 'All deliveries are applied.',
    late: (many) => `${count(many, 'delivery', 'deliveries')} waiting: is the server that applies them running?`,
    problems: (many) =>
      `${count(many, 'item')} could not be applied. They are listed in the settings of each organization, under Sources.`,
    unused: () => 'No organization has a source.',
  } satisfies Record<FoundOf<'intake'>, (many: number) => string>,
  mail: {
    on_time: () => 'Emails are sent.',
    late: (many) => `${count(many, 'email')} waiting, and no process sends them.`,
    failing: (many) =>
      `${count(many, 'email')} could not be sent and will be tried again. “greenroom doctor” tests the mail server.`,
    off: () => 'No one gets emails, and forgotten passwords need a link from you. Set SMTP_URL to change that.',
  } satisfies Record<FoundOf<'mail'>, (many: number) => string>,
  media: {
    on: 'Files can be uploaded.',
    off: 'Files cannot be uploaded. Set MEDIA_DIR to change that.',
  },
  platform: {
    supported: (version) => `${version} is in use.`,
    ending: (version, day) => `${version} ends on ${day}.`,
    ended: (version, day) => `${version} ended on ${day}.`,
    unannounced: (version) => `When ${version} ends is not known here.`,
    newer: (version) => `${version} is newer than the table of versions.`,
    unknown: (version) => `${version} is not in the table of versions.`,
  } satisfies Record<FoundOf<'platform'>, (version: string, day: string) => string>,
  newVersion: (newest: string | undefined): string =>
    `Update Greenroom${newest ? `, or set GRAPH_VERSION=${newest}` : ''}.`,
  disks: {
    data: 'Disk of the data',
    media: 'Disk of pictures and videos',
    backups: 'Disk of backups',
    'audit-exports': 'Disk of exported activity',
  } satisfies Record<DiskHealth['directory'], string>,
  disk: {
    room: (free, all) => `${size(free)} of ${size(all)} are free.`,
    low: (free, all) => `Only ${size(free)} of ${size(all)} are free: make room.`,
    full: () => 'It is full, and nothing can be written there: make room now.',
    silent: () => 'It does not answer. Is it connected?',
  } satisfies Record<FoundOf<'disk'>, (free: number, all: number) => string>,
  since: (distance: string): string => `The oldest was due ${distance}.`,

  lastBackup: 'Last backup',
  noBackup: 'None yet',
  madeAt: (time: string, distance: string): string => `${time} (${distance})`,
  backupFile: (file: string, place: string | undefined): string => (place === undefined ? file : `${file} in ${place}`),
  fetched: 'fetched by a program such as “greenroom backup”: where it is kept is not known here',
  sameDisk: 'on the same disk as the data: set BACKUP_DIR to another disk or a bucket',
  withoutKey: 'without the master key: keep that one apart',
  missingMedia: (many: number): string => `${count(many, 'file')} missing`,
  backup: {
    made: 'The server makes backups by itself.',
    late: 'The last backup is older than it should be. See the log of the server.',
    incomplete: 'The last backup lacks pictures or videos. Is MEDIA_DIR set where backups are made?',
    unusable: 'Nothing can be written to the place of the backups. See the log of the server.',
    none: 'The first one is made soon after the start. If there is none after an hour, see the log of the server.',
    making: 'The first one is being made.',
    fetched: 'Backups are fetched by a program.',
    off: 'The server makes no backups by itself, and none was fetched within two days: set BACKUP_DIR, or run “greenroom backup” each day.',
  } satisfies Record<BackupHealth['found'], string>,

  masterKey: 'Master key',
  masterKeyHint: 'It seals the secrets in the database. Its id tells nothing of the key itself.',
  otherSecrets: (many: number): string =>
    many === 0
      ? 'Every secret is sealed under this key.'
      : `${count(many, 'secret')} sealed under another key: a rotation was not finished, or they can no longer be opened.`,
  lostSecrets: (many: number): string =>
    `${count(many, 'secret')} sealed under a key that is not here: set MASTER_KEY_PREVIOUS to it, or connect and issue them again.`,
  rotate: 'Rotate',
  goOn: 'Continue rotating',
  rotateTitle: 'Rotate the master key?',
  rotateText:
    'Every secret is sealed under a new key while the server runs. Where MASTER_KEY is set, start the server with the new one and MASTER_KEY_PREVIOUS first.',
  rotated: (resealed: number, unopened: number): string =>
    unopened === 0
      ? `The master key is rotated: ${count(resealed, 'secret')} sealed.`
      : `The master key is rotated: ${count(resealed, 'secret')} sealed, and ${number(unopened)} open under neither key. The log of the server names them.`,

  lastSignIns: 'Last sign-ins',
  noSignIns: 'No one has signed in yet.',
  signedIn: (time: string, browser: string, network: string): string => `${time} · ${browser} · from ${network}`,
}
