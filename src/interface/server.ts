import type { BackupHealth, MasterKeyHealth, PlatformHealth } from './generated/types.js'

/** A finding about the server and what to do about it, in the same words for every reader. */
interface Advice {
  finding: string
  remedy: string
}

export const BACKUP_WEAKNESSES: Readonly<Record<BackupHealth['weaknesses'][number], Advice>> = {
  same_disk: {
    finding: 'The backups are on the same disk as the data.',
    remedy:
      'Set BACKUP_DIR to a directory on another disk, or to s3://bucket/prefix; or copy the backups to another machine.',
  },
  no_master_key: {
    finding: 'The backups do not contain the master key. A backup without it cannot restore the secrets.',
    remedy:
      'Set BACKUP_PASSPHRASE_FILE, which encrypts the backups and includes the key; or keep a copy of the master key on another machine.',
  },
}

const PLATFORM_APIS: Readonly<Record<NonNullable<PlatformHealth['api']>, (version: string) => string>> = {
  graph: (version) => `The Graph API ${version}, which publishing and replies use,`,
  marketing: (version) => `The Marketing API ${version}, which insights use,`,
}

export const PLATFORM_ADVICE: Readonly<Record<PlatformHealth['found'], (health: PlatformHealth) => Advice>> = {
  supported: (health) => ({
    finding: health.endsOn === undefined ? `No end date has been announced for ${health.version}.` : toEnd(health),
    remedy: '',
  }),
  ending: (health) => ({ finding: toEnd(health), remedy: toRemedy(health) }),
  ended: (health) => ({
    finding: `${toSubject(health)} ended on ${health.endsOn}: Meta refuses such calls, or answers them with another version.`,
    remedy: toRemedy(health),
  }),
  unannounced: (health) => ({
    finding: `This version of Greenroom does not know when ${health.version} ends. Versions of the Marketing API have ended within a year.`,
    remedy: toRemedy(health),
  }),
  newer: ({ version, newest }) => ({
    finding: `This version of Greenroom knows API versions up to ${newest}, so it does not know when ${version} ends.`,
    remedy: '',
  }),
  unknown: (health) => ({
    finding: `This version of Greenroom does not know ${health.version}: Meta may have ended it, or never released it.`,
    remedy: toRemedy(health),
  }),
}

const toSubject = ({ api = 'graph', version }: PlatformHealth): string => PLATFORM_APIS[api](version)

const toEnd = (health: PlatformHealth): string => `${toSubject(health)} ends on ${health.endsOn}.`

const toRemedy = ({ newest }: PlatformHealth): string =>
  newest === undefined
    ? 'Update Greenroom: this version does not know a newer one.'
    : `Set GRAPH_VERSION=${newest}, or update Greenroom.`

export const MASTER_KEY_ADVICE: Readonly<Record<MasterKeyHealth['found'], (many: number) => Advice>> = {
  good: () => ({ finding: 'Every secret is sealed under it, and it is the key of the database.', remedy: '' }),
  unfinished: (many) => ({
    finding: `${many} ${many === 1 ? 'secret is' : 'secrets are'} still sealed under the previous master key: a rotation was not finished.`,
    remedy: 'Run `greenroom master-key rotate`, which continues where it stopped.',
  }),
  lost: (many) => ({
    finding: `${many} ${many === 1 ? 'secret is' : 'secrets are'} sealed under a master key that is missing here, and cannot be opened.`,
    remedy: 'Set MASTER_KEY_PREVIOUS to that key; or connect the channels and ad accounts again, and issue other keys.',
  }),
}
