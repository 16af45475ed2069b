import { CLIENT_SETTINGS } from '../src/config/client.js'
import { GROUPS } from '../src/config/index.js'
import type { Setting } from '../src/config/setting.js'

type GroupName = keyof typeof GROUPS

/** The parts of docs/settings.md, each with a sentence that introduces it and the groups that it shows. */
const PARTS: readonly (readonly [title: string, about: string, ...groups: GroupName[]])[] = [
  ['Network', 'The address to listen on, the address from outside, and how the server stops.', 'http'],
  [
    'Database',
    'The [embedded database](install.md#on-the-embedded-database) needs no settings. [PostgreSQL](install.md#on-postgresql) needs DATABASE_URL and MASTER_KEY.',
    'database',
  ],
  [
    'Master key',
    'All processes need the same key; [rotating it](day-to-day.md#the-master-key) needs no downtime.',
    'masterKeys',
  ],
  ['Access', 'The operator token, expiry of keys and tokens, and passwords ([access](access.md)).', 'access'],
  [
    'Single sign-on',
    'Sign-in through an OpenID Connect provider ([how to set it up](access.md#the-identity-provider)).',
    'oidc',
  ],
  ['Rate limits', 'The limits of one process. [Limits](limits.md) lists all others.', 'limits'],
  ['Uploaded media', 'Uploads need MEDIA_DIR and PUBLIC_URL ([media](media.md)).', 'media', 'outsideMedia'],
  ['Backups', 'Scheduled backups, and the bucket that they can go to ([backups](backup.md)).', 'backup', 's3'],
  [
    'Retention',
    'The service keeps everything until one of these settings expires it ([retention](retention.md)).',
    'retention',
  ],
  [
    'Email and webhooks',
    'Email to people, and events to programs ([notifications](notifications.md)).',
    'mail',
    'webhooks',
  ],
  [
    'Meta and publishing',
    'Calls to Meta, and the publisher ([calls to Meta](meta.md)).',
    'graph',
    'insights',
    'publisher',
  ],
  ['Audience and intake', 'VIP lists, and what [sources](intake.md) deliver.', 'audience', 'intake'],
  ['Superpowers', 'Reading comments, and drawing raffles ([superpowers](automation.md)).', 'automation'],
  [
    'Metrics and log',
    "[Metrics, logs and traces](monitoring.md). Traces have OpenTelemetry's own variables.",
    'metrics',
    'log',
  ],
]

const INTRODUCTION = `# Settings

Settings are environment variables, or lines of \`settings.env\` in \`DATA_DIR\`, which \`greenroom init\` writes. A variable
overrides its line, and an empty variable counts as not set. The service checks all settings when it starts and reports
every invalid one; \`greenroom doctor\` does the same without a start. Each secret can also be read from a file: set the
variable of the same name with \`_FILE\` at its end.

This page is made from \`src/config/\` (\`npm run settings\`).`

const HEAD = '| variable | default | meaning |\n|---|---|---|'

/** Returns the whole text of docs/settings.md. */
export function toSettingsPage(): string {
  const parts = PARTS.map(([title, about, ...groups]) => {
    const settings = groups.flatMap((name) => Object.values<Setting>(GROUPS[name].settings))
    return `## ${title}\n\n${about}\n\n${toTable(settings.map(toRow))}`
  })
  const client = Object.entries(CLIENT_SETTINGS).map(([name, [fallback, about]]) => [
    `\`${name}\``,
    toCode(fallback),
    about,
  ])
  const last = `## The command line\n\nHow the [commands](command-line.md) reach a server.\n\n${toTable(client)}`
  return `${[INTRODUCTION, ...parts, last].join('\n\n')}\n`
}

/** Returns the groups that no part shows. */
export const groupsLeftOut = (): string[] =>
  Object.keys(GROUPS).filter((name) => !PARTS.some(([, , ...groups]) => groups.some((each) => each === name)))

const toTable = (rows: readonly string[][]): string =>
  [HEAD, ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n')

const toRow = ({ name, default: fallback = '', about, secret }: Setting): string[] => [
  secret ? `\`${name}\`<br>\`${name}_FILE\`` : `\`${name}\``,
  toCode(fallback),
  about,
]

const toCode = (text: string): string => (text === '' ? '' : `\`${text}\``)
