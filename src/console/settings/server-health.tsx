import type { HealthPart, HealthState, ServerHealth } from '../../interface/generated/types.ts'
import { call } from '../api.ts'
import { Loaded, Rows } from '../list.tsx'
import { useOrganization } from '../organization.ts'
import { formatDay, formatDistance, formatInstant } from '../times.ts'
import { useNow } from '../use-now.ts'
import { usePolled } from '../use-read.ts'
import { say, server as words } from '../words.ts'
import { type Outcome, type Question, Row, Section, useChanges } from './section.tsx'

/** The server's health: its parts, its last backup, and the key that seals its secrets. */
export function Health() {
  const read = usePolled(['server-health'], (options) => call('getServerHealth', {}, options))
  return (
    <Loaded read={read}>
      {(health) => (
        <>
          <Parts health={health} />
          <Backup backup={health.backup} />
          <MasterKey masterKey={health.masterKey} />
        </>
      )}
    </Loaded>
  )
}

/** The word repeats the colour's meaning for people who cannot see it. */
const State = ({ state }: { state: HealthState }) => (
  <span class={state === 'off' ? 'quiet' : `state-${state}`}>{words.states[state]}</span>
)

function Parts({ health: { parts, database } }: { health: ServerHealth }) {
  return (
    <Section title={words.health} changes={useChanges()}>
      <Rows
        label={words.health}
        items={[{ part: 'database', state: 'good', database } as const, ...parts]}
        keyOf={(part) => (part.part === 'disk' ? part.directory : part.part)}
      >
        {(part) =>
          part.part === 'database' ? (
            <Row
              name={words.database}
              about={words.databaseOf[part.database]}
              controls={<State state="good" />}
              actions={[]}
            />
          ) : (
            <Part part={part} />
          )
        }
      </Rows>
    </Section>
  )
}

function Part({ part }: { part: HealthPart }) {
  const now = useNow()
  const name = part.part === 'disk' ? words.disks[part.directory] : words.parts[part.part]
  const since =
    'since' in part && part.since !== undefined ? words.since({ distance: formatDistance(part.since, now) }) : ''
  const about = [describe(part), since].filter(Boolean).join(' ')
  return <Row name={name} about={about} controls={<State state={part.state} />} actions={[]} />
}

function describe(part: HealthPart): string {
  switch (part.part) {
    case 'publisher':
      return words.publisher[part.found]
    case 'intake':
      return say(words.intake[part.found], { many: part.count ?? 0 })
    case 'mail':
      return say(words.mail[part.found], { many: part.count ?? 0 })
    case 'media':
      return words.media[part.found]
    case 'platform': {
      const { version, newest, api, endsOn = '' } = part
      if (part.state === 'good') return say(words.platform[part.found], { version, day: '' })
      const named = api ? `${api === 'graph' ? 'Graph' : 'Marketing'} API ${version}` : version
      return `${say(words.platform[part.found], { version: named, day: endsOn && formatDay(endsOn) })} ${words.newVersion({ newest: newest || undefined })}`
    }
    case 'disk':
      return say(words.disk[part.found], {
        free: toGigabytes(part.freeBytes ?? 0),
        all: toGigabytes(part.sizeBytes ?? 0),
      })
  }
}

/** Rounds down to one decimal. */
const toGigabytes = (bytes: number): number => Math.floor(bytes / 100_000_000) / 10

function Backup({ backup }: { backup: ServerHealth['backup'] }) {
  const { timeZone } = useOrganization()
  const now = useNow()
  const { madeAt, place, fetched } = backup
  // Without a schedule, missing backups are not a problem.
  const isOnlyFetched = madeAt === undefined && place === undefined
  const items: Pick<ServerHealth['backup'], 'madeAt' | 'file' | 'hasMasterKey' | 'missingMedia'>[] =
    fetched === undefined ? [backup] : isOnlyFetched ? [fetched] : [backup, fetched]
  return (
    <Section title={words.lastBackup} changes={useChanges()} hint={words.backup[backup.found]}>
      <Rows label={words.lastBackup} items={items} keyOf={(one) => (one === fetched ? 'fetched' : 'made')}>
        {(one) => (
          <Row
            name={
              one.madeAt === undefined
                ? words.noBackup
                : words.madeAt({ time: formatInstant(one.madeAt, timeZone), distance: formatDistance(one.madeAt, now) })
            }
            about={[
              one.file !== undefined && words.backupFile({ file: one.file, place }),
              one === fetched && words.fetched,
              one === items[0] && backup.weaknesses.includes('same_disk') && words.sameDisk,
              (one.hasMasterKey === false || (one === backup && backup.weaknesses.includes('no_master_key'))) &&
                words.withoutKey,
              one.missingMedia ? words.missingMedia({ many: one.missingMedia }) : undefined,
            ]
              .filter(Boolean)
              .join(' · ')}
            controls={one === items[0] && <State state={backup.state} />}
            actions={[]}
          />
        )}
      </Rows>
    </Section>
  )
}

function MasterKey({
  masterKey: { keyId, otherSecrets, lostSecrets, state },
}: {
  masterKey: ServerHealth['masterKey']
}) {
  const changes = useChanges(['server-health'])
  return (
    <Section title={words.masterKey} hint={words.masterKeyHint} changes={changes}>
      <Rows label={words.masterKey} items={[keyId]} keyOf={(id) => id}>
        {() => (
          <Row
            name={<code>{keyId}</code>}
            about={
              lostSecrets > 0 ? words.lostSecrets({ many: lostSecrets }) : words.otherSecrets({ many: otherSecrets })
            }
            controls={<State state={state} />}
            actions={[{ text: otherSecrets > 0 ? words.goOn : words.rotate, ask: rotate }]}
          />
        )}
      </Rows>
    </Section>
  )
}

const rotate: Question = {
  title: words.rotateTitle,
  submit: words.rotate,
  text: words.rotateText,
  async run(): Promise<Outcome> {
    let step = await call('rotateMasterKey', { body: {} })
    let { resealed, unopened } = step
    while (step.after !== undefined) {
      step = await call('rotateMasterKey', { body: { after: step.after } })
      resealed += step.resealed
      unopened += step.unopened
    }
    return { announcement: words.rotated({ resealed, unopened }) }
  },
}
